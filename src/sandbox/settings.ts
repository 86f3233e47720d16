import * as v from 'valibot';
import { ApiProblem } from './http/problem.ts';
import { SCOPES, scopeWords } from './oauth/scopes.ts';

/** The kinds of platform that the sandbox plays, and how they differ. */
export const PLATFORM_NOTES = {
  'coach-watts': 'Coach Watts as deployed: sending a nutrition day again adds its items',
  interface:
    'what the interface document shows and no more: sending a nutrition day again replaces it',
} as const;
export type PlatformName = keyof typeof PLATFORM_NOTES;
export const PLATFORM_NAMES = Object.keys(PLATFORM_NOTES) as [PlatformName, ...PlatformName[]];

/** A setting with its default and its meaning: help, docs and `--set` read them from here. */
function setting<TSchema extends v.GenericSchema>(
  schema: TSchema,
  byDefault: v.InferOutput<TSchema>,
  meaning: string,
) {
  return v.pipe(v.optional(schema, byDefault as never), v.description(meaning));
}

/** How the allowed values of a list begin. */
const WORDS = 'words';

const flag = v.boolean();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const scopes = v.pipe(v.array(v.picklist(SCOPES)), v.readonly());

const SCHEMA = v.strictObject({
  platform: setting(v.picklist(PLATFORM_NAMES), PLATFORM_NAMES[0], 'the kind of platform'),
  answers: setting(
    v.picklist(['object', 'id', 'empty', 'created', 'accepted', 'no-content', 'text']),
    'object',
    '`interface`: the answer to an upload or a day: 200 `{}` (`object`), `{"id"}` (`id`), nothing (`empty`) or `OK` (`text`), 201 `{"id"}` (`created`), 202 `{}` (`accepted`), 204 (`no-content`)',
  ),
  unknownRoutes: setting(
    v.picklist([404, 405, 401, 403, 400, 422, 500, 'object', 'page']),
    404,
    '`interface`: the answer of routes that the document does not show: a status, 200 `{}` (`object`), 200 with a web page (`page`)',
  ),
  strict: setting(
    flag,
    false,
    '`interface`: whether fields, parts, query parameters and scopes that the document does not show are refused, not ignored',
  ),
  filePart: setting(
    v.pipe(v.string(), v.minLength(1)),
    'file',
    "`interface`: the name of an upload's file part",
  ),
  refusesKnown: setting(
    flag,
    false,
    '`interface`: whether a recording that was uploaded before is a 409',
  ),
  refreshToken: setting(
    v.picklist(['keep', 'rotate', 'omit']),
    'keep',
    'a refresh answers with the same refresh token (`keep`), a new one (`rotate`), none (`omit`)',
  ),
  refreshTtl: setting(
    v.nullable(count),
    null,
    'lifetime of refresh tokens from the login, seconds; `null`: no limit',
  ),
  announceRefreshTtl: setting(
    flag,
    true,
    'whether token answers carry `refresh_token_expires_in`, if there is a limit',
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
  registration: setting(
    v.picklist(['on', 'off', 'forgets']),
    'on',
    '`coach-watts`: whether programs register clients by themselves (RFC 7591): yes, no, or yes and no such client is known later (`forgets`)',
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
}

export const SETTINGS: ReadonlyMap<string, SettingFacts> = new Map(
  Object.entries(SCHEMA.entries).map(([name, schema]) => [
    name,
    {
      byDefault: v.getDefault(schema),
      meaning: v.getDescription(schema) ?? '',
      allowed: allowedIn(schema),
    },
  ]),
);

export const DEFAULT_SETTINGS: SandboxSettings = v.parse(SCHEMA, {});

/** The parts of a schema that say which values it allows. */
interface Shape {
  readonly type: string;
  readonly wrapped?: Shape;
  readonly item?: Shape;
  readonly options?: readonly (string | number)[];
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
  readonly #athleteIds: readonly string[];

  /** @throws SettingError */
  constructor(initial: SettingsPatch, athleteIds: readonly string[]) {
    this.#athleteIds = athleteIds;
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
    const given = named.map(([name, value]: [string, unknown]) => [name, withList(name, value)]);
    const parsed = v.safeParse(SCHEMA, { ...this.#current, ...Object.fromEntries(given) });
    if (!parsed.success) throw errorOf(parsed.issues[0]);
    const { autoApproveAthlete, deactivated } = parsed.output;
    if (autoApproveAthlete !== null) this.#requireAthlete('autoApproveAthlete', autoApproveAthlete);
    for (const id of deactivated) this.#requireAthlete('deactivated', id);
    this.#current = parsed.output;
    return this.#current;
  }

  #requireAthlete(name: string, id: string): void {
    if (this.#athleteIds.includes(id)) return;
    const message = `${name}: no athlete "${id}", but ${this.#athleteIds.join(', ')}`;
    throw new SettingError(name, message);
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
