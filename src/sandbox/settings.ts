import * as v from 'valibot';
import { REVISION_NAMES, REVISIONS, type Revision, type Traits } from './revisions.ts';
import { SCOPES, type Scope } from './scopes.ts';

/** Where deployed services differ, or what a test wants to meet. All can change at run time. */
export interface SandboxSettings extends Traits {
  /** The deployed revision that gives every trait that is not set for itself. */
  readonly revision: Revision;
  /**
   * Answer developers rather than faithfully: 400 with the field for what a deployed service stores,
   * ignores or answers by 500; refuse uploads that are no FIT files; redirect login errors.
   */
  readonly strict: boolean;
  /** Scopes of {@link SCOPES} that this service does not know. */
  readonly unknownScopes: readonly Scope[];
  /**
   * From an upload's arrival until it is processed, ms; null: it stays queued until the control
   * endpoint processes it.
   */
  readonly processingMs: number | null;
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
  /** Whether use of a rotated refresh token revokes all tokens of that login. */
  readonly reuseRevokesFamily: boolean;
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
  revision: REVISION_NAMES[0],
  ...REVISIONS[REVISION_NAMES[0]],
  strict: false,
  unknownScopes: [],
  processingMs: 0,
  autoApprove: false,
  autoApproveAthlete: null,
  grantScopes: null,
  exactRedirectUris: true,
  codeTtl: 600,
  accessTtl: 3600,
  reuseRevokesFamily: false,
  successFalse: false,
  rateLimit: null,
  addressRateLimit: null,
  deactivated: [],
  discardBytes: false,
};

const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));

const perMinute = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)));

const patchSchema = v.partial(
  v.strictObject({
    revision: v.picklist(REVISION_NAMES),
    nutrition: v.picklist(['append', 'replace-source', 'replace']),
    nutritionFields: v.picklist(['full', 'basic']),
    nutritionList: v.picklist(['dates', 'limit', 'none']),
    nutritionEdits: v.boolean(),
    wellnessFields: v.picklist(['full', 'basic']),
    adaptsWellness: v.boolean(),
    uploadItems: v.boolean(),
    uploadNames: v.boolean(),
    profileUnits: v.boolean(),
    grantsAnyScope: v.boolean(),
    refreshToken: v.picklist(['rotate', 'keep', 'omit']),
    refreshTtl: v.nullable(wholeNumber),
    announceRefreshTtl: v.boolean(),
    refreshChecksClient: v.boolean(),
    strict: v.boolean(),
    unknownScopes: v.array(v.picklist(SCOPES)),
    processingMs: v.nullable(wholeNumber),
    autoApprove: v.boolean(),
    autoApproveAthlete: v.nullable(v.string()),
    grantScopes: v.nullable(v.array(v.picklist(SCOPES))),
    exactRedirectUris: v.boolean(),
    codeTtl: wholeNumber,
    accessTtl: wholeNumber,
    reuseRevokesFamily: v.boolean(),
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
  /** What was set for itself: it outlives a change of the revision. */
  #given: Partial<SandboxSettings> = {};
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
    this.#given = { ...this.#given, ...Object.fromEntries(given) };
    const revision = this.#given.revision ?? DEFAULT_SETTINGS.revision;
    this.#current = { ...DEFAULT_SETTINGS, ...REVISIONS[revision], ...this.#given };
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
