import { SyncError, messageOf } from '../base/errors.ts';
import { DEFAULT_SCOPES, NUTRITION_READ } from './scopes.ts';
import { checkZone } from '../base/zone-name.ts';
import { DEFAULT_ENDPOINTS, DEFAULT_FILE_PART, type EndpointName } from './endpoints.ts';

/** `interface`: it does what the interface says, and no more. `coach-watts`: as Coach Watts is deployed. */
export type PlatformKind = 'interface' | 'coach-watts';

/**
 * A setting: its environment variable, its description, its default and its parser. The key is that of
 * the configuration file and of `sync config`. `parse` throws an `Error` with a message that completes
 * the sentence "<key>: ..."; the hint of a `SyncError` is kept.
 */
interface Setting<T> {
  readonly env?: string;
  /** The flag that overrides it, if it is not named as the key. */
  readonly flag?: string;
  /** It describes the service: an operator may preset it for all users of a machine. */
  readonly preset?: true;
  /** It describes one platform or its account: it holds only at the address that its profile names. */
  readonly ofPlatform?: true;
  readonly about: string;
  /** The words that `parse` accepts, with their meanings, if there are few. */
  readonly values?: Readonly<Record<string, string>>;
  readonly parse: (text: string) => T;
  readonly fallback: T;
}

export const TOKEN_STORES = {
  keychain: "the system's keychain",
  file: 'a file that only you can read',
};

const BOOLEAN = oneOf({ true: 'yes', false: 'no' });
const YES_OR_NO = { ...BOOLEAN, parse: (text: string) => BOOLEAN.parse(text) === 'true' };

const NOTIFICATIONS = { on: 'all', needed: 'only if you have to act', off: 'none' };
export type NotificationMode = keyof typeof NOTIFICATIONS;

/** Default port of the login's listener, which is part of the registered redirect URI. */
const DEFAULT_REDIRECT_PORT = 8917;
/** It must not end in `/callback`: Coach Watts gives such registrations another program's client. */
export const CALLBACK_PATH = '/login';

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

export const SETTINGS = {
  baseUrl: setting<URL | undefined>({
    env: 'SYNC_BASE_URL',
    preset: true,
    about: 'address of the platform, such as https://training.example.com',
    parse: parseServiceUrl,
    fallback: undefined,
  }),
  clientId: setting<string | undefined>({
    env: 'SYNC_CLIENT_ID',
    preset: true,
    about: 'the client identifier that the platform gave this application',
    parse: parseText,
    fallback: undefined,
  }),
  /** Unchanged text: services compare it with the registered redirect URI as a string. */
  redirectUri: setting<string | undefined>({
    preset: true,
    about: 'redirect URI of the login, if not the default; http://127.0.0.1:PORT/PATH',
    parse: parseRedirectUri,
    fallback: undefined,
  }),
  redirectPort: setting<number>({
    flag: '--port',
    preset: true,
    about: 'port of the default redirect URI; 0 takes any free one',
    parse: parsePort,
    fallback: DEFAULT_REDIRECT_PORT,
  }),
  scope: setting<readonly string[]>({
    preset: true,
    about: `scopes that login asks for, separated by spaces; by default the interface's six, and at Coach Watts nutrition:read (${NUTRITION_READ})`,
    parse: parseScopes,
    fallback: DEFAULT_SCOPES,
  }),
  timezone: setting<string | undefined>({
    env: 'SYNC_TIMEZONE',
    flag: '--tz',
    about: "the athlete's time zone, such as Europe/Berlin; else the machine's",
    parse: checkZone,
    fallback: undefined,
  }),
  tokenStore: setting<'keychain' | 'file'>({
    env: 'SYNC_TOKEN_STORE',
    flag: '--store',
    about: 'where tokens live: keychain, or file (readable by the owner only)',
    ...oneOf(TOKEN_STORES),
    fallback: 'keychain',
  }),
  'platform.kind': setting<PlatformKind | undefined>({
    preset: true,
    ofPlatform: true,
    about:
      'the kind of platform: interface (a nutrition day sent again is replaced) or coach-watts (its items are added); unset: its answers show it',
    ...oneOf({
      interface: 'it does what the interface says, and no more',
      'coach-watts': 'as Coach Watts is deployed',
    }),
    fallback: undefined,
  }),
  prefer: setting<readonly string[]>({
    about:
      'programs whose values count if several state one of a day, such as oura,restingHr=garmin-export',
    parse: parsePrograms,
    fallback: [],
  }),
  sameRide: setting<'all' | 'first'>({
    about: 'which FIT recordings of one ride are sent: all, with a note, or only the first',
    ...oneOf({ all: 'each of them', first: 'the others are held' }),
    fallback: 'all',
  }),
  testAccount: setting<boolean>({
    ofPlatform: true,
    about: 'this account is for tests: `sync seed` may write invented data into it',
    ...YES_OR_NO,
    fallback: false,
  }),
  wellness: setting<boolean | undefined>({
    about: '`sync watch` also sends the wellness that devices record; unset: it offers that once',
    ...YES_OR_NO,
    fallback: undefined,
  }),
  watch: setting<readonly string[] | undefined>({
    about:
      'what `sync watch` watches if no folder is named: devices, and folders, separated by commas',
    parse: parseWatched,
    fallback: undefined,
  }),
  ignoreDevices: setting<readonly string[] | undefined>({
    about:
      'devices that `sync watch` leaves alone: titles or serial numbers of `sync devices`, separated by commas',
    parse: parseDevices,
    fallback: undefined,
  }),
  notifications: setting<NotificationMode>({
    about: 'desktop notifications of `sync watch`: on, needed (only if you have to act) or off',
    ...oneOf(NOTIFICATIONS),
    fallback: 'on',
  }),
  onEvent: setting<string | undefined>({
    about: 'shell command that `sync watch` runs for each event, with a line of JSON on stdin',
    parse: parseCommand,
    fallback: undefined,
  }),
  ...endpointSettings(),
  'endpoint.filePart': setting<string>({
    preset: true,
    ofPlatform: true,
    about: 'name of the file part of an upload',
    parse: parseText,
    fallback: DEFAULT_FILE_PART,
  }),
} as const;

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K]['fallback'];

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTINGS, text);
}

