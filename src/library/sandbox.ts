/// <reference lib="esnext.disposable" preserve="true" />
import type { NutritionRecord, WellnessRecord } from '../../scripts/json-schema/records.ts';
import { VERSION } from '../base/version.ts';
import { type SandboxServer as Server, startSandbox as startServer } from '../sandbox/server.ts';
import { DEFAULT_ATHLETES } from '../sandbox/resources/athletes.ts';
import type {
  AthleteProfile as SandboxProfile,
  AthleteState as SandboxAthlete,
  Control,
  DailyState as SandboxDay,
  FoodRequest as SandboxFood,
  MintRequest,
  RequestRecord as SandboxRequest,
} from '../sandbox/types.ts';
import { startWithZoneData } from '../records/days/zone.ts';
import { shippedZoneData } from '../records/days/zones/shipped.ts';
import { synthesize } from '../seed/synthesize.ts';
import type { RecordingBytes, Tokens } from './types.ts';

export type { NutritionRecord, RecordingBytes, WellnessRecord };
export type { SandboxFood, SandboxAthlete, SandboxDay, SandboxProfile, SandboxRequest };

/** What the sandbox does differently from its defaults: docs/sandbox.md. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** A folder for the data. Default: memory. */
  readonly data?: string;
  /** The kind of platform: Coach Watts as deployed (the default), or the interface as documented. */
  readonly platform?: 'coach-watts' | 'interface';
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

/** The control endpoints of the platform, and tokens as a client takes them. */
export interface SandboxControl extends Control {
  /** Issues tokens as a login does, without a browser. */
  tokens(
    options?: SandboxLogin,
  ): Tokens & { readonly accessToken: string; readonly expiresAt: number };
}

export interface SandboxLogin {
  /** Default: the first athlete. */
  readonly athlete?: string;
  /** Default: all. */
  readonly scopes?: readonly string[];
  /** Lifetime of the access token (s). */
  readonly accessTtl?: number;
}

/**
 * Starts the emulated platform in this process.
 *
 * @throws Error for a port in use, or an unknown fault or setting
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, data, platform, autoApprove, faults, settings, ...world } = options;
  const { redirectUris, athletes, now = Date.now } = world;
  const server = await startServer({
    port,
    data,
    redirectUris,
    now,
    faults,
    version: VERSION,
    athletes: athletes?.map((given) => ({
      ...DEFAULT_ATHLETES[0],
      name: given.id,
      email: `${given.id}@sandbox.example`,
      ...given,
    })),
    settings: {
      ...settings,
      ...(platform === undefined ? {} : { platform }),
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
    ...control,
    tokens(options = {}) {
      const answer = control.mint(options as MintRequest);
      return {
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
        expiresAt: now() + answer.expires_in * 1000,
      };
    },
  };
}

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
 * Makes the data of a synthetic athlete, day by day, as `sync seed` does. Anything later than now is
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
  startWithZoneData(shippedZoneData);
  for (const day of synthesize({ days, seed: number, until, zone, now })) {
    const { date, recordings, wellness, nutrition } = day;
    yield {
      date,
      recordings: recordings.map(({ fileName, bytes }) => ({ path: fileName, bytes })),
      wellness,
      nutrition: nutrition ?? { date, items: [] },
    };
  }
}
