import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ErrorCode,
  ExitCode,
  SyncError,
  endsRun,
  exitCodeOf,
  exitCodeOfDelivery,
  isAbort,
  isTemporary,
  messageOf,
  sourceOf,
  systemCode,
  worstExitCode,
} from '../../src/base/errors.ts';
import { EXIT_MEANINGS } from '../../scripts/manual/facts.ts';

/** What scripts are promised: README and CLI reference say the same. */
const TABLE: Readonly<Record<ErrorCode, number>> = {
  USAGE: 2,
  CONFIG: 2,
  INPUT_INVALID: 3,
  FOLDER_GONE: 5,
  AUTH_REQUIRED: 4,
  AUTH_EXPIRED: 4,
  AUTH_REFUSED: 4,
  AUTH_TIMEOUT: 4,
  SCOPE_MISSING: 4,
  KEYCHAIN_MISSING: 2,
  KEYCHAIN_LOCKED: 5,
  PORT_IN_USE: 2,
  NETWORK: 5,
  SERVICE_UNAVAILABLE: 5,
  SERVICE_ANSWER: 6,
  REJECTED: 6,
  FATE_UNKNOWN: 5,
  BUSY: 2,
  STORAGE: 1,
  INTERRUPTED: 130,
  INTERNAL: 1,
};

it.each(Object.entries(TABLE))('%s ends the program with %i', (code, exit) => {
  expect(exitCodeOf(code as ErrorCode)).toBe(exit);
});

it('docs/ci.md lists every exit code with the words of the manual', () => {
  const rows = readFileSync('docs/ci.md', 'utf8').matchAll(/^\| (\d+) +\| (.*?) +\|$/gm);
  expect(Object.fromEntries([...rows].map(([, code, meaning]) => [code, meaning]))).toEqual(
    EXIT_MEANINGS,
  );
});

describe('the consequences of an error code', () => {
  const codes = Object.keys(TABLE) as ErrorCode[];
  it.each<[string, (code: ErrorCode) => boolean, ErrorCode[]]>([
    [
      'a login fixes every AUTH_ code and a missing scope, and nothing else',
      (code) => sourceOf(code) === 'login',
      ['AUTH_REQUIRED', 'AUTH_EXPIRED', 'AUTH_REFUSED', 'AUTH_TIMEOUT', 'SCOPE_MISSING'],
    ],
    [
      'the network, an unready service, a locked keychain, a lock, a disk and a folder may recover',
      isTemporary,
      [
        ...(['FOLDER_GONE', 'KEYCHAIN_LOCKED', 'NETWORK', 'SERVICE_UNAVAILABLE'] as const),
        ...(['SERVICE_ANSWER', 'BUSY', 'STORAGE'] as const),
      ],
    ],
    ['a failed disk and a signal end a run', endsRun, ['STORAGE', 'INTERRUPTED']],
    [
      'a failed item counts as unavailable if the service, the network, a lock, a locked keychain or an unplugged device is the cause',
      (code) => exitCodeOfDelivery(code) === ExitCode.unavailable,
      [
        ...(['KEYCHAIN_LOCKED', 'NETWORK', 'SERVICE_UNAVAILABLE', 'SERVICE_ANSWER'] as const),
        ...(['REJECTED', 'FATE_UNKNOWN', 'BUSY', 'FOLDER_GONE'] as const),
      ],
    ],
  ])('%s', (_title, applies, expected) => {
    expect(codes.filter(applies)).toEqual(codes.filter((code) => expected.includes(code)));
  });
});

describe('the exit code of several results', () => {
  const { ok, internal, usage, invalidInput, loginNeeded, unavailable, refused, interrupted } =
    ExitCode;
  it.each([
    [[], ok],
    [[ok, ok], ok],
    [[ok, invalidInput], invalidInput],
    [[invalidInput, refused], refused],
    [[invalidInput, refused, unavailable], unavailable],
    [[ok, invalidInput, refused, unavailable, loginNeeded], loginNeeded],
    [[loginNeeded, interrupted], interrupted],
    [[loginNeeded, internal], internal],
    [[loginNeeded, usage], usage],
  ])('combines %j into %i in any order', (codes, worst) => {
    expect(worstExitCode(codes)).toBe(worst);
    expect(worstExitCode([...codes].reverse())).toBe(worst);
  });
});

it('isAbort distinguishes an interruption from similar errors', () => {
  expect(isAbort(new SyncError('INTERRUPTED', 'x'))).toBe(true);
  expect(isAbort(new DOMException('x', 'AbortError'))).toBe(true);
  expect(isAbort(new SyncError('NETWORK', 'x'))).toBe(false);
  expect(isAbort(new DOMException('x', 'TimeoutError'))).toBe(false);
  expect(isAbort('AbortError')).toBe(false);
});

it.each([
  [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('x'), { code: 5 }), undefined],
  [new Error('x'), undefined],
  ['ENOENT', undefined],
  [null, undefined],
  [undefined, undefined],
])('systemCode reads the code of a system error: %s', (error, code) => {
  expect(systemCode(error)).toBe(code);
});

it.each([
  [new Error('text'), 'text'],
  ['text', 'text'],
  [42, '42'],
  [null, 'null'],
])('messageOf returns a text for %s', (thrown, text) => {
  expect(messageOf(thrown)).toBe(text);
});
