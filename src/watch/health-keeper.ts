import { systemCode } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { BreakerState } from './circuit-breaker.ts';
import { type WatchHealth, removeHealth, writeHealth } from './health.ts';
import type { Watcher } from './watcher.ts';

/** Written at most this often, in ms. */
const WRITE_EVERY_MS = 1_000;

export interface HealthKeeperNeeds {
  readonly stateDir: string;
  readonly clock: Clock;
}

/** Facts that a watcher does not know by itself. */
export type HealthFacts = Partial<
  Pick<WatchHealth, 'account' | 'lastHeartbeatAt' | 'lastError' | 'lastSuccessAt'>
> & { refreshEndsAt?: string | undefined };

/** Keeps the health file up to date: at once for what matters, otherwise now and then. */
export class HealthKeeper {
  #facts: HealthFacts = {};
  /** Of the monotonic clock, in ms. */
  #written = -Infinity;
  #health: WatchHealth;
  #stale = true;
  #begun = false;
  readonly #needs: HealthKeeperNeeds;

  constructor(
    start: Pick<WatchHealth, 'id' | 'pid' | 'profile'>,
    folders: readonly string[],
    needs: HealthKeeperNeeds,
  ) {
    const now = isoTime(needs.clock.now());
    this.#needs = needs;
    this.#health = {
      version: 1,
      ...start,
      running: true,
      since: now,
      updatedAt: now,
      folders: folders.map((path) => ({ path, state: 'waiting' })),
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
    };
  }

  get health(): WatchHealth {
    return this.#health;
  }

  note(facts: HealthFacts): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#stale = true;
  }

  /** Takes over how the watcher is doing; written when it is time. */
  update(watcher: Watcher, kept: number): void {
    const { folders, waiting, sending, unfinished, lastSuccessAt, lastSweepAt } = watcher.picture;
    this.#begun = true;
    this.#health = {
      ...this.#health,
      folders,
      queue: { waiting, sending, kept, unfinished },
      ...(lastSuccessAt === undefined ? {} : { lastSuccessAt: isoTime(lastSuccessAt) }),
      ...(lastSweepAt === undefined ? {} : { lastSweepAt: isoTime(lastSweepAt) }),
    };
    this.#breaker(watcher.breaker.state);
  }

  /** Takes over whether anything can be delivered. */
  #breaker(breaker: BreakerState): void {
    const { refreshEndsAt, ...facts } = this.#facts;
    const { clock } = this.#needs;
    const onTheWall = (at: number) => isoTime(clock.now() + Math.max(0, at - clock.monotonic()));
    const message = breaker.state === 'login-needed' ? breaker.failure.message : undefined;
    this.#health = {
      ...this.#health,
      ...facts,
      connection:
        breaker.state === 'open'
          ? {
              state: breaker.obstacle,
              message: breaker.failure.message,
              nextTryAt: onTheWall(breaker.until),
            }
          : { state: 'ok' },
      login: {
        state: message === undefined ? 'ok' : 'needed',
        ...(message === undefined ? {} : { message }),
        ...(refreshEndsAt === undefined ? {} : { refreshEndsAt }),
      },
    };
    this.#stale = true;
  }

  /** Writes what is new, unless that was done a moment ago, or the disk refuses: then later. */
  write(force: boolean): void {
    const { clock } = this.#needs;
    const now = clock.monotonic();
    if (!this.#stale || (!force && now - this.#written < WRITE_EVERY_MS)) return;
    this.#written = now;
    this.#health = { ...this.#health, updatedAt: isoTime(clock.now()) };
    try {
      writeHealth(this.#needs.stateDir, this.#health);
      this.#stale = false;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  /** The end, in good order. Of one that never began, nothing stays. */
  stopped(): void {
    if (!this.#begun) {
      removeHealth(this.#needs.stateDir, this.#health.id);
      return;
    }
    this.#health = { ...this.#health, running: false };
    this.#stale = true;
    this.write(true);
  }
}

/** @param ms since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
