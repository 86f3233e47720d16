import { readFileSync } from 'node:fs';
import type { Env } from '../base/env.ts';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import type { Paths } from './paths.ts';
import { Secret } from '../base/secret.ts';
import type { EndpointName, Endpoints } from './endpoints.ts';
import { DEFAULT_ENDPOINTS } from './endpoints.ts';
import { SETTINGS, type SettingKey, type SettingValue, isSettingKey } from './settings.ts';

/** The athlete a login belongs to, as the service named them. */
export interface Account {
  /** The service's own identifier (`sub`). */
  readonly id: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** Where a setting's value came from; the first that has one wins, in this order. */
export type Origin = 'flag' | 'environment' | 'profile' | 'default';

/** Flags, environment and configuration file, put together and checked: one profile's settings. */
export interface Config {
  /** A profile is one account on one service, under a name. */
  readonly profile: string;
  /** Those that the configuration file knows: every login makes one. */
  readonly profiles: readonly string[];
  readonly paths: Paths;
  get<K extends SettingKey>(key: K): SettingValue<K>;
  originOf(key: SettingKey): Origin;
  /** What the configuration file holds for this profile, whatever flags and variables say. */
  readonly saved: ProfileEntry['settings'];
  readonly endpoints: Endpoints;
  /** Known once somebody logged in with this profile. */
  readonly account: Account | undefined;
  /** {@link ProfileEntry.loginId} */
  readonly loginId: string | undefined;
  /** From the environment; a stored secret is the credential store's. */
  readonly clientSecret: Secret | undefined;
  /** `SYNC_ACCESS_TOKEN` and `SYNC_REFRESH_TOKEN`: where one is set, no stored login is used. */
  readonly environmentTokens: {
    readonly access: Secret | undefined;
    readonly refresh: Secret | undefined;
  };
}

/** What one profile holds in the configuration file. */
export interface ProfileEntry {
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
  readonly account: Account | undefined;
  /**
   * The stored login (`Credentials.loginId`), if the service did not say whose it is when it was
   * made. As long as there is no account beside it, the service is to be asked again.
   */
  readonly loginId: string | undefined;
}

/** The configuration file, decoded. */
export interface ConfigFile {
  readonly profiles: Readonly<Record<string, ProfileEntry>>;
}

const DEFAULT_PROFILE = 'default';

/** Values from flags, as text; they are read by the same rules as everything else. */
export type SettingOverrides = Readonly<Partial<Record<SettingKey, string>>>;

/**
 * @throws SyncError `CONFIG` that names the flag, the variable, or the file and key that is wrong.
 */
export function loadConfig(
  sources: { env: Env; paths: Paths },
  profileFlag: string | undefined,
  overrides: SettingOverrides = {},
): Config {
  const { env, paths } = sources;
  const profile = checkProfileName(profileFlag ?? (env['SYNC_PROFILE'] || DEFAULT_PROFILE));
  const { profiles } = readConfigFile(paths.configFile);
  const entry = profiles[profile];

  const find = <K extends SettingKey>(key: K): { origin: Origin; value: SettingValue<K> } => {
    const setting = SETTINGS[key];
    const variable = 'env' in setting ? setting.env : undefined;
    const candidates: readonly (readonly [Origin, string, string | undefined])[] = [
      ['flag', flagName(key), overrides[key]],
      ['environment', variable ?? '', variable === undefined ? undefined : env[variable]],
      ['profile', `${paths.configFile}: profile "${profile}": ${key}`, entry?.settings[key]],
    ];
    for (const [origin, where, text] of candidates) {
      if (text === undefined || (text === '' && origin === 'environment')) continue;
      return { origin, value: parseSetting(key, text, where) };
    }
    return { origin: 'default', value: setting.fallback };
  };

  return {
    profile,
    profiles: Object.keys(profiles),
    paths,
    get: (key) => find(key).value,
    originOf: (key) => find(key).origin,
    saved: entry?.settings ?? {},
    get endpoints() {
      return Object.fromEntries(
        (Object.keys(DEFAULT_ENDPOINTS) as EndpointName[]).map((name) => [
          name,
          find(`endpoint.${name}`).value,
        ]),
      ) as Endpoints;
    },
    account: entry?.account,
    loginId: entry?.loginId,
    clientSecret: secretFrom(env, 'SYNC_CLIENT_SECRET'),
    environmentTokens: {
      access: secretFrom(env, 'SYNC_ACCESS_TOKEN'),
      refresh: secretFrom(env, 'SYNC_REFRESH_TOKEN'),
    },
  };
}

/** The value of a setting's text. @throws SyncError `CONFIG` beginning with `where`. */
export function parseSetting<K extends SettingKey>(
  key: K,
  text: string,
  where: string,
): SettingValue<K> {
  try {
    return SETTINGS[key].parse(text);
  } catch (cause) {
    throw new SyncError('CONFIG', `${where}: ${messageOf(cause)}`, {
      cause,
      hint: cause instanceof SyncError ? cause.hint : undefined,
      details: { setting: key },
    });
  }
}

/** The base URL, which nothing that talks to the service can do without. */
export function requireBaseUrl(config: Config): URL {
  return (
    config.get('baseUrl') ??
    missing(config, 'baseUrl', "the service's address is not known", '--base-url URL')
  );
}

export function requireClientId(config: Config): string {
  return (
    config.get('clientId') ??
    missing(config, 'clientId', 'the client ID is not known', '--client-id ID')
  );
}

function missing(config: Config, key: SettingKey, what: string, flag: string): never {
  const setting = SETTINGS[key];
  const variable = 'env' in setting ? setting.env : undefined;
  throw new SyncError('CONFIG', `Nothing to talk to: ${what} (profile "${config.profile}").`, {
    hint: `Run \`sync login ${flag}\`${variable === undefined ? '' : `, or set ${variable}`}.`,
    details: { setting: key },
  });
}

/**
 * What the ledger files this login's uploads and records under. The service's identifier where it
 * is known; else the profile, so that two profiles never share what was confirmed.
 */
export function accountKey(config: Config, account: Account | undefined): string {
  const base = requireBaseUrl(config);
  const service = base.origin + base.pathname.replace(/\/+$/, '');
  return account === undefined
    ? `${service} profile:${config.profile}`
    : `${service} athlete:${account.id}`;
}

export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return { profiles: noProfiles() };
    throw new SyncError('CONFIG', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  let parsed: unknown;
  try {
    // Editors on Windows put a mark before the text.
    text = text.replace(/^\ufeff/, '');
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new SyncError('CONFIG', `${path} is not JSON: ${faultIn(text, cause)}`, {
      cause,
      hint: 'Mend the file, or move it away and run `sync login` again.',
    });
  }
  return decodeConfigFile(parsed, path);
}

/** What the parser says, with the line in place of a count of characters. */
function faultIn(text: string, cause: unknown): string {
  const said = messageOf(cause);
  const at = / in JSON at position (\d+).*$/s.exec(said);
  if (at === null) {
    const early = said.startsWith('Unexpected end');
    return early ? `${said} (line ${text.trimEnd().split('\n').length}).` : `${said}.`;
  }
  const line = text.slice(0, Number(at[1])).split('\n').length;
  return `${said.slice(0, at.index)} in line ${line}.`;
}

function decodeConfigFile(value: unknown, path: string): ConfigFile {
  const { profiles: entries = {}, ...rest } = asObject(value, path);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new SyncError('CONFIG', `${path}: "${unknown}" means nothing here.`, {
      hint: 'It holds {"profiles": {"default": {...}}}; see `sync config set`.',
    });
  }
  const profiles = noProfiles();
  for (const [name, entry] of Object.entries(asObject(entries, `${path}: profiles`)))
    profiles[name] = decodeProfile(entry, `${path}: profile "${name}"`);
  return { profiles };
}

