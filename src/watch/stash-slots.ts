import type { BufferSource } from '../upload/read-recording.ts';

/** What is kept between two recordings, in bytes; a larger buffer is given back. */
const KEPT_BYTES = 1024 * 1024;

/** A place for one recording under way, with the buffer that it is read into and sent from. */
export interface Slot {
  readonly buffers: BufferSource;
  /** As it was filled last. */
  buffer: Buffer;
}

/** As many slots as recordings may be under way at once. */
export class Slots {
  readonly #free: Slot[] = [];

  take(): Slot {
    return this.#free.pop() ?? makeSlot();
  }

  giveBack(slot: Slot): void {
    if (slot.buffer.length > KEPT_BYTES) slot.buffer = Buffer.alloc(0);
    this.#free.push(slot);
  }
}

function makeSlot(): Slot {
  const slot: Slot = {
    buffer: Buffer.alloc(0),
    buffers(size) {
      if (slot.buffer.length < size) slot.buffer = Buffer.allocUnsafeSlow(size);
      return slot.buffer;
    },
  };
  return slot;
}
