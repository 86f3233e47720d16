import type { RecordingFile } from '../inputs/find-files.ts';
import type { BufferSource } from './read-recording.ts';
import type { Examined } from './uploader.ts';

/** A file that was examined, and the buffer that holds its recording. */
interface Reading {
  readonly file: RecordingFile;
  readonly buffers: BufferSource;
  readonly examined: Examined;
}

/**
 * Examines one file ahead while the answers for those before it are awaited. Keeps a buffer for each
 * request in flight, and one for the file ahead.
 */
export class ReadAhead {
  readonly #free: BufferSource[];
  readonly #examine: (file: RecordingFile, buffers: BufferSource) => Examined;
  readonly #next: () => RecordingFile | undefined;
  #ahead: Reading | undefined;

  /**
   * @param jobs requests in flight
   * @param examine must write nothing: the run may end before the file's turn
   * @param next returns the file to read ahead, if there is one and it may be read now
   */
  constructor(
    jobs: number,
    examine: (file: RecordingFile, buffers: BufferSource) => Examined,
    next: () => RecordingFile | undefined,
  ) {
    this.#free = Array.from({ length: jobs + 1 }, reusedBuffer);
    this.#examine = examine;
    this.#next = next;
  }

  /**
   * Runs a task with a file that was read ahead, or is read now. The buffer is free when the task ends.
   *
   * @throws the error of `examine`, or of the task
   */
  async use<T>(file: RecordingFile, task: (examined: Examined) => Promise<T>): Promise<T> {
    const { examined, buffers } = this.#take(file);
    // Reading blocks the event loop: the task writes its request before.
    setImmediate(() => this.#readNext());
    try {
      return await task(examined);
    } finally {
      this.#free.push(buffers);
    }
  }

  #take(file: RecordingFile): Reading {
    const ahead = this.#ahead;
    if (ahead?.file !== file) return this.#read(file);
    this.#ahead = undefined;
    return ahead;
  }

  #readNext(): void {
    const file = this.#ahead === undefined ? this.#next() : undefined;
    if (file === undefined) return;
    try {
      this.#ahead = this.#read(file);
    } catch {
      // `use` reads the file again, and reports the error.
    }
  }

  #read(file: RecordingFile): Reading {
    const buffers = this.#free.pop() ?? reusedBuffer();
    try {
      return { file, buffers, examined: this.#examine(file, buffers) };
    } catch (error) {
      this.#free.push(buffers);
      throw error;
    }
  }
}

/** Returns a source of one buffer, which grows to the largest file and is reused. */
export function reusedBuffer(): BufferSource {
  let buffer = Buffer.alloc(0);
  return (size) => {
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size);
    return buffer;
  };
}