/** Nothing but what is put into it: a profile may be called `constructor`. */
function noProfiles(): Record<string, ProfileEntry> {
  return Object.create(null) as Record<string, ProfileEntry>;
}

function decodeProfile(value: unknown, where: string): ProfileEntry {
  const { account, loginId, ...rest } = asObject(value, where);
  const settings: Partial<Record<SettingKey, string>> = {};
  for (const [key, setting] of Object.entries(rest)) {
    if (!isSettingKey(key)) {
      throw new SyncError('CONFIG', `${where}: there is no setting "${key}".`, {
        hint: 'See `sync config list` for those there are.',
      });
    }
    if (typeof setting !== 'string') {
      throw new SyncError('CONFIG', `${where}: ${key} is not a text in quotes.`);
    }
    settings[key] = setting;
  }
  if (loginId !== undefined && typeof loginId !== 'string') {
    throw new SyncError('CONFIG', `${where}: loginId is not a text.`);
  }
  return {
    settings,
    account: account === undefined ? undefined : decodeAccount(account, where),
    loginId,
  };
}

function decodeAccount(value: unknown, where: string): Account {
  const { id, name, email } = asObject(value, `${where}: account`);
  if (typeof id !== 'string' || id === '') {
    throw new SyncError('CONFIG', `${where}: account.id is not a text.`);
  }
  return {
    id,
    name: typeof name === 'string' ? name : undefined,
    email: typeof email === 'string' ? email : undefined,
  };
}

function asObject(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyncError('CONFIG', `${where} is not an object.`);
  }
  return value as Record<string, unknown>;
}

function checkProfileName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new SyncError('CONFIG', `"${name}" cannot name a profile.`, {
      hint: 'Use letters, digits, dots, dashes and underscores, 64 at most.',
    });
  }
  return name;
}

function flagName(key: SettingKey): string {
  const short = { timezone: '--tz', redirectPort: '--port', tokenStore: '--store' };
  if (key in short) return short[key as keyof typeof short];
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** White space around a secret (the line break of a file) is not part of it. */
function secretFrom(env: Env, variable: string): Secret | undefined {
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  // RFC 6749 appendix A: visible characters. Others could not be sent in a header. Never shown.
  if (!/^[\x20-\x7e]+$/.test(text)) {
    throw new SyncError('CONFIG', `${variable} holds characters that no secret has.`, {
      hint: 'Was it copied with a line break or quotation marks inside?',
    });
  }
  return new Secret(text);
}
