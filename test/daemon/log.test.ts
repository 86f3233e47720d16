import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogReader, logEntry, logIo, openLog } from '../../src/daemon/log.ts';
import { systemClock } from '../../src/system/this-process.ts';
import { useBuild } from '../support/build.ts';
import { FORBIDDEN, HOSTILE } from '../support/hostile.ts';
import { until } from '../watch/support.ts';
import { scratchDir } from './support.ts';

const program = useBuild({ 'log-writer': 'test/daemon/children/log-writer.ts' });

/** Another process that writes the log. */
function startWriter(path: string, maxBytes: number) {
  const args = [program('log-writer'), path, String(maxBytes)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    /** @returns the number of lines written so far */
    async write(count: number): Promise<number> {
      child.send(count);
      const [written] = (await once(child, 'message')) as [number];
      return written;
    },
  };
}

function startFollowing(path: string, last: number) {
  const reader = new LogReader(path, systemClock);
  const ended = new AbortController();
  const lines = reader.last(last);
  const following = reader.follow((line) => lines.push(line), ended.signal);
  onTestFinished(async () => {
    ended.abort(new Error('the test is over'));
    await following;
  });
  return { lines, ended, following };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `line ${String(from + i)} ü`);

describe('sync daemon logs -f', () => {
  it('shows every line once, across changes of the log file', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, 400);
    let written = await writer.write(3);
    const { lines } = startFollowing(path, 10);
    // 400 bytes hold about 35 lines: each burst puts the log aside once at most.
    for (let round = 0; round < 40; round++) {
      written = await writer.write(1 + ((round * 7) % 30));
      await until(
        () => lines.length === written,
        () => `${String(lines.length)} of ${String(written)}`,
      );
    }
    expect(lines).toEqual(numbered(0, written));
  });

  it('waits for a log that does not exist yet', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const { lines } = startFollowing(path, 10);
    expect(lines).toEqual([]);
    const writer = startWriter(path, 1000);
    await writer.write(2);
    await until(() => lines.length === 2);
    expect(lines).toEqual(numbered(0, 2));
  });

  it('continues with the remaining lines after several changes of the log file at once', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, 100);
    await writer.write(1);
    const { lines } = startFollowing(path, 10);
    const written = await writer.write(200);
    await until(() => lines.at(-1) === `line ${String(written - 1)} ü`);
    const numbers = lines.map((line) => Number(line.split(' ')[1]));
    const gaps = numbers.filter((number, at) => at > 0 && number !== (numbers[at - 1] ?? 0) + 1);
    expect(numbers[0]).toBe(0);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(gaps.length).toBeGreaterThan(0);
  });

  it('prints a line when it is complete, also if a character arrives in two parts', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const bytes = Buffer.from('first\nsecond ü\n');
    const cut = bytes.indexOf(0xc3) + 1;
    writeFileSync(path, bytes.subarray(0, cut));
    const { lines } = startFollowing(path, 10);
    expect(lines).toEqual(['first']);
    writeFileSync(path, bytes.subarray(cut), { flag: 'a' });
    await until(() => lines.length === 2);
    expect(lines).toEqual(['first', 'second ü']);
  });
});

describe('sync daemon logs -n', () => {
  it('shows the last lines, including those of the older log', async () => {
    const path = join(scratchDir(), 'daemon.log');
    const writer = startWriter(path, 200);
    await writer.write(30);
    const last = (count: number) => new LogReader(path, systemClock).last(count);
    expect(last(0)).toEqual([]);
    expect(last(1)).toEqual(numbered(29, 30));
    expect(last(18)).toEqual(numbered(12, 30));
    const all = last(1000);
    expect(all).toEqual(numbered(30 - all.length, 30));
  });

  it('shows the older log if the writer died between the two', () => {
    const path = join(scratchDir(), 'daemon.log');
    writeFileSync(path, 'one\ntwo\n');
    renameSync(path, `${path}.1`);
    const reader = new LogReader(path, systemClock);
    expect(reader.last(5)).toEqual(['one', 'two']);
    rmSync(`${path}.1`);
    expect(new LogReader(path, systemClock).last(5)).toEqual([]);
  });
});

