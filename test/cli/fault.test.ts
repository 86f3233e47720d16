import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasStableSqlite } from '../../src/system/this-process.ts';
import { openHome } from '../support/acceptance.ts';
import { PROGRAM, ndjson, runSync } from '../support/program.ts';

/** A home in which every Node.js runs `script` first. */
function preloading(script: string) {
  const home = openHome();
  const preload = join(home.dir, 'preload.cjs');
  writeFileSync(preload, script);
  const env = { NODE_OPTIONS: `--require=${preload}` };
  const traces = () => readdirSync(join(home.dir, 'state', 'faults'));
  return { options: { home, env }, traces, folder: join(home.dir, 'state', 'faults') };
}

/** Throws in the middle of a command that hashes its input. */
const IN_COMMAND = `require('node:crypto').hash = () => { throw new TypeError('oops'); };`;
const HASHES = ['push', 'wellness', '-', '--dry-run'];
const RECORD = '{"date":"2026-05-17","restingHr":48}';

/** Throws from a timer, as soon as the program runs. */
const IN_TIMER = `
  const timer = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return;
    clearInterval(timer);
    throw new TypeError('oops');
  }, 1);`;
/** Rejects a promise that nothing awaits. */
const REJECTION = IN_TIMER.replace(
  'throw new TypeError',
  'void Promise.reject(new TypeError',
).replace("'oops');", "'oops'));");
const RUNS_ON = ['sandbox', '--port', '0'];

describe('a fault of the program', () => {
  it.each<[string, string, string[]]>([
    ['in a command', IN_COMMAND, HASHES],
    ['in a timer', IN_TIMER, RUNS_ON],
    ['in a promise that nothing awaits', REJECTION, RUNS_ON],
  ])('prints a line, the place of its trace, and exits with 1: %s', async (_how, script, args) => {
    const { options, traces, folder } = preloading(script);
    const { code, stderr } = await runSync(args, { ...options, input: RECORD });
    const [name = ''] = traces();
    expect([code, stderr]).toEqual([
      1,
      'Error: This is a fault of sync itself: oops.\n' +
        `  Its trace is in ${join(folder, name)}. Please report it at https://github.com/athlete-sync/athlete-sync/issues.\n`,
    ]);
    expect(traces()).toHaveLength(1);
    const trace = readFileSync(join(folder, name), 'utf8');
    expect(trace).toContain('TypeError: oops');
    expect(trace).toContain('preload.cjs');
  });

  it('is an error line with --json', async () => {
    const { options, traces, folder } = preloading(IN_COMMAND);
    const { code, stdout } = await runSync([...HASHES, '--json'], { ...options, input: RECORD });
    expect(code).toBe(1);
    expect(ndjson(stdout)).toEqual([
      {
        type: 'error',
        code: 'INTERNAL',
        message: 'This is a fault of sync itself: oops.',
        hint: expect.stringMatching(/^Its trace is in /) as unknown,
        trace: join(folder, traces()[0] ?? ''),
      },
    ]);
  });

  it('in the child process of the keychain is an answer to its parent', async () => {
    const child = fork(join(dirname(PROGRAM), 'keychain-child.cjs'));
    const answers: unknown[] = [];
    child.on('message', (answer) => {
      answers.push(answer);
      if (answers.length === 2) child.disconnect();
    });
    const request = {
      service: 'sync',
      account: 'a',
      mayPrompt: true,
      limitMs: 60_000,
      maxUnits: 0,
    };
    child.send({ ...request, do: 'save' });
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, answers]).toEqual([
      0,
      [{ state: 'ready' }, { state: 'failed', message: 'nothing to save' }],
    ]);
  });
});

it('reports an installation that lacks a file', () => {
  const home = openHome();
  const dist = join(home.dir, 'dist');
  cpSync(dirname(PROGRAM), dist, { recursive: true });
  const run = () =>
    spawnSync(process.execPath, [join(dist, 'main.cjs'), 'upload', 'ride.fit'], {
      env: { ...home.env, SYNC_BASE_URL: 'http://127.0.0.1:1' },
      encoding: 'utf8',
    });
  const damaged =
    /^Error: This installation of sync is damaged: .*Cannot find module '\S+'\.?\n {2}Install it again\.\n$/;
  // The copy has no packages beside it; with a SQLite of Node.js, an upload needs none.
  const without = run();
  if (!hasStableSqlite(process.versions.node)) {
    expect([without.status, without.stderr]).toEqual([1, expect.stringMatching(damaged)]);
  }
  for (const name of readdirSync(dist)) if (/^run\./.test(name)) rmSync(join(dist, name));
  const cut = run();
  expect([cut.status, cut.stderr]).toEqual([1, expect.stringMatching(damaged)]);
});
