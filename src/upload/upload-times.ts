/** A number of recordings, and their size (bytes). */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Measures how the time of an upload depends on its size, by least squares. On a slow connection the bytes
 * decide, on a fast one the number of requests, and recordings grow from year to year.
 */
export class UploadTimes {
  readonly #all: Amount;
  #count = 0;
  #ms = 0;
  #bytes = 0;
  #squares = 0;
  #products = 0;

  /** @param all the recordings of the run */
  constructor(all: Amount) {
    this.#all = all;
  }

  add(ms: number, bytes: number): void {
    this.#count++;
    this.#ms += ms;
    this.#bytes += bytes;
    this.#squares += bytes ** 2;
    this.#products += bytes * ms;
  }

  /** Returns the share of the time of all that `done` took, from 0 to 1. */
  share(done: Amount): number {
    const [count, ms, bytes] = [this.#count, this.#ms, this.#bytes];
    const spread = count * this.#squares - bytes ** 2;
    const slope = spread > 0 ? (count * this.#products - bytes * ms) / spread : 0;
    const perByte = Math.min(Math.max(slope, 0), ms / bytes || 0);
    const perItem = count === 0 ? 1 : (ms - perByte * bytes) / count;
    const timeOf = (amount: Amount) => perItem * amount.count + perByte * amount.bytes;
    return Math.min(1, timeOf(done) / timeOf(this.#all) || 0);
  }
}
