import * as v from 'valibot';
import { ApiProblem } from './http/problem.ts';
import { SCOPES, scopeWords } from './oauth/scopes.ts';

/** The deployed revisions that the sandbox can play, newest first, and how they take a nutrition day. */
export const REVISION_NOTES = {
  '2026-08': 'sending a nutrition day again adds its items',
  '2026-07': 'sending a nutrition day again replaces the items of this application',
  '2026-02': 'sending a nutrition day again empties the day; fewer fields, refresh tokens rotate',
} as const;
export type Revision = keyof typeof REVISION_NOTES;
export const REVISION_NAMES = Object.keys(REVISION_NOTES) as [Revision, ...Revision[]];

/** A setting with its default and its meaning: help, docs and `--set` read them from here. */
function setting<TSchema extends v.GenericSchema>(
  schema: TSchema,
  byDefault: v.InferOutput<TSchema>,
  meaning: string,
) {
  return v.pipe(v.optional(schema, byDefault as never), v.description(meaning));
}

/** A setting that differs between revisions: its value on each, newest first. */
function trait<TSchema extends v.GenericSchema>(
  schema: TSchema,
  values: readonly [v.InferOutput<TSchema>, v.InferOutput<TSchema>, v.InferOutput<TSchema>],
  meaning: string,
) {
  return v.pipe(setting(schema, values[0], meaning), v.metadata({ values }));
}

/** How the allowed values of a list begin. */
const WORDS = 'words';

const flag = v.boolean();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const scopes = v.pipe(v.array(v.picklist(SCOPES)), v.readonly());
const fields = v.picklist(['full', 'basic']);

const SCHEMA = v.strictObject({
  revision: setting(
    v.picklist(REVISION_NAMES),
    REVISION_NAMES[0],
    'the deployed revision, which sets every trait that is not set separately',
  ),
  nutrition: trait(
    v.picklist(['append', 'replace-source', 'replace']),
    ['append', 'replace-source', 'replace'],
    "a day sent again: items are added (`append`); this application's items are replaced (`replace-source`); all four lists are replaced (`replace`)",
  ),
  nutritionFields: trait(
    fields,
    ['full', 'full', 'basic'],
    '`full`, or `basic`: items need a `name`, `meal` is dropped, lists go by UTC, totals by the request alone, an absent `rawJson` becomes null',
  ),
  nutritionList: trait(
    v.picklist(['dates', 'limit', 'none']),
    ['dates', 'dates', 'limit'],
    '`GET /api/nutrition` with a range of `dates`, with `limit` alone, or `none`: 401',
  ),
  nutritionEdits: trait(
    flag,
    [true, false, false],
    'whether `PATCH /api/nutrition/DATE/items` exists; otherwise it is 401',
  ),
  nutritionLock: trait(
    flag,
    [false, false, false],
    'whether requests for one nutrition day wait for each other; otherwise the later one can drop what the earlier one wrote',
  ),
  wellnessFields: trait(
    fields,
    ['full', 'full', 'basic'],
    '`full`, or `basic`, which lacks the sleep stages, `bloodGlucose`, kcal, `steps`, `distanceMeters`, `exerciseMinutes`, `floors`',
  ),
  adaptsWellness: trait(
    flag,
    [true, true, false],
    '`stress` above 10 is divided by 10, `spO2` up to 1 is multiplied by 100, negative counts are 400',
  ),
  wellnessList: trait(
    flag,
    [true, true, false],
    'whether `GET /api/wellness` takes tokens; otherwise it is 401',
  ),
  uploadItems: trait(flag, [true, true, false], 'whether upload answers list each file'),
  uploadNames: trait(flag, [true, true, false], 'whether uploads have a `name`'),
  workoutEdits: trait(
    flag,
    [true, true, false],
    'whether `DELETE` and `PATCH /api/workouts/ID` take tokens; otherwise they are 401',
  ),
  profileRead: trait(
    flag,
    [true, true, false],
    'whether `GET /api/profile` takes tokens; otherwise it is 401',
  ),
  profileUnits: trait(
    flag,
    [true, true, false],
    'whether weights have a unit; otherwise they are kg',
  ),
  grantsAnyScope: trait(flag, [false, false, true], 'whether any text is granted as a scope'),
  refreshToken: trait(
    v.picklist(['keep', 'rotate', 'omit']),
    ['keep', 'keep', 'rotate'],
    'a refresh answers with the same refresh token (`keep`), a new one (`rotate`), none (`omit`)',
  ),
  refreshTtl: trait(
    v.nullable(count),
    [null, null, 30 * 24 * 3600],
    'lifetime of refresh tokens from the login, seconds; `null`: no limit',
  ),
  announceRefreshTtl: trait(
    flag,
    [true, true, false],
    'whether token answers carry `refresh_token_expires_in`, if there is a limit',
  ),
  refreshChecksClient: trait(
    flag,
    [true, true, false],
    'whether a refresh by another client is refused',
  ),
  fileNames: setting(
    v.picklist(['parsed', 'sent']),
    'parsed',
    "a file's name: cut at a `;`, and `upload.fit` if it has a `=` (`parsed`), or as it was `sent`",
  ),
  processingMs: setting(
    v.nullable(count),
    0,
    'from an upload until it may become a workout, ms; `null`: it stays queued until `POST /_sandbox/process`',
  ),
  autoApprove: setting(flag, false, 'answer logins by redirect at once, without the page'),
  autoApproveAthlete: setting(
    v.nullable(v.string()),
    null,
    'the athlete that is logged in then; `null`: the first',
  ),
  grantScopes: setting(v.nullable(scopes), null, 'grant at most these scopes; `null`: all'),
  exactRedirectUris: setting(
    flag,
    true,
    'compare redirect URIs as strings, as deployed services do; otherwise loopback ports are free (RFC 8252, 7.3)',
  ),
  accessTtl: setting(count, 3600, 'lifetime of access tokens, seconds'),
  reuseRevokesFamily: setting(
    flag,
    false,
    'whether a rotated refresh token that comes back revokes the login',
  ),
  deactivated: setting(
    v.pipe(v.array(v.string()), v.readonly()),
    [],
    'ids of athletes with a deactivated account (403)',
  ),
});

