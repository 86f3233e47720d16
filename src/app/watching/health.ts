import type { Clock } from '../../base/time.ts';
import type { Registration } from '../../daemon/registration.ts';
import type { WatcherHealth } from '../../daemon/health.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import type { BreakerState } from '../../watch/send/circuit-breaker.ts';
import type { Watcher } from '../../watch/watcher.ts';

/** Facts that the watcher itself does not know. */
export type HealthFacts = Partial<
  Pick<WatcherHealth, 'account' | 'ledger' | 'lastError'> &
    Pick<WatcherHealth['login'], 'refreshEndsAt'>
>;

/** Composes the health of a watcher, across all its logins, for the registry. */
export class HealthReporter {
  readonly #registration: Registration;
  readonly #clock: Clock;
  #facts: HealthFacts = {};
  #health: Omit<WatcherHealth, 'updatedAt'>;
  #incomplete = 0;

  constructor(registration: Registration, { folders, devices }: WatchScope, clock: Clock) {
    this.#registration = registration;
    this.#clock = clock;
    this.#health = {
      folders: folders.map((path) => ({ path, state: 'waiting' })),
      ...(devices === true ? { devices: registration.earlierAway } : {}),
      queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
      connection: { state: 'ok' },
      login: { state: 'ok' },
    };
  }

  get waiting(): number {
    return this.#health.queue.waiting;
  }

  /** Recordings of which a part is missing. */
  get incomplete(): number {
    return this.#incomplete;
  }

  note(facts: HealthFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /**
   * Takes over the watcher's state.
   *
   * @param kept recordings in the outbox
   * @param force writes it at once, instead of once a second at most
   */
  update(watcher: Watcher, kept: number, force: boolean): void {
    const { snapshot } = watcher;
    const { folders, devices, waiting, sending, unfinished, days } = snapshot;
    const { lastSuccessAt, lastRescanAt } = snapshot;
    this.#incomplete = unfinished;
    const { refreshEndsAt, ...facts } = this.#facts;
    this.#health = {
      ...this.#health,
      ...facts,
      folders,
      ...(devices === undefined ? {} : { devices }),
      queue: { waiting, sending, kept, unfinished },
      ...(days === undefined ? {} : { days }),
      connection: this.#connection(watcher.breaker.state),
      login: { ...loginOf(watcher.breaker.state), refreshEndsAt },
      ...(lastSuccessAt === undefined ? {} : { lastSuccessAt: isoTime(lastSuccessAt) }),
      ...(lastRescanAt === undefined ? {} : { lastSweepAt: isoTime(lastRescanAt) }),
    };
    this.#registration.setHealth(this.#health);
    this.#registration.writeHealth(force);
  }

  #connection(breaker: BreakerState): WatcherHealth['connection'] {
    if (breaker.state !== 'open') return { state: 'ok' };
    const { obstacle, failure, until } = breaker;
    const waitMs = Math.max(0, until - this.#clock.monotonic());
    const nextTryAt = isoTime(this.#clock.now() + waitMs);
    return { state: obstacle, message: failure.message, nextTryAt };
  }
}

function loginOf(breaker: BreakerState): WatcherHealth['login'] {
  if (breaker.state !== 'login-needed') return { state: 'ok' };
  return { state: 'needed', message: breaker.failure.message };
}

/** @param ms since the epoch */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
