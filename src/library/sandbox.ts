/// <reference lib="esnext.disposable" preserve="true" />
import type { NutritionRecord, WellnessRecord } from '../../scripts/json-schema/records.ts';
import { VERSION } from '../base/version.ts';
import { type SandboxServer as Server, startSandbox as startServer } from '../sandbox/server.ts';
import { DEFAULT_ATHLETES } from '../sandbox/resources/athletes.ts';
import { synthesize } from '../seed/synthesize.ts';
import type { RecordingBytes, Tokens } from './types.ts';

export type { NutritionRecord, RecordingBytes, WellnessRecord };

/** What the sandbox does differently from its defaults: docs/sandbox.md. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** A folder for the data. Default: memory. */
  readonly data?: string;
  /** The deployed revision to emulate. Default: the newest. */
  readonly revision?: '2026-08' | '2026-07' | '2026-02';
  /** Approves logins without the consent page. */
  readonly autoApprove?: boolean;
  /** Redirect URIs of your application: `http://localhost:3000/auth/callback`. Those of `sync` stay. */
  readonly redirectUris?: readonly string[];
  /** The athletes that can log in; what one lacks has a default. Default: three. */
  readonly athletes?: readonly (Pick<SandboxProfile, 'id'> & Partial<SandboxProfile>)[];
  /** The clock of the platform (ms since 1970). Default: that of this machine. */
  readonly now?: () => number;
  /** Faults, as in `sync sandbox --fault`: `upload-fit:503*2`. */
  readonly faults?: readonly string[];
  /** Further settings, as `GET /_sandbox/settings` shows them. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The emulated platform on 127.0.0.1. */
export interface Sandbox extends AsyncDisposable {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The registered OAuth clients; the first one is public. */
  readonly clients: readonly SandboxClient[];
  readonly control: SandboxControl;
  /** The requests so far, oldest first, without those to the control routes. */
  requests(): readonly SandboxRequest[];
  /** Ends open requests. May be called twice. */
  close(): Promise<void>;
}

export interface SandboxClient {
  readonly id: string;
  /** null: a public client. */
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
}

export interface SandboxControl {
  /** Returns everything that the platform holds, of one athlete or of all. */
  state(athleteId?: string): { readonly athletes: readonly SandboxAthlete[] };
  /** Deletes recordings, wellness and nutrition. */
  clearState(): void;
  /** Returns the bytes of a recording that arrived, or null. */
  recordingBytes(sha256: string): Uint8Array | null;
  /** Makes workouts of the recordings that wait for processing. */
  process(): Promise<void>;
  /** Issues tokens as a login does, without a browser. */
  tokens(
    options?: SandboxLogin,
  ): Tokens & { readonly accessToken: string; readonly expiresAt: number };
  /** Adds an item to a day as the athlete does in the app. @throws Error for an unknown athlete or meal */
  addFood(food: SandboxFood): { readonly id: string };
  /** Changes fields of an item as the athlete does; null removes it. @throws Error for an unknown ID */
  editFood(id: string, changes: Readonly<Record<string, unknown>> | null): void;
  /** Ends the access or refresh tokens now. Returns how many were valid. */
  expire(kind?: 'access' | 'refresh'): number;
  /** Changes the given settings, and returns all settings. @throws Error if a name is unknown */
  settings(change?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Revokes all logins, as an athlete does who removes the application. Returns how many there were. */
  revoke(): number;
  /** Lets requests fail: `upload-fit:503*2`. @throws Error for a fault that it does not know */
  addFaults(...specs: readonly string[]): void;
  clearFaults(): void;
  clearRequests(): void;
}

export interface SandboxFood {
  /** Default: the first athlete. */
  readonly athlete?: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly meal: 'breakfast' | 'lunch' | 'dinner' | 'snacks';
  /** Default: `manual`. */
  readonly source?: string;
  /** Members as the platform stores them; `logged_at` in ISO 8601. */
  readonly item: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly logged_at: string;
  };
}

export interface SandboxLogin {
  /** Default: the first athlete. */
  readonly athlete?: string;
  /** Default: all. */
  readonly scopes?: readonly string[];
  /** Lifetime of the access token (s). */
  readonly accessTtl?: number;
}

/** The data of one athlete. Wellness and nutrition have the members that the platform stores. */
export interface SandboxAthlete {
  readonly athlete: string;
  readonly profile: SandboxProfile;
  readonly recordings: readonly {
    readonly sha256: string;
    /** bytes */
    readonly size: number;
    readonly fileName: string;
    readonly name: string | null;
    readonly metadata: Readonly<Record<string, unknown>> | null;
    /** How often it arrived. */
    readonly receivedCount: number;
    /** `queued`: not processed yet; `none`: it became no workout. */
    readonly processing: 'queued' | 'workout' | 'none';
  }[];
  readonly wellness: readonly SandboxDay[];
  readonly nutrition: readonly SandboxDay[];
}

