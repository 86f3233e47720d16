import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Athletes, DEFAULT_ATHLETES } from './resources/athletes.ts';
import type { PendingLogin } from './oauth/authorization-request.ts';
import { type RegisteredClient, defaultClients } from './oauth/clients.ts';
import { DailyRecords } from './resources/daily-records.ts';
import { FaultScript } from './faults/script.ts';
import { Grants } from './oauth/grants.ts';
import { Recordings } from './resources/recordings.ts';
import { RequestLog } from './http/request-log.ts';
import { Settings, type SettingsPatch } from './settings.ts';
import { Store } from './store.ts';
import type { AthleteProfile, RequestRecord } from './types.ts';

export interface WorldOptions {
  /** Folder of the data; undefined: in memory. */
  readonly data?: string | undefined;
  readonly athletes?: readonly AthleteProfile[] | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly settings?: SettingsPatch | undefined;
  readonly faults?: readonly string[] | undefined;
  /** ms since 1970-01-01T00:00:00Z */
  readonly now?: (() => number) | undefined;
  /** Called after each answer, and when a fault ended a request without one. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
  /** Version of the program, for `GET /`. */
  readonly version?: string | undefined;
}

/** The state and services behind a sandbox's endpoints. */
export type World = ReturnType<typeof createWorld>;

/** @throws SettingError, FaultSpecError; the error of reading the data */
export function createWorld(options: WorldOptions = {}) {
  const closing = new AbortController();
  // Every delayed answer adds a listener: a large number is not a leak.
  setMaxListeners(0, closing.signal);
  const now = options.now ?? Date.now;
  const athleteList = options.athletes ?? DEFAULT_ATHLETES;
  const settings = new Settings(
    options.settings ?? {},
    athleteList.map((athlete) => athlete.id),
  );
  const faults = new FaultScript(options.faults);
  const store = new Store(options.data);
  return {
    now,
    store,
    settings,
    clients: defaultClients(options.redirectUris),
    /** Registered clients (RFC 7591), by ID. */
    registered: store.table<RegisteredClient>('clients'),
    /** The registrations of the last hour (ms since the epoch). */
    registeredAt: [] as readonly number[],
    /** By the ID in the form of their consent page. */
    pendingLogins: new Map<string, PendingLogin>(),
    athletes: new Athletes(store, athleteList),
    grants: new Grants(store, now),
    recordings: new Recordings(store, now),
    daily: new DailyRecords(store, now),
    faults,
    requests: new RequestLog(),
    /** Differs for each start. */
    run: randomUUID(),
    onRequest: options.onRequest ?? (() => undefined),
    version: options.version ?? null,
    /** Aborted when the sandbox closes, to end delays and hanging answers. */
    closing,
  };
}
