import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/terminal/io.ts';
import { ProgressDisplay } from '../../src/terminal/progress.ts';
import { plainIo } from '../support/io.ts';
import { manualClock } from '../watch/manual-clock.ts';

function open(over: Partial<Io>) {
  const shown: string[] = [];
  /** The lines of the spinners that are shown now. */
  const drawn: (() => string)[] = [];
  const clock = manualClock();
  const io = plainIo({
    err: (line) => shown.push(line),
    spin(line) {
      drawn.push(line);
      return () => void drawn.pop();
    },
    ...over,
  });
  const progress = new ProgressDisplay(io, clock);
  const count = (done: number) => progress.update({ noun: 'recording', done, total: 4 });
  const now = () => drawn.map((line) => line());
  return { progress, clock, shown, now, count };
}

const TERMINAL = { stderrIsTerminal: true, redraws: true, stderrColumns: 30 };

describe('progress on a terminal', () => {
  it('is shown after a moment, counts on, and ends', async () => {
    const { progress, clock, now, count } = open(TERMINAL);
    count(0);
    await clock.advance(99);
    expect(now()).toEqual([]);
    await clock.advance(1);
    count(1);
    expect(now()).toEqual(['█░░░░░  1 of 4']);
    progress.stop();
    progress.stop();
    await clock.advance(1000);
    expect(now()).toEqual([]);
  });

  it('is shown again after an update that follows the end', async () => {
    const { progress, clock, now, count } = open(TERMINAL);
    count(1);
    progress.stop();
    count(2);
    await clock.advance(100);
    expect(now()).toEqual(['███░░░  2 of 4']);
    progress.stop();
    expect(now()).toEqual([]);
  });

  it('begins a new time left with other items', async () => {
    const { progress, clock, now, count } = open({ ...TERMINAL, stderrColumns: 60 });
    count(1);
    await clock.advance(60_000);
    progress.update({ noun: 'day', done: 1, total: 2 });
    await clock.advance(4000);
    expect(now()[0]).toContain('1 of 2  4 s left');
    progress.stop();
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
