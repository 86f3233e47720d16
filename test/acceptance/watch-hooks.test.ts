import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { wrongJsonLine } from '../support/json-lines.ts';
import { truncated } from '../support/fit-maker.ts';
import type { RunningHere } from '../support/in-process.ts';
import { ndjson } from '../support/program.ts';
import { isAlive } from '../support/processes.ts';
import { writeProgram } from '../support/shell.ts';
import {
  anotherRecording,
  events,
  loginAgain,
  openWorld,
  put,
  ready,
  stop,
  until,
  world,
} from '../watch/support.ts';

beforeEach(async () => {
  await openWorld();
  mkdirSync(world.folder);
});

/** Markup, options and escapes in the name of a file. */
const HOSTILE = '--hint=int:x:1 <img src="file:x"> $(touch pwned) \\074b\\076.fit';

async function set(key: string, value: string): Promise<void> {
  expect(await world.sync(['config', 'set', key, value])).toMatchObject({ code: 0, stderr: '' });
}

/** Returns the lines of a file in the home that is written line by line. */
function linesOf(name: string): string[] {
  const path = join(world.home.dir, name);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** The hooks are shell commands, and a program on the PATH. */
describe.skipIf(process.platform !== 'linux')('desktop notifications', () => {
  /** Returns the arguments of each notification; the program on the PATH records them. */
  function notes(): string[][] {
    return linesOf('notes').map((line) => JSON.parse(line) as string[]);
  }

  /** Starts the watcher on a machine with a desktop. */
  function watchAtDesktop(...args: readonly string[]): Promise<RunningHere> {
    const { home } = world;
    put(
      join(home.dir, 'record.cjs'),
      `const [path, ...args] = process.argv.slice(2);
       require('node:fs').appendFileSync(path, JSON.stringify(args) + '\\n');`,
    );
    mkdirSync(join(home.dir, 'tools'), { recursive: true });
    writeProgram(
      join(home.dir, 'tools', 'notify-send'),
      `exec '${process.execPath}' '${home.dir}/record.cjs' '${home.dir}/notes' "$@"`,
    );
    const PATH = `${join(home.dir, 'tools')}:${process.env['PATH'] ?? ''}`;
    return world.watch(args, { PATH, DISPLAY: ':7' });
  }

  it('name a ride that arrived, and sum up those of a device', async () => {
    const watcher = await ready(watchAtDesktop());
    put(join(world.folder, 'one.fit'), anotherRecording({ sport: 2 }));
    await until(() => notes().length === 1);
    for (let i = 0; i < 6; i++) put(join(world.folder, `${i}.fit`), anotherRecording());
    await until(() => notes().length === 2);
    await stop(watcher);
    expect(world.recordings()).toHaveLength(7);
    expect(notes()).toEqual([
      ['--app-name=sync', '--', 'sync', /^Ride, \d+ m: uploaded$/],
      ['--app-name=sync', '--', 'sync', '6 recordings uploaded'],
    ]);
  });

  it('show a ride that arrived just before the end of the watcher', async () => {
    const watcher = await ready(watchAtDesktop());
    put(join(world.folder, 'one.fit'), anotherRecording());
    await until(() => events(watcher, 'upload').length === 1);
    await stop(watcher);
    await until(() => notes().length === 1);
  });

  it.each([
    ['hangs', 'echo $$ > hung; exec /bin/sleep 600'],
    ['does not exist', undefined],
  ])('do not delay the end of the watcher if notify-send %s', async (_what, script) => {
    const folder = join(world.home.dir, 'tools');
    mkdirSync(folder);
    if (script !== undefined) writeProgram(join(folder, 'notify-send'), script);
    const watcher = await ready(world.watch([], { PATH: folder, DISPLAY: ':7' }));
    put(join(world.folder, 'one.fit'), anotherRecording());
    await until(() => world.recordings().length === 1);
    // 0: not ended by the signal after the grace period.
    expect(await stop(watcher)).toBe(0);
    if (script === undefined) return;
    await until(() => linesOf('hung').length === 1);
    process.kill(Number(linesOf('hung')[0]));
  });

  it('show the name of a damaged file as plain text, never as an option or markup', async () => {
    const path = join(world.folder, HOSTILE);
    put(path, truncated(anotherRecording(), 100));
    const yesterday = Date.now() / 1000 - 86_400;
    utimesSync(path, yesterday, yesterday);
    const watcher = await watchAtDesktop();
    await until(() => notes().length === 1);
    await stop(watcher);
    const [[, dashes, title, text = '', ...more] = []] = notes();
    expect([dashes, title, more]).toEqual(['--', 'sync: damaged or incomplete recording', []]);
    const name = String.raw`--hint=int:x:1 &lt;img src="file:x"&gt; $(touch pwned) \\074b\\076.fit: `;
    expect(text.slice(0, name.length)).toBe(name);
    expect(text.slice(name.length)).not.toMatch(/[<>]/);
    expect(readdirSync(world.home.dir)).not.toContain('pwned');
  });

  it('are limited by the setting', async () => {
    await set('notifications', 'needed');
    const watcher = await ready(watchAtDesktop());
    put(join(world.folder, 'one.fit'), anotherRecording({ sport: 2 }));
    await until(() => world.recordings().length === 1);
    world.sandbox.control.revoke();
    put(join(world.folder, 'two.fit'), anotherRecording({ sport: 1 }));
    await watcher.waitFor(/"event":"login-needed"/);
    await stop(watcher);
    await set('notifications', 'on');
    await loginAgain();
    const next = await watchAtDesktop();
    // By then a notification of the first one would have been shown, too.
    await until(() => notes().length >= 2);
    await stop(next);
    const titles = notes().map(([, , title, text]) => [title, text?.split(',')[0]]);
    expect(titles).toEqual([
      ['sync: recordings wait for a login', /login/],
      ['sync', 'Run'],
    ]);
  });

  it('are not shown by --once', async () => {
    put(join(world.folder, 'one.fit'), anotherRecording());
    await set('onEvent', 'cat >> events');
    expect((await (await watchAtDesktop('--once')).finished).code).toBe(0);
    expect(world.recordings()).toHaveLength(1);
    expect([notes(), linesOf('events')]).toEqual([[], []]);
  });
});

describe.skipIf(process.platform === 'win32')('the command of onEvent', () => {
  it('gets the lines of --json, but for files that are no recordings', async () => {
    await set('onEvent', 'cat >> events; env >> variables');
    put(join(world.folder, 'settings.fit'), anotherRecording({ type: 2 }));
    put(join(world.folder, HOSTILE), anotherRecording());
    const watcher = await ready(world.watch([], { SYNC_CLIENT_SECRET: 'cs-hush' }));
    await until(() => events(watcher, 'upload').length === 2);
    await until(() => linesOf('events').length === 4);
    await stop(watcher);
    const passed = `${linesOf('events').join('\n')}\n`;
    expect(wrongJsonLine(passed)).toBeUndefined();
    const printed = ndjson(watcher.stdout()).filter(
      ({ outcome, type }) => outcome !== 'skipped' && type !== 'summary',
    );
    const last = printed.at(-1);
    // On a busy machine, the command may not end within the grace period of its last event.
    if (last?.['event'] === 'problem') expect(last['message']).toMatch(/event.* left out/);
    const told = last?.['event'] === 'problem' ? printed.slice(0, -1) : printed;
    expect(told.slice(0, linesOf('events').length)).toEqual(ndjson(passed));
    expect(told.map(({ event, type }) => event ?? type)).toEqual(
      'started folder ready upload stopped'.split(' '),
    );
    expect(linesOf('variables').join('\n')).not.toContain('hush');
    expect(linesOf('variables')).toContain('SYNC_PROFILE=default');
    expect(readdirSync(world.home.dir)).not.toContain('pwned');
  });

  it('delays neither uploads nor the end of the watcher if it never ends', async () => {
    await set('onEvent', `trap '' TERM; echo $$ >> pids; while :; do sleep 600; done`);
    const watcher = await ready(world.watch());
    for (let i = 0; i < 3; i++) put(join(world.folder, `${i}.fit`), anotherRecording());
    await until(() => world.recordings().length === 3);
    await until(() => linesOf('pids').length === 1);
    const asked = performance.now();
    expect(await stop(watcher)).toBe(0);
    // The contract is 5 s; a machine that is busy may take longer to notice, not for minutes.
    expect(performance.now() - asked).toBeLessThan(15_000);
    const [pid = ''] = linesOf('pids');
    await until(() => !isAlive(Number(pid)));
  });

  it('writes to the log of a daemon', async () => {
    await set('onEvent', 'echo "an event"; echo "on two lines"');
    expect((await world.sync(['watch', world.folder, '--daemon'])).code).toBe(0);
    const logs = async () => (await world.sync(['daemon', 'logs'])).stdout;
    let log = '';
    while (!log.includes('onEvent: ')) log = await logs();
    expect((await world.sync(['daemon', 'stop'])).code).toBe(0);
    expect(log).toMatch(/\d\d {2}onEvent: an event\n {4}onEvent: on two lines\n/);
  });
});