export interface SandboxProfile {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** `Europe/Stockholm` */
  readonly timezone: string;
  /** kg */
  readonly weight: number;
  /** What the athlete reads, and the unit of a weight without one. */
  readonly weightUnits: 'Kilograms' | 'Pounds';
  /** W */
  readonly ftp: number;
  /** bpm */
  readonly maxHr: number;
  /** bpm */
  readonly lthr: number;
}

export interface SandboxDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Requests that the platform took for the day. */
  readonly receivedCount: number;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface SandboxRequest {
  /** 1 for the first one. */
  readonly ordinal: number;
  /** ISO 8601 */
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Name of the endpoint, as in a fault: `upload-fit`; null: unknown. */
  readonly route: string | null;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. Secrets are fingerprints. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body (bytes). */
  readonly size: number;
  /** The parts of a multipart body, without the bytes of files. */
  readonly parts?: readonly {
    readonly name: string;
    /** null: the part is a text. */
    readonly fileName: string | null;
    readonly contentType: string | null;
    /** bytes */
    readonly size: number;
    readonly sha256: string;
    readonly text?: string;
  }[];
  /** Whose token it had; null: none. */
  readonly athlete: string | null;
  /** null: the answer was not sent. */
  readonly status: number | null;
  /** JSON, or a form as an object. Secrets are fingerprints. */
  readonly body?: unknown;
  /** The faults that it met. */
  readonly faults: readonly string[];
}

/**
 * Starts the emulated platform in this process.
 *
 * @throws Error for a port in use, or an unknown fault or setting
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, data, revision, autoApprove, faults, settings, ...world } = options;
  const { redirectUris, athletes, now = Date.now } = world;
  const server = await startServer({
    ...{ port, data, redirectUris, now, faults, version: VERSION },
    athletes: athletes?.map((given) => ({
      ...DEFAULT_ATHLETES[0],
      ...{ name: given.id, email: `${given.id}@sandbox.example`, ...given },
    })),
    settings: {
      ...settings,
      ...(revision === undefined ? {} : { revision }),
      ...(autoApprove === undefined ? {} : { autoApprove }),
    },
  });
  return {
    url: server.url,
    port: server.port,
    clients: server.clients.map(({ id, secret, redirectUris }) => ({ id, secret, redirectUris })),
    control: controlOf(server, now),
    requests: () => server.control.requests(),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function controlOf({ control }: Server, now: () => number): SandboxControl {
  return {
    state: (athleteId) => control.state(athleteId),
    clearState: () => control.clearState(),
    recordingBytes: (sha256) => control.recordingBytes(sha256),
    process: () => control.process(),
    tokens({ athlete, scopes, accessTtl } = {}) {
      const answer = control.mint({
        athlete,
        accessTtl,
        ...(scopes === undefined ? {} : { scopes: [...scopes] as MintScopes }),
      });
      return {
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
        expiresAt: now() + answer.expires_in * 1000,
      };
    },
    addFood: (food) => ({ id: control.addFood(food).id }),
    editFood: (id, changes) => control.editFood(id, changes),
    expire: (kind = 'access') => control.expire({ kind }),
    settings: (change = {}) => control.set(change),
    revoke: () => control.revoke(),
    addFaults: (...specs) => control.addFaults(...specs),
    clearFaults: () => control.clearFaults(),
    clearRequests: () => control.clearRequests(),
  };
}

/** The sandbox checks them, and names those that it does not know. */
type MintScopes = NonNullable<NonNullable<Parameters<Server['control']['mint']>[0]>['scopes']>;

export interface SeedOptions {
  /** How many days, up to `until`. Default: 30. */
  readonly days?: number;
  /** Which athlete: the same number gives the same data. Default: 1. */
  readonly seed?: number;
  /** The last day: `YYYY-MM-DD`. Default: today. */
  readonly until?: string;
  /** The athlete's zone. Default: that of this machine. */
  readonly timezone?: string;
}

/** A day of a synthetic athlete, in the form that a client takes. */
export interface SeedDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly recordings: readonly RecordingBytes[];
  readonly wellness: WellnessRecord;
  readonly nutrition: NutritionRecord;
}

/**
 * Makes the data of a synthetic athlete, day by day, as `sync seed` does. Workouts that end later than now are
 * left out.
 *
 * @throws Error for options that cannot be used
 */
export function* seed(options: SeedOptions = {}): Generator<SeedDay, void, undefined> {
  const { timezone: zone = new Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  const now = Date.now();
  // Sweden writes dates as in ISO 8601.
  const { until = new Date(now).toLocaleDateString('sv', { timeZone: zone }) } = options;
  const { days = 30, seed: number = 1 } = options;
  for (const day of synthesize({ days, seed: number, until, zone, now })) {
    const { date, recordings, wellness, nutrition } = day;
    yield {
      date,
      recordings: recordings.map(({ fileName, bytes }) => ({ path: fileName, bytes })),
      wellness: { date, ...wellness },
      nutrition: { date, ...nutrition },
    };
  }
}