/** Differences between deployed services, and special behaviour for tests. All can change at run time. */
export type SandboxSettings = Readonly<v.InferOutput<typeof SCHEMA>>;

export type SettingsPatch = {
  readonly [Name in keyof SandboxSettings]?: SandboxSettings[Name] | undefined;
};

export interface SettingFacts {
  readonly byDefault: unknown;
  readonly meaning: string;
  /** The values, in words. */
  readonly allowed: string;
  /** For a trait, its value on each revision. */
  readonly values: readonly unknown[] | null;
}

export const SETTINGS: ReadonlyMap<string, SettingFacts> = new Map(
  Object.entries(SCHEMA.entries).map(([name, schema]) => [
    name,
    {
      byDefault: v.getDefault(schema),
      meaning: v.getDescription(schema) ?? '',
      allowed: allowedIn(schema),
      values: (v.getMetadata(schema) as { values?: readonly unknown[] }).values ?? null,
    },
  ]),
);

export const DEFAULT_SETTINGS: SandboxSettings = v.parse(SCHEMA, {});

export function traitsOf(revision: Revision): Partial<SandboxSettings> {
  const index = REVISION_NAMES.indexOf(revision);
  return Object.fromEntries(
    [...SETTINGS].flatMap(([name, { values }]) => (values === null ? [] : [[name, values[index]]])),
  );
}

/** The parts of a schema that say which values it allows. */
interface Shape {
  readonly type: string;
  readonly wrapped?: Shape;
  readonly item?: Shape;
  readonly options?: readonly string[];
}

function allowedIn({ type, wrapped, item, options }: Shape): string {
  if (wrapped !== undefined) return allowedIn(wrapped) + (type === 'nullable' ? ', or null' : '');
  if (item !== undefined)
    return item.options === undefined ? WORDS : `${WORDS} out of ${allowedIn(item)}`;
  if (options !== undefined) return options.join(', ');
  return { boolean: 'true, false', number: 'a whole number from 0' }[type] ?? 'text';
}

/** An unknown setting or an invalid value. */
export class SettingError extends ApiProblem {
  override readonly name = 'SettingError';
  readonly setting: string;

  constructor(setting: string, message: string) {
    super(400, message, { statusMessage: message });
    this.setting = setting;
  }
}

export class Settings {
  #current = DEFAULT_SETTINGS;
  /** The settings that were set explicitly: a change of the revision keeps them. */
  #given: Partial<SandboxSettings> = {};
  readonly #athleteIds: ReadonlySet<string>;

  /** @throws SettingError */
  constructor(initial: SettingsPatch, athleteIds: Iterable<string>) {
    this.#athleteIds = new Set(athleteIds);
    this.change(initial);
  }

  get current(): SandboxSettings {
    return this.#current;
  }

  /**
   * Changes settings by their names. A list may be given as text, with spaces between its words.
   * @throws SettingError; then no setting has changed
   */
  change(patch: object): SandboxSettings {
    const named = Object.entries(patch).filter(([, value]) => value !== undefined);
    const given = {
      ...this.#given,
      ...Object.fromEntries(
        named.map(([name, value]: [string, unknown]) => [name, withList(name, value)]),
      ),
    };
    const { revision = DEFAULT_SETTINGS.revision } = given;
    const parsed = v.safeParse(SCHEMA, { ...traitsOf(revision), ...given });
    if (!parsed.success) throw errorOf(parsed.issues[0]);
    const { autoApproveAthlete, deactivated } = parsed.output;
    for (const [name, ids] of Object.entries({
      autoApproveAthlete: [autoApproveAthlete],
      deactivated,
    })) {
      const unknown = ids.find((id) => id !== null && !this.#athleteIds.has(id));
      if (typeof unknown === 'string') {
        throw new SettingError(
          name,
          `${name}: no athlete "${unknown}", but ${[...this.#athleteIds].join(', ')}`,
        );
      }
    }
    this.#given = given;
    this.#current = parsed.output;
    return this.#current;
  }
}

function withList(name: string, value: unknown): unknown {
  const isList = SETTINGS.get(name)?.allowed.startsWith(WORDS) ?? false;
  return isList && typeof value === 'string' ? scopeWords(value) : value;
}

function errorOf(issue: v.BaseIssue<unknown>): SettingError {
  const name = String(issue.path?.[0].key);
  const facts = SETTINGS.get(name);
  const received = JSON.stringify(issue.input);
  return new SettingError(
    name,
    facts === undefined
      ? `no setting "${name}": ${[...SETTINGS.keys()].join(', ')}`
      : `${name}: expected ${facts.allowed}; received ${received}`,
  );
}
