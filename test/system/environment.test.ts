import { describe, expect, it } from 'vitest';
import { SECRET_VARIABLES } from '../../src/base/env.ts';
import { VARIABLES } from '../../scripts/manual/facts.ts';
import { absoluteFolders, childEnv, takeEnvironment } from '../../src/system/environment.ts';

const OURS = {
  PATH: '/usr/bin:.:bin::/bin',
  HOME: '/home/anna',
  LANG: 'de_DE.UTF-8',
  LC_TIME: 'C',
  XDG_RUNTIME_DIR: '/run/user/1000',
  SYNC_ACCESS_TOKEN: 'at-hush',
  SYNC_REFRESH_TOKEN: 'rt-hush',
  SYNC_CLIENT_SECRET: 'cs-hush',
  SYNC_BASE_URL: 'https://training.example',
  HTTPS_PROXY: 'http://anna:hush@proxy.example:3128',
  all_proxy: 'anna:hush@proxy.example:3128',
  http_proxy: 'proxy.example:3128',
  AWS_SECRET_ACCESS_KEY: 'aws-hush',
};

describe('the environment of a child process', () => {
  it.each([
    ['all', Object.keys(OURS)],
    [
      'no-secrets',
      ['PATH', 'HOME', 'LANG', 'LC_TIME', 'XDG_RUNTIME_DIR', 'SYNC_BASE_URL'].concat(
        ...['HTTPS_PROXY', 'all_proxy', 'http_proxy', 'AWS_SECRET_ACCESS_KEY'],
      ),
    ],
    [
      'no-passwords',
      ['PATH', 'HOME', 'LANG', 'LC_TIME', 'XDG_RUNTIME_DIR', 'SYNC_BASE_URL'].concat(
        ...['http_proxy', 'AWS_SECRET_ACCESS_KEY'],
      ),
    ],
    ['session', ['PATH', 'HOME', 'LANG', 'LC_TIME', 'XDG_RUNTIME_DIR']],
  ] as const)('holds, with the inheritance "%s", %j', (inheritance, names) => {
    const env = childEnv(OURS, inheritance, 'linux');
    expect(Object.keys(env).sort()).toEqual([...names].sort());
    expect(env).toEqual({
      ...Object.fromEntries(Object.entries(OURS).filter(([name]) => name in env)),
      PATH: '/usr/bin:/bin',
    });
  });

  it('has no secret under a name in another case, which Windows takes for the same', () => {
    const env = childEnv({ sync_access_token: 'at-hush', Path: 'C:\\x;.' }, 'no-secrets', 'win32');
    expect(env).toEqual({ Path: 'C:\\x' });
  });

  it('has no token of another account', () => {
    expect(childEnv({ SYNC_ACCESS_TOKEN_2: 'at-hush' }, 'no-secrets')).toEqual({});
  });
});

it.each([
  ['/usr/bin:.:bin::/bin:', 'linux', '/usr/bin:/bin'],
  ['C:\\Windows;.;bin;;D:\\tools', 'win32', 'C:\\Windows;D:\\tools'],
  ['.', 'linux', ''],
] as const)('leaves folders of the PATH that do not depend on the place: %s', (path, on, all) => {
  expect(absoluteFolders(path, on)).toBe(all);
});

describe("taking this process's environment", () => {
  it('returns all of it, and leaves no secret and no relative folder to libraries', () => {
    const own: NodeJS.ProcessEnv = { ...OURS };
    expect(takeEnvironment(own, 'linux')).toEqual(OURS);
    expect(own).toEqual(childEnv(OURS, 'no-secrets', 'linux'));
    expect(own).not.toHaveProperty('SYNC_ACCESS_TOKEN');
  });

  it('ignores the case of names on Windows alone', () => {
    const taken = takeEnvironment({ Path: 'C:\\x' }, 'win32');
    expect(taken['PATH']).toBe('C:\\x');
    expect({ ...taken }).toEqual({ Path: 'C:\\x' });
    expect(takeEnvironment({ Path: '/x' }, 'linux')['PATH']).toBeUndefined();
  });
});

it('knows every secret among the documented variables', () => {
  const names = VARIABLES.map(({ name }) => name);
  expect(
    names.filter((name) => /_(ACCESS_TOKEN|REFRESH_TOKEN|SECRET|PASSWORD)$/.test(name)),
  ).toEqual(expect.arrayContaining([...SECRET_VARIABLES]));
  const others = names.filter((name) => !SECRET_VARIABLES.some((secret) => secret === name));
  expect(others.filter((name) => /TOKEN$|SECRET|PASSWORD/.test(name))).toEqual([]);
});
