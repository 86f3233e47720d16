import type { Env, SecretVariable } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { findOwnDistrust, refuseDistrusted } from '../system/folder-trust.ts';
import type { Paths } from './paths.ts';
import { MAX_SECRET, Secret } from '../base/secret.ts';
import {
  DEFAULT_ENDPOINTS,
  type EndpointName,
  type Endpoints,
  endpointUrl,
  serviceId,
} from './endpoints.ts';
import { asObject, readJsonFile } from './json-file.ts';
import {
  SETTINGS,
  type SettingKey,
  type SettingValue,
  isSettingKey,
  parseSetting,
} from './settings.ts';
import type { SystemFile } from './system-file.ts';

export interface Account {
  /** The service's own identifier (`sub`). */
  readonly id: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

export type SettingOrigin = 'flag' | 'environment' | 'profile' | 'system' | 'default';

/** The settings of one profile: flags, environment and configuration files, merged and checked. */
export type Config = ReturnType<typeof loadConfig>;

/** Settings as text; undefined: not set. */
export type SettingOverrides = Readonly<Partial<Record<SettingKey, string | undefined>>>;

export interface ProfileEntry {
  readonly settings: SettingOverrides;
  /** The athlete of the login, or of the last one after a logout. */
  readonly account: Account | undefined;
  readonly loggedOut: boolean;
  /**
   * The stored login (`Credentials.loginId`), if the athlete was unknown at login time. Without an
   * `account`, the program asks the service again.
   */
  readonly loginId: string | undefined;
  /** Name of the ledger if the platform does not name the athlete. Absent before the first such login. */
  readonly unnamed: string | undefined;
}

export interface ConfigFile {
  /**
   * A profile is decoded when it is read, so that a fault in one does not stop the commands of another.
   * Reading one with a fault throws SyncError `CONFIG`.
   */
  readonly profiles: Readonly<Record<string, ProfileEntry>>;
  readonly raw: Readonly<Record<string, unknown>>;
}

export const DEFAULT_PROFILE = 'default';

interface ConfigSources {
  readonly env: Env;
  readonly paths: Paths;
  readonly system?: SystemFile;
}

/**
 * @throws SyncError `CONFIG` that names the flag, the variable, or the file and key that is wrong.
 */
export function loadConfig(
  sources: ConfigSources,
  profileFlag: string | undefined,
  overrides: SettingOverrides = {},
) {
  const { env, paths, system } = sources;
  const profile = checkProfileName(profileFlag ?? (env['SYNC_PROFILE'] || DEFAULT_PROFILE));
  const { profiles } = readConfigFile(paths.configFile);
  const entry = profiles[profile];
  const saved = entry?.settings ?? {};
  const { account, loginId, unnamed, loggedOut = false } = entry ?? {};
  const isLogin = (account ?? loginId ?? unnamed) !== undefined;
  const find = settingFinder(sources, profile, overrides, saved);
  const findUnflagged = settingFinder(sources, profile, {}, saved);
  return {
    /** The profile's name, which stands for one account on one service. */
    profile,
    /** Profiles in the configuration file. Every login creates one. */
    profiles: Object.keys(profiles) as readonly string[],
    paths,
    /** The presets for all users. If their file has a fault, `get` throws it for each setting that can be preset. */
    system,
    get: <K extends SettingKey>(key: K) => find(key).value,
    originOf: (key: SettingKey) => find(key).origin,
    /** The profile's settings in the configuration file, without flags and variables. */
    saved,
    get endpoints() {
      return Object.fromEntries(
        (Object.keys(DEFAULT_ENDPOINTS) as EndpointName[]).map((name) => [
          name,
          find(`endpoint.${name}`).value,
        ]),
      ) as Endpoints;
    },
    /** Known after a login with this profile. */
    account: loggedOut ? undefined : account,
    /** After a logout: the athlete of the last login: that ledger still has the sent items. */
    formerAccount: loggedOut ? account : undefined,
    loginId,
    /** By the configuration file, there is a login, or there was one. */
    hasLogin: isLogin && !loggedOut,
    hadLogin: isLogin && loggedOut,
    /** The platform did not name the athlete of the last login. */
    isUnnamed: account === undefined && unnamed !== undefined,
    /** Name of the ledger if the platform does not name the athlete. */
    unnamedLedger: unnamed ?? `profile:${profile}`,
    /** Names the athlete of the environment's tokens, if the platform does not. */
    athleteName: nameFrom(env),
    /** From the environment. The credential store holds stored secrets. See {@link isSecretOf}. */
    clientSecret: secretFrom(env, 'SYNC_CLIENT_SECRET'),
    /** `SYNC_ACCESS_TOKEN` and `SYNC_REFRESH_TOKEN`. If one is set, the stored login is ignored. */
    environmentTokens: {
      access: secretFrom(env, 'SYNC_ACCESS_TOKEN'),
      refresh: secretFrom(env, 'SYNC_REFRESH_TOKEN'),
    },
    /** The platform and the client that anything but a flag names. */
    get unflagged() {
      return { baseUrl: findUnflagged('baseUrl'), clientId: findUnflagged('clientId') };
    },
  };
}

/**
 * Returns whether the secret of the environment is the one of this client: a secret names no platform, so it
 * belongs to what the environment, the profile or the presets name. The address may be a flag beside
 * `SYNC_CLIENT_ID`.
 */
export function isSecretOf(
  { unflagged: { baseUrl: named, clientId: client } }: Config,
  baseUrl: URL,
  clientId: string,
): boolean {
  const isHere =
    named.value === undefined
      ? client.origin === 'environment'
      : serviceId(named.value) === serviceId(baseUrl);
  return isHere && (client.value ?? clientId) === clientId;
}

/** Returns the settings of a profile that describe the platform at its address, if that is not `baseUrl`. */
export function settingsOfAnother(
  saved: SettingOverrides,
  baseUrl: URL | undefined,
): readonly SettingKey[] {
  const { baseUrl: own } = saved;
  const isOwn =
    own === undefined ||
    (baseUrl !== undefined && URL.canParse(own) && serviceId(new URL(own)) === serviceId(baseUrl));
  if (isOwn) return [];
  return Object.keys(saved)
    .filter(isSettingKey)
    .filter((key) => SETTINGS[key].ofPlatform === true);
}

/** Returns a function that finds a setting: in the flags, the environment, the profile, the presets, or its default. */
function settingFinder(
  { env, paths, system }: ConfigSources,
  profile: string,
  overrides: SettingOverrides,
  saved: SettingOverrides,
) {
  return function find<K extends SettingKey>(
    key: K,
  ): { origin: SettingOrigin; value: SettingValue<K> } {
    const setting = SETTINGS[key];
    const variable = 'env' in setting ? setting.env : undefined;
    const isForeign =
      setting.ofPlatform === true &&
      saved[key] !== undefined &&
      settingsOfAnother(saved, find('baseUrl').value).includes(key);
    const candidates: readonly (readonly [SettingOrigin, string, string | undefined])[] = [
      ['flag', flagName(key), overrides[key]],
      ['environment', variable ?? '', variable === undefined ? undefined : env[variable]],
      [
        'profile',
        `${paths.configFile}: profile "${profile}": ${key}`,
        isForeign ? undefined : saved[key],
      ],
    ];
    for (const [origin, where, text] of candidates) {
      if (text === undefined || (text === '' && origin === 'environment')) continue;
      return { origin, value: parseSetting(key, text, where) };
    }
    if (setting.preset === true && system !== undefined) {
      if (system.fault !== undefined) throw system.fault;
      const text = system.settings[key];
      if (text !== undefined) {
        return { origin: 'system', value: parseSetting(key, text, system.path) };
      }
    }
    return { origin: 'default', value: setting.fallback };
  };
}

/** Returns the token that names a login from the environment; undefined: the stored login is used. */
export function environmentToken({
  environmentTokens: { access, refresh },
}: Pick<Config, 'environmentTokens'>): Secret | undefined {
  return access ?? refresh;
}

/** Returns whether this run takes its tokens from the environment; then it uses no stored login. */
export function hasEnvironmentTokens(config: Config): boolean {
  return environmentToken(config) !== undefined;
}

/** Returns whether there is a login, by the configuration file and the environment. */
export function isLoggedIn(config: Config): boolean {
  return config.hasLogin || hasEnvironmentTokens(config);
}

/** Returns the base URL. @throws SyncError `CONFIG` if none is configured */
export function requireBaseUrl(config: Config): URL {
  return config.get('baseUrl') ?? missing(config, 'baseUrl', 'No platform is set up yet', []);
}

/** Returns the addresses at which `whoAmI` asks. */
export function accountUrls(config: Config, baseUrl = requireBaseUrl(config)) {
  const { userinfo, workouts } = config.endpoints;
  return { userinfo: endpointUrl(baseUrl, userinfo), workouts: endpointUrl(baseUrl, workouts) };
}

/**
 * @param given `isForgotten`: the platform no longer knows the configured one. `isRegistering`: `--register` is given, and
 *   led to none
 */
export function requireClientId(
  config: Config,
  { isForgotten = false, isRegistering = false } = {},
): string {
  const what = 'No client ID is set up yet';
  const known = isForgotten ? undefined : config.get('clientId');
  if (known !== undefined) return known;
  const register = isRegistering ? '' : phrase`, or ${sync('login', '--register')}`;
  return missing(config, 'clientId', what, ['--client-id', 'ID'], register);
}

/** Returns a sentence for the name of an unknown profile, with a space behind it; '' if there are no others. */
export function knownText(profiles: readonly string[]): string {
  return profiles.length === 0 ? '' : `Known profiles: ${profiles.join(', ')}. `;
}

function missing(
  { profile, profiles }: Config,
  key: 'baseUrl' | 'clientId',
  what: string,
  flag: readonly string[],
  more: Text = '',
): never {
  const forProfile = profile === DEFAULT_PROFILE ? '' : ` for profile "${profile}"`;
  const isUnknown = profile !== DEFAULT_PROFILE && !profiles.includes(profile);
  const known = isUnknown ? knownText(profiles) : '';
  throw new SyncError('CONFIG', `${what}${forProfile}.`, {
    hint: phrase`${known}Run ${sync('login', ...flag)}${more}, or set ${SETTINGS[key].env ?? ''}.`,
    details: { setting: key },
  });
}

/**
 * Returns the ledger's account key for a login: the athlete's id if it is known, or else a ledger of the
 * profile, so that two profiles never share confirmed uploads.
 */
export function accountKey(config: Config, account: Account | undefined): string {
  const service = serviceId(requireBaseUrl(config));
  return account === undefined
    ? `${service} ${config.unnamedLedger}`
    : `${service} athlete:${account.id}`;
}

/** Returns the prefix of the keys of the environment's tokens, if the platform does not name the athlete. */
export function tokenKeyPrefix(config: Config): string {
  return `${serviceId(requireBaseUrl(config))} profile:${config.profile} token:`;
}

/**
 * Reads the configuration file; a missing one has no profiles.
 *
 * @throws SyncError `CONFIG` if the file is unreadable, has a fault outside of the profiles, or if another
 *   user can replace it
 */
export function readConfigFile(path: string): ConfigFile {
  // Another user may have written it: it names the service that gets the tokens.
  refuseDistrusted(findOwnDistrust(path, 2), `${path} is not used`, 'SYNC_CONFIG_DIR');
  const file = readJsonFile(
    path,
    phrase`Fix the file, or move it aside and run ${sync('login')} again.`,
  );
  return decodeConfigFile(file === undefined ? {} : file.value, path);
}

function decodeConfigFile(value: unknown, path: string): ConfigFile {
  const { profiles: entries = {}, ...rest } = asObject(value, path);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new SyncError('CONFIG', `${path}: "${unknown}" means nothing here.`, {
      hint: phrase`It holds {"profiles": {"default": {...}}}; see ${sync('config', 'set')}.`,
    });
  }
  const raw = asObject(entries, `${path}: profiles`);
  // Without a prototype: a profile may be named `constructor`.
  const profiles = Object.create(null) as Record<string, ProfileEntry>;
  for (const [name, entry] of Object.entries(raw)) {
    Object.defineProperty(profiles, name, {
      enumerable: true,
      get: () => decodeProfile(entry, `${path}: profile "${name}"`),
    });
  }
  return { profiles, raw };
}