describe('the log of a daemon', () => {
  const pathIn = () => join(scratchDir(), 'logs', 'daemon.log');

  it('is moved aside before it exceeds its limit, and one older log is kept', () => {
    const path = pathIn();
    const log = openLog(path, 100);
    // 20 bytes each: five fit.
    for (let i = 0; i < 13; i++) log.write(`line number ${String(i).padStart(7, '0')}`);
    const read = (file: string) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.slice(12)));
    expect([path, `${path}.1`].map(read)).toEqual([
      [10, 11, 12],
      [5, 6, 7, 8, 9],
    ]);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(100);
    expect(existsSync(`${path}.2`)).toBe(false);
  });

  it('accepts an entry that is longer than its limit', () => {
    const path = pathIn();
    const log = openLog(path, 10);
    log.write('a');
    log.write('a line that is too long');
    log.write('b');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('a line that is too long\n');
    expect(readFileSync(path, 'utf8')).toBe('b\n');
  });

  it('continues the log of an earlier daemon', () => {
    const path = pathIn();
    openLog(path, 20).write('12345678');
    const again = openLog(path, 20);
    again.write('1234567');
    expect(existsSync(`${path}.1`)).toBe(false);
    again.write('1234');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('12345678\n1234567\n');
    expect(readFileSync(path, 'utf8')).toBe('1234\n');
  });

  it('is readable by its user only', () => {
    const path = pathIn();
    const log = openLog(path, 5);
    log.write('12345');
    log.write('12345');
    const modes = [dirname(path), path, `${path}.1`].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('starts a new file after it was deleted or moved', () => {
    const path = pathIn();
    const log = openLog(path);
    log.write('one');
    rmSync(path);
    log.write('two');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    renameSync(path, `${path}.old`);
    log.write('three');
    expect(readFileSync(path, 'utf8')).toBe('three\n');
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('two\n');
  });

  it('survives write errors, and later reports how many entries are missing', () => {
    const path = pathIn();
    const log = openLog(path);
    log.write('one');
    rmSync(path);
    mkdirSync(path);
    log.write('two');
    log.write('three');
    rmdirSync(path);
    log.write('four');
    log.write('five');
    expect(readFileSync(path, 'utf8')).toBe('(2 entries could not be written here)\nfour\nfive\n');
  });

  it('shares the file with other writers', () => {
    const path = pathIn();
    const log = openLog(path);
    log.write('one');
    appendFileSync(path, 'another program\n');
    log.write('two');
    expect(readFileSync(path, 'utf8')).toBe('one\nanother program\ntwo\n');
  });
});

const NOON = new Date(2026, 1, 15, 12, 0, 5).getTime();

describe('the output of a background process', () => {
  it('holds no control sequence, whatever an entry or the runtime said', () => {
    const path = join(scratchDir(), 'daemon.log');
    openLog(path).write(`a${HOSTILE}\n\tb`);
    const text = readFileSync(path, 'utf8');
    expect(text.startsWith('ax ]52;')).toBe(true);
    expect(text.replaceAll(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
  });

  it('prefixes each entry with the local time and indents its further lines', () => {
    expect(logEntry(NOON, 'Error: no.\n  Do this.')).toBe(
      '2026-02-15 12:00:05  Error: no.\n      Do this.',
    );
  });

  it('keeps the time of an entry that begins with one', () => {
    expect(logEntry(NOON, '2026-02-15 11:59:59  Ready.')).toBe('2026-02-15 11:59:59  Ready.');
    expect(logEntry(NOON, '2026-02-15 is a Sunday')).toBe(
      '2026-02-15 12:00:05  2026-02-15 is a Sunday',
    );
  });

  it('accepts results and remarks, and refuses to ask questions', async () => {
    const written: string[] = [];
    const journal: string[] = [];
    const log = { write: (line: string) => void written.push(line) };
    const clock = { now: () => NOON, monotonic: () => NOON, sleep: () => Promise.resolve() };
    const io = logIo(log, clock, (line) => journal.push(line));
    io.out('result');
    io.err('remark');
    expect(written).toEqual(['2026-02-15 12:00:05  result', '2026-02-15 12:00:05  remark']);
    expect(journal).toEqual(['result', 'remark']);
    expect([io.interactive, io.stdoutIsTerminal, io.stderrIsTerminal]).toEqual([
      false,
      false,
      false,
    ]);
    await expect(io.ask('Password?', { signal: new AbortController().signal })).rejects.toThrow(
      'cannot ask',
    );
    const stdin = [];
    for await (const chunk of io.readStdin(new AbortController().signal)) stdin.push(chunk);
    expect(stdin).toEqual([]);
  });
});
