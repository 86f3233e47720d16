import type { BufferSource } from '../upload/read-recording.ts';

/** What is kept between two recordings, in bytes; a larger buffer is given back. */
const KEPT_BYTES = 1024 * 1024;

/** A place for one recording under way, with the buffer that it is read into and sent from. */
export interface ReadBuffer {
  readonly buffers: BufferSource;
  /** As it was filled last. */
  buffer: Buffer;
}

/** As many readBuffers as recordings may be under way at once. */
export class ReadBuffers {
  readonly #free: ReadBuffer[] = [];

  take(): ReadBuffer {
    return this.#free.pop() ?? makeReadBuffer();
  }

  giveBack(readBuffer: ReadBuffer): void {
    if (readBuffer.buffer.length > KEPT_BYTES) readBuffer.buffer = Buffer.alloc(0);
    this.#free.push(readBuffer);
  }
}

function makeReadBuffer(): ReadBuffer {
  const readBuffer: ReadBuffer = {
    buffer: Buffer.alloc(0),
    buffers(size) {
      if (readBuffer.buffer.length < size) readBuffer.buffer = Buffer.allocUnsafeSlow(size);
      return readBuffer.buffer;
    },
  };
  return readBuffer;
}
