import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import {
  SETTINGS,
  type SettingKey,
  isSettingKey,
  parseSetting,
} from '../../src/config/settings.ts';

/** The value as JSON shows it, or the message without its beginning. */
function read(key: SettingKey, text: string): unknown {
  try {
    const value: unknown = parseSetting(key, text, 'x');
    return value instanceof URL ? value.href : value;
  } catch (error) {
    if (!(error instanceof SyncError) || error.code !== 'CONFIG') throw error;
    return `! ${error.message.slice('x: '.length)}`;
  }
}

const refused = expect.stringMatching(/^! .{5,}/) as unknown;

describe.each<[SettingKey, Record<string, unknown>]>([
  [
    'baseUrl',
    {
      'https://training.example.com': 'https://training.example.com/',
      ' https://a.example/app/ ': 'https://a.example/app/',
      'http://localhost:3000': 'http://localhost:3000/',
      'http://127.0.0.1:8918': 'http://127.0.0.1:8918/',
      'http://[::1]:8918': 'http://[::1]:8918/',
      'http://127.9.9.9/': 'http://127.9.9.9/',
      'http://127.1': 'http://127.0.0.1/',
      'http://LOCALHOST': 'http://localhost/',
      'http://0.0.0.0': refused,
      'http://128.0.0.1': refused,
      'http://training.example.com': refused,
      'http://localhost.example.com': refused,
      'http://127.0.0.1.example.com': refused,
      'training.example.com': refused,
      'ftp://a.example': refused,
      'file:///etc/passwd': refused,
      'https://ann:secret@a.example': refused,
      'https://a.example/#x': refused,
      'https://a.example/?x=1': refused,
      '': refused,
    },
  ],
  ['clientId', { abc: 'abc', ' abc ': 'abc', '': refused, ' ': refused }],
  [
    'redirectUri',
    {
      'http://127.0.0.1:9000/cb': 'http://127.0.0.1:9000/cb',
      'http://localhost:9000/cb': 'http://localhost:9000/cb',
      'http://127.0.0.1:9000': 'http://127.0.0.1:9000',
      ' http://LOCALHOST:80/cb ': 'http://LOCALHOST:80/cb',
      'https://127.0.0.1:9000/cb': refused,
      'http:/127.0.0.1:9000/cb': refused,
      'http://ann@127.0.0.1:9000/cb': refused,
      'http://127.0.0.1:9000/a b': refused,
      'http://127.0.0.1:9000/cb?': refused,
      'http://example.com/cb': refused,
      'http://127.0.0.1:9000/cb?x=1': refused,
      'http://127.0.0.1:9000/cb#x': refused,
      'com.example.app:/cb': refused,
    },
  ],
  [
    'redirectPort',
    {
      '0': 0,
      '8917': 8917,
      '65535': 65535,
      '65536': refused,
      '-1': refused,
      '1.5': refused,
      '0x10': refused,
      '1e3': refused,
      '': refused,
      port: refused,
    },
  ],
  [
    'scope',
    {
      'a:read b:write': ['a:read', 'b:write'],
      'a, b,a': ['a', 'b'],
      '': refused,
      ' , ': refused,
      'a"b': refused,
      ä: refused,
    },
  ],
  [
    'timezone',
    {
      'Europe/Berlin': 'Europe/Berlin',
      'europe/berlin': 'Europe/Berlin',
      UTC: 'UTC',
      '+02:00': refused,
      'Mars/Olympus': refused,
      '': refused,
    },
  ],
  ['tokenStore', { keychain: 'keychain', ' file ': 'file', Keychain: refused, '': refused }],
  ['platform.kind', { interface: 'interface', 'coach-watts': 'coach-watts', both: refused }],
  [
    'ignoreDevices',
    {
      ' Garmin Edge 840 ': ['Garmin Edge 840'],
      '3412345678, Garmin Edge 840, 3412345678': ['3412345678', 'Garmin Edge 840'],
      '3412345678,': refused,
      '': refused,
    },
  ],
  ['notifications', { on: 'on', ' needed ': 'needed', off: 'off', true: refused, '': refused }],
  [
    'onEvent',
    {
      ' jq -r .event >> ~/log ': 'jq -r .event >> ~/log',
      'a\nb': 'a\nb',
      '': refused,
      ' ': refused,
      'a\0b': refused,
    },
  ],
  ['testAccount', { true: true, false: false, yes: refused, '1': refused, '': refused }],
  [
    'endpoint.uploadFit',
    {
      '/v2/upload': '/v2/upload',
      '/': '/',
      upload: refused,
      '/a?b': refused,
      '/a#b': refused,
      '/a b': refused,
      'https://evil.example/': refused,
      '//evil.example/x': refused,
      '/\\evil.example/x': refused,
      '': refused,
    },
  ],
])('%s', (key, cases) => {
  it.each(Object.entries(cases))('parses %j', (text, expected) => {
    expect(read(key, text)).toEqual(expected);
  });
});

it('describes every setting, with a default that is a valid value', () => {
  for (const [key, setting] of Object.entries(SETTINGS)) {
    expect(isSettingKey(key)).toBe(true);
    expect(setting.about.length).toBeGreaterThan(10);
    const { fallback } = setting as { fallback: unknown };
    if (fallback === undefined) continue;
    const text = Array.isArray(fallback)
      ? fallback.join(' ')
      : `${fallback as string | number | boolean}`;
    expect(setting.parse(text)).toEqual(fallback);
  }
});

it.each(['toString', '__proto__', 'constructor', 'BASEURL', 'endpoint', ''])(
  'isSettingKey rejects %j',
  (key) => expect(isSettingKey(key)).toBe(false),
);

it.each([
  ['baseUrl', 'http://someone:se/cret@x.example/'],
  ['baseUrl', 'ftp://x:secret@h'],
  ['baseUrl', 'https://x:secret@h:port/'],
  ['baseUrl', 'x:secret@h'],
  ['redirectUri', 'http://user:secret@127.0.0.1/callback'],
] as const)('rejects %s %s without showing its password', (key, text) => {
  expect(() => SETTINGS[key].parse(text)).toThrow();
  try {
    SETTINGS[key].parse(text);
  } catch (error) {
    expect(String(error)).not.toMatch(/se\/?cret/);
  }
});