type EndpointSettings = {
  readonly [N in EndpointName as `endpoint.${N}`]: Setting<string>;
};

function endpointSettings(): EndpointSettings {
  return Object.fromEntries(
    Object.entries(DEFAULT_ENDPOINTS).map(([name, path]) => [
      `endpoint.${name}`,
      setting<string>({
        preset: true,
        ofPlatform: true,
        about: `path of the ${name} endpoint`,
        parse: parsePath,
        fallback: path,
      }),
    ]),
  ) as EndpointSettings;
}

/** Parses a setting. @throws SyncError `CONFIG` with a message that begins with `where` */
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

function parseText(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error('is empty');
  return trimmed;
}

function parseCommand(text: string): string {
  // An argument of a process ends there.
  if (text.includes('\0')) throw new Error('holds a NUL character');
  return parseText(text);
}

function oneOf<T extends string>(values: Readonly<Record<T, string>>) {
  const allowed = Object.keys(values) as T[];
  const parse = (text: string): T => {
    const found = allowed.find((word) => word === text.trim());
    if (found === undefined) throw new Error(`"${text}" is not one of: ${allowed.join(', ')}`);
    return found;
  };
  return { values, parse };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text.trim()) || port > 65_535) {
    throw new Error(`"${text}" is not a port (0 to 65535)`);
  }
  return port;
}

function parsePath(text: string): string {
  // What begins with two slashes names another host.
  if (!/^\/(?![/\\])[^\s?#]*$/.test(text)) {
    throw new Error(`"${text}" is not a path: it begins with one / and has no ? or #`);
  }
  return text;
}

/** The word for every known device in the setting `watch`. */
export const DEVICES_WORD = 'devices';

const FULL_PATH = String.raw`/|[a-z]:[\\/]|\\\\`;
/** A comma may be part of a folder's name: the next entry begins after it if it looks like one. */
const NEXT_WATCHED = new RegExp(`,\\s*(?=${DEVICES_WORD}\\s*(?:,|$)|${FULL_PATH})`, 'i');

function parseWatched(text: string): readonly string[] {
  const entries = text.split(NEXT_WATCHED).map((entry) => entry.trim());
  const isKnown = new RegExp(`^(?:${DEVICES_WORD}$|${FULL_PATH})`, 'i');
  const odd = entries.find((entry) => !isKnown.test(entry));
  if (odd !== undefined) {
    throw new Error(`"${odd}" is neither the word ${DEVICES_WORD} nor a folder with its full path`);
  }
  return [...new Set(entries)];
}

function parseDevices(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new Error('holds an empty name');
  return [...new Set(names)];
}

function parsePrograms(text: string): readonly string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const odd = entries.find((entry) => !/^(?:\w+=)?[a-z][a-z-]*$/.test(entry));
  if (odd !== undefined) throw new Error(`"${odd}" is neither PROGRAM nor FIELD=PROGRAM`);
  return entries;
}

function parseScopes(text: string): readonly string[] {
  const scopes = [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))];
  if (scopes.length === 0) throw new Error('is empty');
  // RFC 6749 section 3.3: printable ASCII without space, quote and backslash.
  const odd = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (odd !== undefined) throw new Error(`"${odd}" is not a scope`);
  return scopes;
}

/** Returns whether a URL leads to this machine (RFC 8252 section 7.3), where plain http is allowed. */
export function isLoopback(url: URL): boolean {
  return (
    url.hostname === 'localhost' ||
    url.hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(url.hostname)
  );
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text.trim())) {
    throw new Error(
      `${shown(text)} is not an address; write one such as https://training.example.com`,
    );
  }
  return new URL(text.trim());
}

/** Quotes the user's text without the user name and password of an address. */
function shown(text: string): string {
  return `"${text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1...@')}"`;
}

function parseServiceUrl(text: string): URL {
  const url = parseHttpUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw new Error(
      `${shown(text)} is plain http: a login needs https (http only for this machine)`,
    );
  }
  return url;
}

function parseHttpUrl(text: string): URL {
  const url = parseUrl(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(
      `${shown(text)} is not a web address; write one such as https://training.example.com`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('holds a user name or a password; leave them out');
  }
  if (url.search + url.hash !== '')
    throw new Error(`${shown(text)} has a part after ? or #; leave it out`);
  return url;
}

function parseRedirectUri(text: string): string {
  const typed = text.trim();
  const url = parseUrl(typed);
  if (!/^http:\/\/[^\s?#\\@]+$/i.test(typed) || !isLoopback(url)) {
    throw new Error(
      `${shown(text)} cannot be listened on; write one such as ` +
        `http://127.0.0.1:${DEFAULT_REDIRECT_PORT}${CALLBACK_PATH}`,
    );
  }
  return typed;
}
