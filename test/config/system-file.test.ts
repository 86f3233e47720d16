import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SettingOverrides, loadConfig } from '../../src/config/config.ts';
import type { SyncError } from '../../src/base/errors.ts';
import type { Env } from '../../src/base/env.ts';
import { systemConfigFile } from '../../src/config/paths.ts';
import { presetKeys, readSystemFile } from '../../src/config/system-file.ts';
import { scratchDir } from '../support/scratch-dir.ts';

/** Trusts the user who runs the tests, in place of root. */
const TRUST = {
  uid: process.geteuid?.(),
  accounts: () => ({ passwd: '', group: '' }),
  unmapped: () => undefined,
};

/** Writes the system's file (a string unchanged, otherwise JSON). */
function withSystemFile(content?: unknown) {
  const dir = scratchDir();
  const path = join(dir, 'etc', 'config.json');
  mkdirSync(dirname(path), { mode: 0o755 });
  if (content !== undefined) {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(path, 0o644);
  }
  const paths = { configFile: join(dir, 'config.json'), stateDir: join(dir, 'state') };
  const load = (env: Env = {}, flags: SettingOverrides = {}) =>
    loadConfig({ env, paths, system: readSystemFile(path, TRUST) }, undefined, flags);
  return { dir, path, paths, load, read: () => readSystemFile(path, TRUST) };
}

const faultOf = (content: unknown): Partial<SyncError> & { path: string } => {
  const { path, read } = withSystemFile(content);
  const { settings, fault } = read();
  expect(settings).toEqual({});
  if (fault === undefined) throw new Error('it has no fault');
  return { path, code: fault.code, message: fault.message, hint: fault.hint };
};

describe('a preset for all users', () => {
  it('comes after flags, variables and the profile, and before the default', () => {
    const { paths, load } = withSystemFile({ clientId: 'system', redirectPort: 9000 });
    const client = (...given: Parameters<typeof load>) => {
      const config = load(...given);
      return [config.get('clientId'), config.originOf('clientId')];
    };
    expect(load().get('redirectPort')).toBe(9000);
    expect(load().originOf('baseUrl')).toBe('default');
    expect(client()).toEqual(['system', 'system']);
    writeFileSync(paths.configFile, '{"profiles": {"default": {"clientId": "own"}}}');
    expect(client()).toEqual(['own', 'profile']);
    expect(client({ SYNC_CLIENT_ID: 'variable' })).toEqual(['variable', 'environment']);
    expect(client({ SYNC_CLIENT_ID: 'variable' }, { clientId: 'flag' })).toEqual(['flag', 'flag']);
    expect(load().saved).toEqual({ clientId: 'own' });
  });

  it('describes the service, and nothing of one user', () => {
    expect(presetKeys().filter((key) => !key.startsWith('endpoint.'))).toEqual([
      'baseUrl',
      'clientId',
      'redirectUri',
      'redirectPort',
      'scope',
      'platform.kind',
    ]);
    const { load } = withSystemFile({
      'endpoint.uploadFit': '/v2/fit',
      scope: 'workout:write',
      baseUrl: 'https://training.example.com',
    });
    expect(load().endpoints.uploadFit).toBe('/v2/fit');
    expect(load().get('scope')).toEqual(['workout:write']);
  });

  it('is absent without the file, without its folder, and with an empty object', () => {
    for (const { read } of [withSystemFile(), withSystemFile({})]) {
      expect(read()).toMatchObject({ settings: {}, fault: undefined });
    }
    expect(
      readSystemFile(join(tmpdir(), 'no', 'such', 'config.json'), TRUST).fault,
    ).toBeUndefined();
  });
});

