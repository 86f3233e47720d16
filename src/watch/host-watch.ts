import { networkInterfaces } from 'node:os';
import type { Clock } from '../base/time.ts';

/** A check that is late by more than this means that the machine slept (ms). */
const SLEPT_MS = 30_000;

/** Notices at each check whether the machine slept, and whether its network changed. */
export class HostWatch {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The last check: both clocks, and the network addresses (if offline). */
  #wall: number;
  #monotonic: number;
  #addresses: string | undefined;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
  }

  /**
   * @param intervalMs the time after the last check at which this one was due (ms)
   * @param offline compares the network's addresses too
   */
  check(
    intervalMs: number,
    offline: boolean,
  ): { readonly slept: boolean; readonly networkChanged: boolean } {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    // Some systems stop the monotonic clock during sleep; the wall clock may be set.
    const passedMs = Math.max(Math.abs(wall - this.#wall), monotonic - this.#monotonic);
    const before = this.#addresses;
    this.#addresses = offline ? addressesNow() : undefined;
    this.#wall = wall;
    this.#monotonic = monotonic;
    return {
      slept: passedMs > intervalMs + SLEPT_MS,
      networkChanged: offline && before !== undefined && before !== this.#addresses,
    };
  }
}

/** Returns a text that changes when a network connects or disconnects. */
function addressesNow(): string {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .sort()
    .join(' ');
}