function decodeProfile(value: unknown, where: string): ProfileEntry {
  const { account, loggedOut, loginId, unnamed, ...rest } = asObject(value, where);
  const settings: Partial<Record<SettingKey, string>> = {};
  for (const [key, setting] of Object.entries(rest)) {
    if (!isSettingKey(key)) {
      throw new SyncError('CONFIG', `${where}: there is no setting "${key}".`, {
        hint: `Correct or remove it. Settings: ${Object.keys(SETTINGS).join(', ')}.`,
      });
    }
    if (typeof setting !== 'string') {
      throw new SyncError('CONFIG', `${where}: ${key} is not a text in quotes.`);
    }
    settings[key] = setting;
  }
  const optionalText = (name: string, found: unknown) => {
    if (found === undefined || typeof found === 'string') return found;
    throw new SyncError('CONFIG', `${where}: ${name} is not a text.`);
  };
  return {
    settings,
    account: account === undefined ? undefined : decodeAccount(account, where),
    loggedOut: loggedOut === true,
    loginId: optionalText('loginId', loginId),
    unnamed: optionalText('unnamed', unnamed),
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

function checkProfileName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new SyncError('CONFIG', `"${name}" cannot name a profile.`, {
      hint: 'Begin with a letter or digit; then use letters, digits, dots, dashes and underscores. 64 at most.',
    });
  }
  return name;
}

