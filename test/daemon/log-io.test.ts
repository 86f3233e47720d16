import { describe, expect, it } from 'vitest';
import { logEntry, logIo } from '../../src/daemon/log-io.ts';

const NOON = new Date(2026, 1, 15, 12, 0, 5).getTime();

describe('a log in place of a terminal', () => {
  it('puts the local time before each entry, and indents its further lines', () => {
    expect(logEntry(NOON, 'Error: no.\n  Do this.')).toBe(
      '2026-02-15 12:00:05  Error: no.\n      Do this.',
    );
  });

  it('leaves an entry alone that begins with its time', () => {
    expect(logEntry(NOON, '2026-02-15 11:59:59  Ready.')).toBe('2026-02-15 11:59:59  Ready.');
    expect(logEntry(NOON, '2026-02-15 is a Sunday')).toBe(
      '2026-02-15 12:00:05  2026-02-15 is a Sunday',
    );
  });

  it('takes results and remarks alike, and has nobody to ask', async () => {
    const written: string[] = [];
    const journal: string[] = [];
    const log = { write: (line: string) => void written.push(line), close: () => undefined };
    const clock = { now: () => NOON, monotonic: () => NOON, sleep: () => Promise.resolve() };
    const io = logIo(log, clock, (line) => journal.push(line));
    io.out('result');
    io.err('remark');
    expect(written).toEqual(['2026-02-15 12:00:05  result', '2026-02-15 12:00:05  remark']);
    expect(journal).toEqual(['result', 'remark']);
    expect([io.interactive, io.colour, io.stdoutIsTerminal, io.stderrIsTerminal]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    await expect(io.ask('Password?', { signal: new AbortController().signal })).rejects.toThrow(
      'nobody can be asked',
    );
    const stdin = [];
    for await (const chunk of io.readStdin()) stdin.push(chunk);
    expect(stdin).toEqual([]);
  });
});
