import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/terminal/io.ts';
import { ProgressDisplay } from '../../src/terminal/progress.ts';
import { plainIo } from '../support/io.ts';
import { manualClock } from '../watch/manual-clock.ts';

function open(over: Partial<Io>) {
  const shown: string[] = [];
  const clock = manualClock();
  const io = plainIo({
    err: (line) => shown.push(line),
    drawLine: (text) => shown.push(`draw ${text}`),
    ...over,
  });
  const progress = new ProgressDisplay(io, clock);
  const count = (done: number) => progress.update({ noun: 'recording', done, total: 4 });
  return { progress, clock, shown, count };
}

const TERMINAL = { stderrIsTerminal: true, redraws: true, stderrColumns: 30 };

describe('progress on a terminal', () => {
  it('is drawn at an interval, and erased at the end', async () => {
    const { progress, clock, shown, count } = open(TERMINAL);
    count(0);
    await clock.advance(99);
    expect(shown).toEqual([]);
    count(1);
    await clock.advance(101);
    progress.stop();
    progress.stop();
    await clock.advance(1000);
    expect(shown).toEqual(['draw █░░░░░  1 of 4', 'draw █░░░░░  1 of 4', 'draw ']);
  });

  it('is drawn again after an update that follows the end', async () => {
    const { progress, clock, shown, count } = open(TERMINAL);
    count(1);
    progress.stop();
    count(2);
    await clock.advance(100);
    progress.stop();
    expect(shown).toEqual(['draw ███░░░  2 of 4', 'draw ']);
  });

  it('begins a new time left with other items', async () => {
    const { progress, clock, shown, count } = open({ ...TERMINAL, stderrColumns: 60 });
    count(1);
    await clock.advance(60_000);
    progress.update({ noun: 'day', done: 1, total: 2 });
    await clock.advance(4000);
    progress.stop();
    expect(shown.at(-2)).toContain('1 of 2  4 s left');
  });
});

it('prints a line every 10 seconds without a terminal, and none in a short run', async () => {
  const { progress, clock, shown, count } = open({});
  count(1);
  await clock.advance(9999);
  expect(shown).toEqual([]);
  await clock.advance(1);
  count(3);
  await clock.advance(10_000);
  progress.stop();
  await clock.advance(60_000);
  expect(shown).toEqual(['1 of 4 recordings, 30 s left', '3 of 4 recordings, 7 s left']);
});
