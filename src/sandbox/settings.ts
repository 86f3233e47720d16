import * as v from 'valibot';
import { SCOPES, type Scope } from './scopes.ts';

/** Where deployed services differ, or what a test wants to meet. All can change at run time. */
export interface SandboxSettings {
  /** Answer the authorize endpoint by a redirect at once, without the consent page. */
  readonly autoApprove: boolean;
  /** Whose account is granted then; null: the first athlete. */
  readonly autoApproveAthlete: string | null;
  /** Grant at most these scopes, whatever is asked and approved; null: no such limit. */
  readonly grantScopes: readonly Scope[] | null;
  /**
   * Compare redirect URIs as strings, which is what deployed services do. Otherwise loopback ports
   * are free (RFC 8252 section 7.3).
   */
  readonly exactRedirectUris: boolean;
  /** Lifetime of an authorization code, seconds. */
  readonly codeTtl: number;
  /** Lifetime of an access token, seconds. */
  readonly accessTtl: number;
  /** Lifetime of a refresh token, seconds; null: it never ends. */
  readonly refreshTtl: number | null;
  /** Whether token answers carry `refresh_token_expires_in`. */
  readonly announceRefreshTtl: boolean;
  /**
   * What a refresh answers: `rotate`, a new refresh token, and the old one ends at once; `keep`, the
   * same again; `omit`, none, and the stored one stays valid.
   */
  readonly refreshToken: 'rotate' | 'keep' | 'omit';
  /** Whether use of a rotated refresh token revokes all tokens of that login. */
  readonly reuseRevokesFamily: boolean;
  /** `replace` is the contract; one deployed revision appends the items it is sent. */
  readonly nutrition: 'replace' | 'append';
  /** Whether upload answers list each file under `items`; older revisions do not. */
  readonly uploadItems: boolean;
  /** Uploads, wellness and nutrition are answered 200 with `success: false`; nothing is stored. */
  readonly successFalse: boolean;
  /** Requests a minute for a token; null: no limit. */
  readonly rateLimit: number | null;
  /** Requests without a token a minute for an address; null: no limit. */
  readonly addressRateLimit: number | null;
  /** Ids of athletes whose account is deactivated: 403 on every request with their tokens. */
  readonly deactivated: readonly string[];
  /** Keep hash, size, name and metadata of an upload, but not its bytes (for benchmarks). */
  readonly discardBytes: boolean;
}

export const DEFAULT_SETTINGS: SandboxSettings = {
  autoApprove: false,
  autoApproveAthlete: null,
  grantScopes: null,
  exactRedirectUris: true,
  codeTtl: 600,
  accessTtl: 3600,
  refreshTtl: 30 * 24 * 3600,
  announceRefreshTtl: true,
  refreshToken: 'rotate',
  reuseRevokesFamily: true,
  nutrition: 'replace',
  uploadItems: true,
  successFalse: false,
  rateLimit: null,
  addressRateLimit: null,
  deactivated: [],
  discardBytes: false,
};

const seconds = v.pipe(v.number(), v.integer(), v.minValue(0));

const perMinute = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)));

const patchSchema = v.partial(
  v.strictObject({
    autoApprove: v.boolean(),
    autoApproveAthlete: v.nullable(v.string()),
    grantScopes: v.nullable(v.array(v.picklist(SCOPES))),
    exactRedirectUris: v.boolean(),
    codeTtl: seconds,
    accessTtl: seconds,
    refreshTtl: v.nullable(seconds),
    announceRefreshTtl: v.boolean(),
    refreshToken: v.picklist(['rotate', 'keep', 'omit']),
    reuseRevokesFamily: v.boolean(),
    nutrition: v.picklist(['replace', 'append']),
    uploadItems: v.boolean(),
    successFalse: v.boolean(),
    rateLimit: perMinute,
    addressRateLimit: perMinute,
    deactivated: v.array(v.string()),
    discardBytes: v.boolean(),
  }),
);

/** A setting that does not exist, or a value it cannot take. The message names both. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The settings in force, and the one place that changes them. */
export class Settings {
  #current: SandboxSettings;
  readonly #athleteIds: ReadonlySet<string>;

  /** @throws SettingError */
  constructor(initial: Partial<SandboxSettings>, athleteIds: Iterable<string>) {
    this.#current = DEFAULT_SETTINGS;
    this.#athleteIds = new Set(athleteIds);
    this.change(initial);
  }

  get current(): SandboxSettings {
    return this.#current;
  }

  /** @throws SettingError, and then nothing has changed */
  change(patch: unknown): SandboxSettings {
    const parsed = v.safeParse(patchSchema, patch);
    if (!parsed.success) {
      throw new SettingError(parsed.issues.map(describeIssue).join('; '));
    }
    const ids = [parsed.output.autoApproveAthlete, ...(parsed.output.deactivated ?? [])];
    for (const id of ids) {
      if (typeof id === 'string' && !this.#athleteIds.has(id)) {
        throw new SettingError(`no athlete "${id}": ${[...this.#athleteIds].join(', ')}`);
      }
    }
    const given = Object.entries(parsed.output).filter(([, value]) => value !== undefined);
    this.#current = { ...this.#current, ...Object.fromEntries(given) };
    return this.#current;
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  if (issue.type === 'strict_object') {
    return path === null
      ? 'settings are an object'
      : `no setting "${path}": ${Object.keys(DEFAULT_SETTINGS).join(', ')}`;
  }
  return `${path ?? 'settings'}: ${issue.message}`;
}
