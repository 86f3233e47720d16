import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/system/this-process.ts';
import { EventCommand } from '../../../src/watch/hooks/event-command.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { until } from '../support.ts';
import { isAlive } from '../../support/processes.ts';
import { scratchDir } from '../../support/scratch-dir.ts';
import { NEVER_MS } from '../../support/until.ts';

let dir: string;
beforeEach(() => void (dir = scratchDir()));

/** A clock with which the end waits until all events had their run: a busy machine needs more than a second. */
const PATIENT: typeof systemClock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 1_000 ? NEVER_MS : ms, signal),
};

interface Opened {
  readonly events: EventCommand;
  readonly output: string[];
  readonly failures: string[];
}

/** Opens a command that runs in the folder of the test. */
function open(command: string, clock: ManualClock | typeof systemClock = systemClock): Opened {
  const output: string[] = [];
  const failures: string[] = [];
  const events = new EventCommand(
    { clock },
    {
      command,
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir, SYNC_ACCESS_TOKEN: 'at-hush' },
      platform: process.platform,
      onOutput: (text) => output.push(text),
      onFailure: (message) => failures.push(message),
    },
  );
  return { events, output, failures };
}

/** Returns the lines of a file that a command wrote, without the last line if that is still being written. */
function lines(name: string): string[] {
  const path = join(dir, name);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** The commands here are those of a Unix shell. */
describe.skipIf(process.platform === 'win32')('the command of onEvent', () => {
  it('gets each event as one line on stdin, one run at a time, in order', async () => {
    const command = 'echo start >> log; cat >> log; sleep 0.05; echo end >> log';
    const { events, output, failures } = open(command, PATIENT);
    for (const line of ['{"n":1}', '{"n":2}', '{"n":3}']) events.pass(line);
    await events.close();
    expect(lines('log')).toEqual([1, 2, 3].flatMap((n) => ['start', `{"n":${n}}`, 'end']));
    expect([output, failures]).toEqual([[], []]);
  });

  it('is read by a shell, in the home folder, without the tokens', async () => {
    const { events } = open('{ pwd; echo "$HOME" ~; env; } | cat > "a b"', PATIENT);
    events.pass('{}');
    await events.close();
    const [pwd = '', homes, ...env] = lines('a b');
    expect(pwd.endsWith(dir)).toBe(true);
    expect(homes).toBe(`${dir} ${dir}`);
    expect(env.join('\n')).not.toContain('hush');
  });

  it('gets no text of an event as an argument, a variable or a part of its script', async () => {
    const hostile = `{"path":"$(touch pwned) ; touch pwned \`touch pwned\` ' \\" -- --help"}`;
    const command = "tr '\\0' '\\n' < /proc/$$/cmdline > args; env > env; cat > stdin; ls > files";
    const { events } = open(
      process.platform === 'linux' ? command : command.replace(/^.*?; /, ''),
      PATIENT,
    );
    events.pass(hostile);
    await events.close();
    expect(lines('stdin')).toEqual([hostile]);
    expect(lines('files')).not.toContain('pwned');
    expect([...lines('args'), ...lines('env')].join('\n')).not.toContain('touch pwned');
  });

  it('may leave its stdin unread', async () => {
    const { events, failures } = open('exit 0', PATIENT);
    events.pass('x'.repeat(1_000_000));
    await events.close();
    expect(failures).toEqual([]);
  });

  it('logs what it writes, to a limit', async () => {
    const { events, output } = open(
      'read -r n; echo "out $n"; echo "err $n" >&2; [ "$n" = 1 ] || yes | head -c 100000',
      PATIENT,
    );
    events.pass('1');
    events.pass('2');
    await events.close();
    expect(output[0]?.split('\n').sort()).toEqual(['err 1', 'out 1']);
    expect(output[1]?.length).toBeLessThan(4_100);
    expect(output[1]).toMatch(/\n\(the rest of its output is left out\)$/);
  });

  it.each([
    ['fails', 'exit 3', 'exit code 3'],
    ['does not exist', 'no-such-program-here', 'exit code 127'],
    ['ends itself', 'kill -KILL $$', 'it was ended by SIGKILL'],
  ])('is reported once if it %s, until it works again', async (_what, bad, reason) => {
    const { events, failures } = open(
      `read -r word; echo "$word" >> log; [ "$word" = good ] || ${bad}`,
      PATIENT,
    );
    const message = `The command of onEvent failed: ${reason}. Further failures are not reported until it works again.`;
    for (const word of ['bad', 'bad', 'bad']) events.pass(word);
    await until(() => lines('log').length === 3);
    for (const word of ['good', 'bad', 'bad']) events.pass(word);
    await until(() => lines('log').length === 6);
    await events.close();
    expect(failures).toEqual([message, message]);
  });

  it('has its words logged once while it fails in the same way', async () => {
    const { events, output } = open('read -r word; echo "$word" >&2; [ "$word" = good ]');
    for (const word of ['bad', 'bad', 'worse', 'good', 'good', 'bad']) events.pass(word);
    // The end gives all of them together one second.
    await until(() => output.length === 5);
    await events.close();
    expect(output).toEqual(['bad', 'worse', 'good', 'good', 'bad']);
  });

  it('is reported if its folder is gone', async () => {
    const { events, failures } = open('cat', PATIENT);
    rmSync(dir, { recursive: true });
    events.pass('{}');
    await events.close();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('ENOENT');
  });

  it('ends after 60 s with all that it started, and the next event gets its run', async () => {
    const clock = manualClock();
    const command = `read -r n; [ "$n" = 2 ] || { trap '' TERM; sleep 600 & echo $! > pid; echo $$ >> pid; wait; sleep 600; }; echo "$n" >> log`;
    const { events, failures } = open(command, clock);
    events.pass('1');
    events.pass('2');
    await until(() => lines('pid').length === 2);
    await clock.advance(59_999);
    expect(lines('pid').map(Number).filter(isAlive)).toHaveLength(2);
    await clock.advance(1);
    // On a busy machine, the pauses before SIGKILL and for the output begin later. The second run has 60 s, too.
    for (let at = 0; at < 30_000 && lines('log').length === 0; at += 300) {
      await clock.advance(300);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await until(() => lines('log').length > 0);
    expect(lines('pid').map(Number).some(isAlive)).toBe(false);
    await events.close();
    expect(lines('log')).toEqual(['2']);
    expect(failures).toEqual([
      'The command of onEvent failed: it ran for more than 60 s. Further failures are not reported until it works again.',
    ]);
  });

  it('ends within 2 s of the watcher, also if it ignores SIGTERM', async () => {
    const { events, failures } = open(`trap '' TERM; echo $$ > pid; while :; do sleep 600; done`);
    events.pass('1');
    events.pass('2');
    await until(() => lines('pid').length === 1);
    const before = performance.now();
    await Promise.all([events.close(), events.close()]);
    const [pid = 0] = lines('pid').map(Number);
    await until(() => !isAlive(pid));
    // The limit is 1.6 s; a busy machine gets more.
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(failures).toEqual([
      'The watcher ended before the command of onEvent: 2 events left out.',
    ]);
    events.pass('3');
    expect(lines('pid')).toHaveLength(1);
  });

  it('does not wait for a program that it leaves running', async () => {
    const { events, failures } = open('sleep 600 & echo $! >> pid');
    events.pass('1');
    events.pass('2');
    await until(() => lines('pid').length === 2);
    await events.close();
    expect(failures).toEqual([]);
    const pids = lines('pid').map(Number);
    expect(pids.filter(isAlive)).toHaveLength(2);
    for (const pid of pids) process.kill(pid);
  });

  it('keeps the latest 1,000 events while it is slow, and reports that once', async () => {
    const { events, failures } = open('cat >> log; sleep 600');
    for (let n = 0; n < 1_500; n++) events.pass(String(n));
    expect(failures).toEqual([
      'The command of onEvent is slow: 1000 events wait for it. The oldest are left out.',
    ]);
    await until(() => lines('log').length === 1);
    await events.close();
    expect(lines('log')).toEqual(['0']);
    expect(failures.at(-1)).toBe(
      'The watcher ended before the command of onEvent: 1001 events left out.',
    );
  });
});
