import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LogLimits, openRotatingLog } from '../../src/daemon/rotating-log.ts';
import { scratchDir } from './support.ts';

function openLog(limits: LogLimits, path = join(scratchDir(), 'logs', 'daemon.log')) {
  const log = openRotatingLog(path, limits);
  onTestFinished(() => log.close());
  return { log, path };
}

describe('a rotating log', () => {
  it('keeps the newest lines in so many files of so many bytes, and never more', () => {
    const { log, path } = openLog({ maxBytes: 100, files: 3 });
    // 20 bytes each: five fit.
    for (let i = 0; i < 23; i++) log.write(`line number ${String(i).padStart(7, '0')}`);
    const dir = dirname(path);
    const names = readdirSync(dir).sort();
    expect(names).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2']);
    const read = (name: string) =>
      readFileSync(join(dir, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.slice(12)));
    expect(names.map(read)).toEqual([
      [20, 21, 22],
      [15, 16, 17, 18, 19],
      [10, 11, 12, 13, 14],
    ]);
    for (const name of names) expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(100);
  });

  it('writes an entry that is longer than a whole log into one of its own', () => {
    const { log, path } = openLog({ maxBytes: 10, files: 2 });
    log.write('a');
    log.write('a line that is too long');
    log.write('b');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('a line that is too long\n');
    expect(readFileSync(path, 'utf8')).toBe('b\n');
  });

  it('goes on where the log before it ended', () => {
    const { log, path } = openLog({ maxBytes: 20, files: 2 });
    log.write('12345678');
    log.close();
    log.close();
    const again = openLog({ maxBytes: 20, files: 2 }, path);
    again.log.write('1234567');
    expect(existsSync(`${path}.1`)).toBe(false);
    again.log.write('1234');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('12345678\n1234567\n');
    expect(readFileSync(path, 'utf8')).toBe('1234\n');
  });

  it('is the user’s alone', () => {
    const { log, path } = openLog({ maxBytes: 5, files: 2 });
    log.write('12345');
    log.write('12345');
    const modes = [dirname(path), path, `${path}.1`].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  it('begins anew when somebody deletes it or moves it away', () => {
    const { log, path } = openLog({ maxBytes: 1000, files: 2 });
    log.write('one');
    rmSync(path);
    log.write('two');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    renameSync(path, `${path}.old`);
    log.write('three');
    expect(readFileSync(path, 'utf8')).toBe('three\n');
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('two\n');
  });

  it('does not fail where it cannot be written, and says later how much is missing', () => {
    const { log, path } = openLog({ maxBytes: 1000, files: 2 });
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

  it('shares the file with what others append to it', () => {
    const { log, path } = openLog({ maxBytes: 1000, files: 2 });
    log.write('one');
    appendFileSync(path, 'somebody else\n');
    log.write('two');
    expect(readFileSync(path, 'utf8')).toBe('one\nsomebody else\ntwo\n');
  });
});
