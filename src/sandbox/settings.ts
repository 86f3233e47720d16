import * as v from 'valibot';
import { REVISION_NAMES, REVISIONS, type Revision, type Traits } from './revisions.ts';
import { SCOPES, type Scope } from './oauth/scopes.ts';

/** Differences between deployed services, and special behaviour for tests. All can change at run time. */
export interface SandboxSettings extends Traits {
  /** The deployed revision, which sets every trait that is not set explicitly. */
  readonly revision: Revision;
  /**
   * Help developers instead of imitating: 400 with the field for input that a deployed service
   * stores, ignores or answers with 500; refuse uploads that are not FIT; redirect login errors.
   */
  readonly strict: boolean;
  /** Scopes of {@link SCOPES} that this service does not know. */
  readonly unknownScopes: readonly Scope[];
  /**
   * Delay from an upload to its processing (ms). null: uploads stay queued until the control
   * endpoint processes them.
   */
  readonly processingMs: number | null;
  /** Approve every login without the consent page. */
  readonly autoApprove: boolean;
  /** Athlete to approve for with `autoApprove`; null for the first. */
  readonly autoApproveAthlete: string | null;
  /** Grant at most these of the approved scopes; null for no limit. */
  readonly grantScopes: readonly Scope[] | null;
  /**
   * Compare redirect URIs as strings, like deployed services. Otherwise the port of a loopback URI
   * is ignored (RFC 8252 section 7.3).
   */
  readonly exactRedirectUris: boolean;
  /** Lifetime of an authorization code (s). */
  readonly codeTtl: number;
  /** Lifetime of an access token (s). */
  readonly accessTtl: number;
  /** Whether reusing a rotated refresh token revokes the login. */
  readonly reuseRevokesFamily: boolean;
  /** Answer uploads, wellness and nutrition 200 with `success: false`, and store nothing. */
  readonly successFalse: boolean;
  /** Requests per minute and token; null for no limit. */
  readonly rateLimit: number | null;
  /** Requests without a token per minute and address; null for no limit. */
  readonly addressRateLimit: number | null;
  /** IDs of deactivated athletes: 403 for every request with their tokens. */
  readonly deactivated: readonly string[];
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
  }),
);

/** An unknown setting or an invalid value. The message names the setting. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The current settings. */
export class Settings {
  #current: SandboxSettings;
  /** The settings that were set explicitly: a change of the revision keeps them. */
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

  /** @throws SettingError; then no setting has changed */
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
      ? 'settings must be an object'
      : `no setting "${path}": ${Object.keys(DEFAULT_SETTINGS).join(', ')}`;
  }
  return `${path ?? 'settings'}: ${issue.message}`;
}
