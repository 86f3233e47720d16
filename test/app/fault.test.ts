import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toSyncError } from '../../src/app/fault.ts';
import { SyncError } from '../../src/base/errors.ts';
import { openHome } from '../support/world.ts';
import { testSystem } from '../auth/support.ts';

/** A system whose state folder is in a new home. */
function machine(env: NodeJS.ProcessEnv = {}) {
  const home = openHome(env);
  const system = testSystem({ homeDir: home.dir, env: home.env });
  return { home, system, folder: join(home.dir, 'state', 'faults') };
}

const traceOf = (failure: SyncError) => readFileSync(String(failure.details['trace']), 'utf8');

describe('a fault of the program', () => {
  it('becomes one line, and a trace that only the user can read', () => {
    const { system, folder } = machine();
    const cause = new RangeError('too far');
    const failure = toSyncError(new TypeError('x is not\na function', { cause }), system);
    expect(failure).toMatchObject({
      code: 'INTERNAL',
      message: 'This is a fault of sync itself: x is not a function.',
    });
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    expect(failure.details).toEqual({ trace: path });
    expect(String(failure.hint)).toBe(
      `Its trace is in ${path}. Please report it at https://github.com/athlete-sync/athlete-sync/issues.`,
    );
    expect(traceOf(failure)).toMatch(
      /^sync \d+\.\d+\.\d+, Node\.js \d[\d.]*, \w+ \w+, \d{4}-[^]*\nTypeError: x is not\n[^]*\nat [^]*\nRangeError: too far\nat /,
    );
    if (process.platform === 'win32') return;
    expect([folder, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it.each<[unknown, string]>([
    ['thrown', 'thrown'],
    [new TypeError(''), 'TypeError'],
    [undefined, 'undefined'],
    [null, 'null'],
    [new Error('It ends.'), 'It ends'],
  ])('is named, whatever was thrown: %s', (thrown, words) => {
    const { message } = toSyncError(thrown, machine().system);
    expect(message).toBe(`This is a fault of sync itself: ${words}.`);
  });

  it('has one trace if it is met twice', () => {
    const { system, folder } = machine();
    const error = new Error('oops');
    expect(toSyncError(error, system)).toBe(toSyncError(error, system));
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('keeps the newest 10 traces', () => {
    const { home, system, folder } = machine();
    toSyncError(new Error('first'), system);
    for (let day = 10; day < 30; day++) writeFileSync(join(folder, `2001-01-${day}.log`), '');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const later = testSystem({ homeDir: home.dir, env: home.env, clock: { ...system.clock } });
    expect(traceOf(toSyncError(new Error('last'), later))).toContain('last');
    const left = readdirSync(folder);
    expect(left).toHaveLength(11);
    expect(left).toContain('notes.txt');
    expect(left).not.toContain('2001-01-20.log');
    expect(left).toContain('2001-01-29.log');
  });

  it('shows no secret and no home folder, in its line and in its trace', () => {
    const { home, system } = machine({
      SYNC_ACCESS_TOKEN: 'tok-of-the-environment',
      SYNC_CLIENT_SECRET: 'hush',
    });
    const said = [
      `cannot read ${home.dir}/rides/ride.fit`,
      'authorization: Bearer abc.def',
      '{"access_token":"short","refresh_token": "also"}',
      'grant?code=c0de&code_verifier=v3rifier',
      'sbx_at_XsKf93jd02kdXsKf93jd02kdXsKf93jd',
      'tok-of-the-environment hush',
    ].join(' ');
    const failure = toSyncError(new Error(said), system);
    const shown = failure.message + traceOf(failure);
    for (const secret of [
      ...[home.dir, 'abc.def', 'short', '"also"', 'c0de', 'v3rifier', 'XsKf93jd', 'hush'],
      'tok-of-the-environment',
    ]) {
      expect(shown).not.toContain(secret);
    }
    expect(shown).toContain('cannot read ~/rides/ride.fit');
  });

  it('says so if its trace cannot be written', () => {
    const { home, system } = machine();
    writeFileSync(join(home.dir, 'state'), 'not a folder');
    const failure = toSyncError(new Error('oops'), system);
    expect(failure.message).toBe('This is a fault of sync itself: oops.');
    expect(failure.details).toEqual({});
    expect(String(failure.hint)).toMatch(/^Its trace could not be written: .*\. Please report it/);
    const homeless = testSystem({ homeDir: '', env: {} });
    expect(String(toSyncError(new Error('oops'), homeless).hint)).toContain('no home folder');
  });
});

it('returns a failure that a user can meet unchanged, and an abort as an interruption', () => {
  const { home, system } = machine();
  const error = new SyncError('USAGE', 'no');
  expect(toSyncError(error, system)).toBe(error);
  const abort = new DOMException('gone', 'AbortError');
  expect(toSyncError(abort, system)).toMatchObject({ code: 'INTERRUPTED' });
  expect(readdirSync(home.dir)).toEqual([]);
});
