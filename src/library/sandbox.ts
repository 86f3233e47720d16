/// <reference lib="esnext.disposable" preserve="true" />
import { resolve } from 'node:path';
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
import { dateAt } from '../records/days/local-date.ts';
import { startWithZoneData } from '../records/days/zone.ts';
import { shippedZoneData } from '../records/days/zones/shipped.ts';
import { ApiProblem } from '../sandbox/http/problem.ts';
import { messageOf, systemCode } from '../base/errors.ts';
import { lockSandboxFolder } from '../app/sandbox-folder.ts';
import type { Lock } from '../system/process-lock.ts';
import { checkZone } from '../base/zone-name.ts';
import { type SynthesizeOptions, synthesize } from '../seed/synthesize.ts';
import { refuseOptions } from './check-options.ts';
import { SyncError } from './errors.ts';
import { publicError } from './public-error.ts';
import type { RecordingBytes, Tokens } from './types.ts';

export type { NutritionRecord, RecordingBytes, WellnessRecord };
export type { SandboxFood, SandboxAthlete, SandboxDay, SandboxProfile, SandboxRequest };

/** What the sandbox does differently from its defaults: docs/sandbox.md. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** A folder for the data. Default: memory. */
  readonly data?: string | undefined;
  /** The kind of platform: Coach Watts as deployed (the default), or the interface as documented. */
  readonly platform?: 'coach-watts' | 'interface' | undefined;
  /** Approves logins without the consent page. */
  readonly autoApprove?: boolean | undefined;
  /** Redirect URIs of your application: `http://localhost:3000/auth/callback`. Those of `sync` stay. */
  readonly redirectUris?: readonly string[] | undefined;
  /** The athletes that can log in; what one lacks has a default. Default: three. */
  readonly athletes?: readonly (Pick<SandboxProfile, 'id'> & Partial<SandboxProfile>)[] | undefined;
  /** The clock of the platform (ms since 1970). Default: that of this machine. */
  readonly now?: (() => number) | undefined;
  /** Faults, as in `sync sandbox --fault`: `upload-fit:503*2`. */
  readonly faults?: readonly string[] | undefined;
  /** Further settings, as `GET /_sandbox/settings` shows them. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** The emulated platform on 127.0.0.1. */
export interface Sandbox extends AsyncDisposable {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The registered OAuth clients; the first one is public. */
  readonly clients: readonly [SandboxClient, ...SandboxClient[]];
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
export interface SandboxControl extends Omit<Control, 'state'> {
  /** Returns everything that the platform holds, of one athlete or of all. */
  state(athlete?: string): {
    readonly athletes: readonly [SandboxAthlete, ...SandboxAthlete[]];
  };
  /** Issues tokens as a login does, without a browser. */
  tokens(
    options?: SandboxLogin,
  ): Tokens & { readonly accessToken: string; readonly expiresAt: number };
}

export interface SandboxLogin {
  /** Default: the first athlete. */
  readonly athlete?: string | undefined;
  /** Default: all. */
  readonly scopes?: readonly string[] | undefined;
  /** Lifetime of the access token (s). */
  readonly accessTtl?: number | undefined;
}

/**
 * Starts the emulated platform in this process.
 *
 * @throws SyncError `USAGE` for an unknown option, fault or setting; `PORT_IN_USE`; `BUSY` if another sandbox uses the
 *   data folder; `STORAGE`
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, data, platform, autoApprove, faults, settings, ...rest } = options;
  const { redirectUris, athletes, now = Date.now, ...other } = rest;
  let lock: Lock | undefined;
  try {
    refuseOptions('startSandbox', other);
    // An empty path would be the working directory.
    if (data === '') throw new SyncError('USAGE', 'startSandbox: data is empty.');
    const folder = data === undefined ? undefined : resolve(data);
    lock = folder === undefined ? undefined : lockSandboxFolder(folder, 'data');
    const server = await startServer({
      port,
      data: folder,
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
      settings: { platform, autoApprove, ...settings },
    });
    const close = () => server.close().finally(() => lock?.release());
    return {
      url: server.url,
      port: server.port,
      clients: server.clients.map(({ id, secret, redirectUris }) => ({
        ...{ id, secret, redirectUris },
      })) as [SandboxClient, ...SandboxClient[]],
      control: controlOf(server, now),
      requests: () => server.control.requests(),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    lock?.release();
    throw sandboxError(error);
  }
}

function controlOf({ control }: Server, now: () => number): SandboxControl {
  const guarded = Object.entries(control).map(([name, operation]) => [
    name,
    (...given: unknown[]): unknown => {
      const fail = (error: unknown): never => {
        throw sandboxError(error);
      };
      try {
        const result = (operation as (...given: unknown[]) => unknown)(...given);
        return result instanceof Promise ? result.catch(fail) : result;
      } catch (error) {
        return fail(error);
      }
    },
  ]);
  const all = Object.fromEntries(guarded) as SandboxControl;
  return {
    ...all,
    tokens(options = {}) {
      const answer = all.mint(options as MintRequest);
      return {
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
        expiresAt: now() + answer.expires_in * 1000,
      };
    },
  };
}

/** Returns the error of the package for what the sandbox refuses. */
function sandboxError(error: unknown): unknown {
  if (error instanceof ApiProblem) return new SyncError('USAGE', error.message, { cause: error });
  const isTaken = systemCode(error) === 'EADDRINUSE';
  return isTaken
    ? new SyncError('PORT_IN_USE', messageOf(error), { cause: error })
    : publicError(error);
}

export interface SeedOptions {
  /** How many days, up to `until`. Default: 30. */
  readonly days?: number | undefined;
  /** Which athlete: the same number gives the same data. Default: 1. */
  readonly seed?: number | undefined;
  /** The last day: `YYYY-MM-DD`. Default: today. */
  readonly until?: string | undefined;
  /** The athlete's zone. Default: that of this machine. */
  readonly timezone?: string | undefined;
  /** The clock (ms since 1970). Default: that of this machine. */
  readonly now?: (() => number) | undefined;
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
 * @throws SyncError for options that cannot be used, with the first day
 */
export function* seed(options: SeedOptions = {}): Generator<SeedDay, void, undefined> {
  const { days = 30, seed: number = 1, now: clock = Date.now, timezone, until, ...other } = options;
  refuseOptions('seed', other);
  const zone = timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  startWithZoneData(shippedZoneData);
  for (const day of synthesized({ days, seed: number, until, zone, now: clock() })) {
    const { date, recordings, wellness, nutrition } = day;
    yield {
      date,
      recordings: recordings.map(({ fileName, bytes }) => ({ path: fileName, bytes })),
      wellness,
      nutrition: nutrition ?? { date, items: [] },
    };
  }
}

function synthesized({
  until,
  ...options
}: Pick<SynthesizeOptions, 'days' | 'seed' | 'zone'> & { until: string | undefined; now: number }) {
  try {
    const zone = { name: checkZone(options.zone), from: 'profile' } as const;
    return synthesize({ ...options, until: until ?? dateAt(options.now, zone) });
  } catch (error) {
    throw publicError(error);
  }
}