describe('a fault of the file for all users', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['no JSON', '{\n  "baseUrl": "x",\n}', ' is not JSON: ', /line 3/],
    ['a list', [], ' is not an object.', /^/],
    [
      'a wrong address',
      '{\n  "clientId": "x",\n  "baseUrl": "http://example.com"\n}',
      ', line 3: baseUrl: "http://example.com" is plain http: a login needs https (http only for this machine)',
      /^/,
    ],
    ['a value that is no text', '{"clientId": true}', ', line 1: clientId is not a text', /^/],
    ['an unknown key', '{\n"profiles": {}}', ', line 2: there is no setting "profiles".', /^/],
    ['a setting of one user', { timezone: 'Europe/Oslo' }, ', line 1: each user sets "tim', /^/],
    ['a command', { onEvent: 'sh /tmp/x' }, ', line 1: each user sets "onEvent"', /^/],
    [
      'a client secret',
      '{\n\n"clientSecret": "hush"}',
      ', line 3: "clientSecret" would be a secret that every user can read.',
      /^/,
    ],
    ['a token', { accessToken: 'hush' }, ', line 1: "accessToken" would be a secret', /^/],
  ])('is named with its file and line: %s', (_name, content, begin, rest) => {
    const { code, message = '', hint, path } = faultOf(content);
    expect(code).toBe('CONFIG');
    expect(message).toContain(path + begin);
    expect(message).toMatch(rest);
    expect(message).not.toContain('hush');
    expect(hint).toBeDefined();
  });

  it.runIf(process.platform !== 'win32')('is that another user can change it', () => {
    const { path, read } = withSystemFile({ clientId: 'x' });
    chmodSync(path, 0o666);
    expect(read().fault?.message).toBe(
      `${path} is not used: ${path} can be changed by other users (mode 0666).`,
    );
    expect(read().fault?.hint).toBe(
      `Only root may change it: \`sudo chown root ${path} && sudo chmod go-w ${path}\`.`,
    );
    chmodSync(path, 0o644);
    expect(read().fault).toBeUndefined();
    chmodSync(dirname(path), 0o777);
    expect(read().fault?.message).toContain(`${dirname(path)} can be changed by other users`);
    chmodSync(dirname(path), 0o755);
    if (TRUST.uid !== 0) return;
    chownSync(path, 1234, 0);
    expect(read().fault?.message).toContain(`${path} belongs to another user (uid 1234)`);
  });

  it.runIf(process.platform !== 'win32')('is that it leads to a file of another user', () => {
    const { dir, path, read } = withSystemFile();
    writeFileSync(join(dir, 'elsewhere.json'), '{"clientId": "x"}');
    symlinkSync(join(dir, 'elsewhere.json'), path);
    expect(read().settings).toEqual({ clientId: 'x' });
    chmodSync(join(dir, 'elsewhere.json'), 0o666);
    expect(read().fault?.message).toContain(`${join(dir, 'elsewhere.json')} can be changed`);
  });

  it('stops only what reads a setting that the file may hold', () => {
    const { load, paths, path } = withSystemFile('nonsense');
    const config = load();
    expect(config.get('tokenStore')).toBe('keychain');
    expect(config.get('timezone')).toBeUndefined();
    expect(() => config.get('baseUrl')).toThrow(`${path} is not JSON`);
    expect(() => config.originOf('clientId')).toThrow(`${path} is not JSON`);
    expect(() => config.endpoints).toThrow(`${path} is not JSON`);
    writeFileSync(paths.configFile, '{"profiles": {"default": {"clientId": "own"}}}');
    expect(load().get('clientId')).toBe('own');
  });
});

it('is documented with its paths and keys', () => {
  const page = readFileSync('docs/operators.md', 'utf8');
  for (const platform of ['linux', 'darwin'] as const) {
    expect(page).toContain(`| \`${systemConfigFile({}, platform)}\``);
  }
  expect(page).toContain('| `%ProgramFiles%\\athlete-sync\\config.json`');
  for (const key of presetKeys())
    expect(page).toContain(key.replace(/^endpoint\..*/, 'endpoint.NAME'));
});

it.each<[NodeJS.Platform, Env, string]>([
  ['linux', {}, '/etc/athlete-sync/config.json'],
  ['darwin', {}, '/Library/Application Support/athlete-sync/config.json'],
  ['win32', {}, 'C:\\Program Files\\athlete-sync\\config.json'],
  ['win32', { ProgramFiles: 'D:\\Programs' }, 'D:\\Programs\\athlete-sync\\config.json'],
])('keeps the file for all users where administrators write: %s %j', (platform, env, path) => {
  expect(systemConfigFile(env, platform)).toBe(path);
});
