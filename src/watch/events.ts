import { within } from '../base/tasks.ts';
import type { Clock } from '../base/time.ts';

/** Everything that can wake the watcher. */
export type WatchEvent =
  | { readonly [Type in Signal | TimerEvent]: { readonly type: Type } }[Signal | TimerEvent]
  /** A probe or, on a removable file system, a rescan of a folder ended. */
  | {
      readonly type: 'folder-probed';
      readonly folder: { readonly path: string };
      readonly observation: Observation;
    }
  /** A round of rescans ended. `complete`: without an error. */
  | { readonly type: 'rescanned'; readonly files: number; readonly complete: boolean };

/** What a probe of a folder found: which folder it is, or why it is missing, if the system says so. */
export type Observation =
  | { readonly identity: string }
  /** `isSilent`: its file system does not answer. */
  | { readonly missing: string | undefined; readonly isSilent?: true };

/** An event that carries nothing: the part that posts it keeps what it found. */
type Signal =
  /** The file system reported changed paths. */
  | 'files-changed'
  /** A device was plugged in, or left. */
  | 'devices-found'
  /** The folders of a device are watched from now on. */
  | 'device-plugged'
  /** A file was found, a recording copied or sent, or the breaker changed: there may be something to read or send. */
  | 'sender-work'
  /** The watcher is to stop, or to make room for another one. */
  | 'stop-requested';

export type TimerEvent =
  | 'check-due'
  | 'keep-alive-due'
  | 'rescan-due'
  | 'incomplete-due'
  /** Retry after an outage, or after recordings could not be copied. */
  | 'sender-due'
  | 'verify-due'
  | 'days-due';

/** Interval of checks while a folder or the service is missing, or days wait for recordings (ms). */
export const CHECK_MS = 2_000;

/** Longest sleep (ms); the queue then computes its next timer again. */
const LONGEST_MS = 3_600_000;

/** The watcher's queue of events, with one timer of each kind. */
export class EventQueue {
  readonly #clock: Clock;
  readonly #events: WatchEvent[] = [];
  /** When each timer is due (ms of the monotonic clock). */
  readonly #timers = new Map<TimerEvent, number>();
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds an event. A signal is not added twice. */
  post(event: WatchEvent): void {
    const isSignal = Object.keys(event).length === 1;
    if (isSignal && this.#events.some(({ type }) => type === event.type)) return;
    this.#events.push(event);
    this.#wake?.();
  }

  /** Sets a timer in place of an earlier one of its kind. @param ms Infinity: no timer */
  setTimer(type: TimerEvent, ms: number): void {
    if (ms === Infinity) this.#timers.delete(type);
    else this.#timers.set(type, this.#clock.monotonic() + ms);
    this.#wake?.();
  }

  /** Removes and returns the next event, once there is one; timers that are due come first. */
  async next(): Promise<WatchEvent> {
    for (;;) {
      const timer = this.#nextTimer();
      const inMs = timer === undefined ? Infinity : timer.at - this.#clock.monotonic();
      if (timer !== undefined && inMs <= 0) {
        this.#timers.delete(timer.type);
        return { type: timer.type };
      }
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await this.#sleep(Math.min(inMs, LONGEST_MS));
    }
  }

  drain(): WatchEvent[] {
    return this.#events.splice(0);
  }

  #nextTimer(): { readonly type: TimerEvent; readonly at: number } | undefined {
    let next: { readonly type: TimerEvent; readonly at: number } | undefined;
    for (const [type, at] of this.#timers) {
      if (next === undefined || at < next.at) next = { type, at };
    }
    return next;
  }

  /** Resolves after `ms`, or when an event is posted. */
  async #sleep(ms: number): Promise<void> {
    await within(this.#clock, ms, new Promise<void>((resolve) => (this.#wake = resolve)));
    this.#wake = undefined;
  }
}