function flagName(key: SettingKey): string {
  return SETTINGS[key].flag ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reads `SYNC_ACCOUNT`. @throws SyncError `CONFIG` */
function nameFrom(env: Env): string | undefined {
  const name = env['SYNC_ACCOUNT']?.trim() ?? '';
  if (/^\P{C}{0,255}$/u.test(name)) return name || undefined;
  throw new SyncError('CONFIG', 'SYNC_ACCOUNT is no name of an athlete: one line, 255 characters.');
}

function secretFrom(env: Env, variable: SecretVariable): Secret | undefined {
  return secretIn(variable, env[variable]);
}

/**
 * Reads a secret, without surrounding white space such as the line break of a file.
 *
 * @throws SyncError `CONFIG` that names it, and does not show it
 */
export function secretIn(name: string, given: string | undefined): Secret | undefined {
  const text = given?.trim() ?? '';
  if (text === '') return undefined;
  // RFC 6749 appendix A: visible characters. Others do not fit into a header. The value is not shown.
  if (!/^[\x20-\x7e]+$/.test(text)) {
    throw new SyncError('CONFIG', `${name} holds characters that no secret has.`, {
      hint: 'Was it copied with a line break or quotation marks inside?',
    });
  }
  if (text.length > MAX_SECRET) {
    throw new SyncError('CONFIG', `${name} is longer than 16 kB, as no secret is.`, {
      hint: 'Was something else copied into it?',
    });
  }
  return new Secret(text);
}
