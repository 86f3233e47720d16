import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type SettingOverrides,
  accountKey,
  loadConfig,
  readConfigFile,
  requireBaseUrl,
  requireClientId,
} from '../../src/config/config.ts';
import type { Env } from '../../src/base/env.ts';
import { type Paths, findPaths } from '../../src/config/paths.ts';
import type { SettingKey } from '../../src/config/settings.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { caught } from '../support/failure.ts';

interface Given {
  readonly env?: Env;
  readonly profile?: string;
  readonly flags?: SettingOverrides;
}

/** Writes a configuration file (a string unchanged, otherwise JSON) and returns its loader. */
function withFile(content?: unknown) {
  const dir = scratchDir();
  const paths: Paths = { configFile: join(dir, 'c', 'config.json'), stateDir: join(dir, 's') };
  if (content !== undefined) {
    mkdirSync(dirname(paths.configFile));
    writeFileSync(
      paths.configFile,
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  const load = ({ env = {}, profile, flags = {} }: Given = {}) =>
    loadConfig({ env, paths }, profile, flags);
  return { paths, load };
}

/** A file with one profile. */
const only = (profile: unknown) => ({ profiles: { default: profile } });

describe('the source of a setting', () => {
  const file = only({ timezone: 'Europe/Paris' });
  const env = { SYNC_TIMEZONE: 'Europe/Rome' };
  const flags = { timezone: 'Europe/Oslo' };

  it.each<[string, unknown, Given, unknown]>([
    ['a flag wins over all', file, { env, flags }, ['Europe/Oslo', 'flag']],
    ['then the environment', file, { env }, ['Europe/Rome', 'environment']],
    ['then the file', file, {}, ['Europe/Paris', 'profile']],
    ['then the default', undefined, {}, [undefined, 'default']],
    ['no empty variable', file, { env: { SYNC_TIMEZONE: '' } }, ['Europe/Paris', 'profile']],
    ['another profile has its own', file, { profile: 'other' }, [undefined, 'default']],
  ])('has the documented priority: %s', (_name, content, given, expected) => {
    const config = withFile(content).load(given);
    expect([config.get('timezone'), config.originOf('timezone')]).toEqual(expected);
  });

  it.each<[string, Given, string]>([
    ['the flag', { profile: 'b', env: { SYNC_PROFILE: 'a' } }, 'b'],
    ['the environment', { env: { SYNC_PROFILE: 'a' } }, 'a'],
    ['an empty variable', { env: { SYNC_PROFILE: '' } }, 'default'],
    ['nothing', {}, 'default'],
  ])('names the profile by %s', (_name, given, name) => {
    const { load } = withFile({ profiles: { a: { clientId: 'A' }, b: { clientId: 'B' } } });
    const config = load(given);
    expect([config.profile, config.get('clientId')]).toEqual([
      name,
      { a: 'A', b: 'B', default: undefined }[name],
    ]);
  });

  it('derives default endpoints, each of which the profile can replace', () => {
    const { load } = withFile(only({ 'endpoint.uploadFit': '/v2/fit' }));
    expect(load().endpoints).toMatchObject({ uploadFit: '/v2/fit', wellness: '/api/wellness' });
    expect(load({ profile: 'x' }).endpoints.uploadFit).toBe('/api/workouts/upload-fit');
  });
});

describe('an invalid setting', () => {
  it.each<[string, Given, SettingKey, RegExp]>([
    ['a flag', { flags: { baseUrl: 'nonsense' } }, 'baseUrl', /^--base-url: "nonsense" is not/],
    ['a flag of two words', { flags: { redirectPort: 'x' } }, 'redirectPort', /^--port: "x"/],
    [
      'a variable',
      { env: { SYNC_BASE_URL: 'http://example.com' } },
      'baseUrl',
      /^SYNC_BASE_URL: .*plain http/,
    ],
    [
      'a variable of the store',
      { env: { SYNC_TOKEN_STORE: 'cloud' } },
      'tokenStore',
      /^SYNC_TOKEN_STORE: "cloud" is not one of: keychain, file$/,
    ],
  ])('is reported with its source: %s', (_name, given, key, message) => {
    const error = caught(() => withFile().load(given).get(key));
    expect(error.code).toBe('CONFIG');
    expect(error.message).toMatch(message);
    expect(error.details).toEqual({ setting: key });
  });

  it('is reported with the file, the profile and the key if it is in the file', () => {
    const { load, paths } = withFile({ profiles: { work: { timezone: 'Mars/Olympus' } } });
    const error = caught(() => load({ profile: 'work' }).get('timezone'));
    expect(error.message).toBe(
      `${paths.configFile}: profile "work": timezone: There is no time zone 'Mars/Olympus'.`,
    );
    // An empty text in the file is a mistake; an empty variable is none.
    const empty = withFile(only({ timezone: '' }));
    expect(caught(() => empty.load().get('timezone')).code).toBe('CONFIG');
    const near = caught(() => load({ flags: { timezone: 'Berlin' } }).get('timezone'));
    expect([near.message, near.hint]).toEqual([
      "--tz: There is no time zone 'Berlin'.",
      'Did you mean Europe/Berlin?',
    ]);
  });

  it('does not matter until a caller reads it', () => {
    const { load } = withFile(only({ timezone: 'Mars/Olympus' }));
    expect(load().get('redirectPort')).toBe(8917);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{"profiles": ', / is not JSON: /],
    ['an empty file', '', / is not JSON: /],
    ['nested too deep', '['.repeat(200_000), /: the JSON is nested more than 200 deep\.$/],
    ['a list', [], / is not an object\.$/],
    ['null', 'null', / is not an object\.$/],
    ['profiles that are a list', { profiles: [] }, /: profiles is not an object\.$/],
    ['a profile that is a text', only('x'), /: profile "default" is not an object\.$/],
    ['an unknown setting', only({ baseURL: 'x' }), /"default": there is no setting "baseURL"\.$/],
    ['a number', only({ redirectPort: 1 }), /: redirectPort is not a text in quotes\.$/],
    ['no account id', only({ account: { name: 'A' } }), /: account\.id is not a text\.$/],
    ['an account that is a text', only({ account: 'A' }), /: account is not an object\.$/],
    ['a name of something else', { profile: { default: {} } }, /: "profile" means nothing here\.$/],
    ['an inherited name as a setting', only({ toString: 'x' }), /there is no setting "toString"/],
  ])('rejects a file with %s', (_name, content, message) => {
    const { load, paths } = withFile(content);
    const error = caught(() => load());
    expect(error.code).toBe('CONFIG');
    expect(error.message.startsWith(paths.configFile)).toBe(true);
    expect(error.message).toMatch(message);
  });

  it('reports a fault in one profile to that profile alone', () => {
    const { load, paths } = withFile({
      profiles: { broken: { baseURL: 'x' }, work: { clientId: 'mine' } },
    });
    expect(load({ profile: 'work' }).get('clientId')).toBe('mine');
    expect(load().profiles).toEqual(['broken', 'work']);
    const { message, hint } = caught(() => load({ profile: 'broken' }));
    expect(message).toBe(`${paths.configFile}: profile "broken": there is no setting "baseURL".`);
    // No command reads this profile, so that the hint itself names the settings.
    expect(hint).toMatch(/^Correct or remove it\. Settings: baseUrl, clientId, /);
  });

  it('rejects a folder as the file', () => {
    const { load, paths } = withFile();
    mkdirSync(paths.configFile, { recursive: true });
    expect(caught(() => load()).message).toContain(`${paths.configFile} cannot be read`);
  });
});

it('reads a file that a Windows editor saved', () => {
  const { load } = withFile('\ufeff{"profiles": {"default": {"clientId": "x"}}}\r\n');
  expect(load().get('clientId')).toBe('x');
});

describe('the name of a profile', () => {
  it.each([
    'default',
    'a',
    'Work-2',
    'team.a_b',
    '7',
    'constructor',
    'toString',
    'hasOwnProperty',
    'x'.repeat(64),
  ])('accepts %s, with a file and without', (profile) => {
    expect(withFile().load({ profile }).account).toBeUndefined();
    const { load } = withFile({ profiles: { [profile]: { clientId: 'mine' } } });
    expect(load({ profile }).get('clientId')).toBe('mine');
    expect(withFile({ profiles: {} }).load({ profile }).get('clientId')).toBeUndefined();
  });

  it.each([
    '',
    ' ',
    '-x',
    '.hidden',
    '../up',
    'a/b',
    'a b',
    'ä',
    '__proto__',
    'a\nb',
    'x'.repeat(65),
  ])('rejects %j', (profile) => {
    const error = caught(() => withFile().load({ profile }));
    expect(error.code).toBe('CONFIG');
    expect(error.message).toBe(`"${profile}" cannot name a profile.`);
  });

  it('accepts __proto__ in a file as an ordinary name without polluting objects', () => {
    const text =
      '{"profiles": {"__proto__": {"clientId": "evil", "account": {"id": "x"}}, "a": {}}}';
    const { load, paths } = withFile(text);
    expect(load({ profile: 'a' }).get('clientId')).toBeUndefined();
    expect(load({ profile: 'a' }).account).toBeUndefined();
    expect(load().get('clientId')).toBeUndefined();
    expect(Object.keys(readConfigFile(paths.configFile).profiles)).toEqual(['__proto__', 'a']);
    expect(({} as { clientId?: string }).clientId).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('a file that another user may have written', () => {
  const file = only({ baseUrl: 'https://evil.example' });

  it.each([
    ['the file', 0o666, 'config.json'],
    ['its folder', 0o777, ''],
  ])('is refused if others can write to %s', (_what, mode, name) => {
    const { load, paths } = withFile(file);
    const path = join(dirname(paths.configFile), name);
    chmodSync(path, mode);
    const error = caught(load);
    expect([error.code, error.message, error.hint]).toEqual([
      'CONFIG',
      `${paths.configFile} is not used: ${path} can be changed by other users (mode 0${mode.toString(8)}).`,
      `Run \`chmod go-w ${path}\`, or name another folder with SYNC_CONFIG_DIR.`,
    ]);
    chmodSync(path, mode & ~0o022);
    expect(load().get('baseUrl')?.href).toBe('https://evil.example/');
  });

  it('is refused before it exists, so that no login is kept there', () => {
    const { load, paths } = withFile();
    mkdirSync(dirname(paths.configFile));
    chmodSync(dirname(paths.configFile), 0o777);
    expect(caught(load).code).toBe('CONFIG');
    expect(existsSync(paths.configFile)).toBe(false);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    "is refused if it is another user's, also for root (run as root only)",
    () => {
      const { load, paths } = withFile(file);
      chownSync(paths.configFile, 1234, 1234);
      const error = caught(load);
      expect(error.message).toBe(
        `${paths.configFile} is not used: ${paths.configFile} belongs to another user (uid 1234).`,
      );
      expect(error.hint).toBe(
        "Run sync as that user, `sudo -u '#1234' sync`, or name another folder with SYNC_CONFIG_DIR.",
      );
    },
  );
});

describe('secrets of the environment', () => {
  const env = {
    SYNC_CLIENT_SECRET: 's3cret-client',
    SYNC_ACCESS_TOKEN: 's3cret-access\n',
    SYNC_REFRESH_TOKEN: ' s3cret-refresh',
  };

  it('are trimmed and never shown', () => {
    const config = withFile().load({ env });
    expect([
      config.clientSecret?.reveal(),
      config.environmentTokens.access?.reveal(),
      config.environmentTokens.refresh?.reveal(),
    ]).toEqual(['s3cret-client', 's3cret-access', 's3cret-refresh']);
    expect(`${inspect(config, { depth: 9 })}${JSON.stringify(config)}`).not.toContain('s3cret');
  });

  it.each(['', ' ', '\n'])('are missing if they are %j', (value) => {
    const config = withFile().load({
      env: { SYNC_ACCESS_TOKEN: value, SYNC_CLIENT_SECRET: value },
    });
    expect([config.environmentTokens.access, config.clientSecret]).toEqual([undefined, undefined]);
  });

  it.each(['s3cret\nsecond line', 's3cret\u0000x', '“s3cret”'])(
    'are reported by their variable, and not shown, if they contain invalid characters',
    (value) => {
      const error = caught(() => withFile().load({ env: { SYNC_ACCESS_TOKEN: value } }));
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'CONFIG',
        message: 'SYNC_ACCESS_TOKEN holds characters that no secret has.',
      });
      expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
    },
  );

  it('are reported by their variable if they are longer than a header may be', () => {
    const load = (length: number) =>
      withFile().load({ env: { SYNC_ACCESS_TOKEN: 'a'.repeat(length) } });
    expect(load(16_384).environmentTokens.access).toBeDefined();
    expect(caught(() => load(16_385)).message).toBe(
      'SYNC_ACCESS_TOKEN is longer than 16 kB, as no secret is.',
    );
  });
});

it('a required setting is reported as missing with the command that sets it', () => {
  const config = withFile().load({ profile: 'work' });
  const [url, id] = [caught(() => requireBaseUrl(config)), caught(() => requireClientId(config))];
  expect([url.code, id.code]).toEqual(['CONFIG', 'CONFIG']);
  expect(url.message).toContain('profile "work"');
  expect([url.hint, id.hint]).toEqual([
    'Run `sync login`, or set SYNC_BASE_URL.',
    'Run `sync login --client-id ID`, or `sync login --register`, or set SYNC_CLIENT_ID.',
  ]);
});

describe('the account key of the ledger', () => {
  const key = (baseUrl: string, account?: { id: string }, profile = 'default') =>
    accountKey(withFile().load({ flags: { baseUrl }, profile }), account);

  it('is the same for an athlete at a service under every profile', () => {
    expect(key('https://a.example/', { id: '7' }, 'x')).toBe(
      key('https://a.example', { id: '7' }, 'y'),
    );
    expect(key('https://a.example/app/', { id: '7' })).toBe(
      key('https://a.example/app', { id: '7' }),
    );
  });

  it('differs by athlete, service, path, and profile without an athlete', () => {
    const keys = [
      key('https://a.example', { id: '7' }),
      key('https://a.example', { id: '8' }),
      key('https://b.example', { id: '7' }),
      key('https://a.example/app', { id: '7' }),
      key('https://a.example'),
      key('https://a.example', undefined, 'other'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const HOME = '/home/ann';
const LINUX = [`${HOME}/.config/athlete-sync/config.json`, `${HOME}/.local/state/athlete-sync`];
const MAC = `${HOME}/Library/Application Support/athlete-sync`;
const XDG = ['/c/athlete-sync/config.json', '/s/athlete-sync'];
const WINDOWS = ['C:\\R\\athlete-sync\\config.json', 'C:\\L\\athlete-sync'];
it.each<[string, NodeJS.Platform, Env, string[]]>([
  ['Linux', 'linux', {}, LINUX],
  ['Linux with XDG folders', 'linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, XDG],
  ['Linux with empty XDG folders', 'linux', { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }, LINUX],
  ['macOS', 'darwin', {}, [`${MAC}/config.json`, `${MAC}/state`]],
  ['Windows', 'win32', { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L' }, WINDOWS],
  [
    'what somebody asked for',
    'linux',
    { SYNC_CONFIG_DIR: '/my/c', SYNC_STATE_DIR: '/my/s' },
    ['/my/c/config.json', '/my/s'],
  ],
])('the folders follow the environment: %s', (_name, platform, env, paths) => {
  const [configFile, stateDir] = paths;
  expect(findPaths(env, platform, HOME)).toEqual({ configFile, stateDir });
});

it.runIf(process.platform !== 'win32')('refuses a pipe as the configuration at once', () => {
  const { paths, load } = withFile({});
  rmSync(paths.configFile);
  execFileSync('mkfifo', ['-m', '600', paths.configFile]);
  expect(caught(() => load()).message).toBe(
    `${paths.configFile} cannot be read: It is a pipe or a device, not a file: save it as one first.`,
  );
});
