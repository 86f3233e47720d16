import { networkInterfaces } from 'node:os';
import type { Clock } from '../base/time.ts';

/** A check that is late by more than this means that the machine slept (ms). */
const SLEPT_MS = 30_000;

/** Returns a check whether the machine slept, and whether its network changed, since the last check. */
export function hostWatch(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let last = { wall: clock.now(), monotonic: clock.monotonic() };
  let addresses: string | undefined;
  /**
   * @param intervalMs the time after the last check at which this one was due (ms)
   * @param offline compares the network's addresses too
   */
  return (intervalMs: number, offline: boolean) => {
    const now = { wall: clock.now(), monotonic: clock.monotonic() };
    // Some systems stop the monotonic clock during sleep; the wall clock may be set.
    const passedMs = Math.max(Math.abs(now.wall - last.wall), now.monotonic - last.monotonic);
    const before = addresses;
    addresses = offline ? addressesNow() : undefined;
    last = now;
    return {
      slept: passedMs > intervalMs + SLEPT_MS,
      networkChanged: offline && before !== undefined && before !== addresses,
    };
  };
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
