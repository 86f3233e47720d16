import { describe, expect, it } from 'vitest';
import { glyphsFor } from '../../src/terminal/features.ts';
import { progressLine, progressText } from '../../src/terminal/progress-text.ts';
import { widthOf } from '../../src/terminal/wrap.ts';

const STATE = {
  noun: 'recording',
  done: 52,
  total: 270,
  sentBytes: 6_600_000,
  current: 'rides/2026-02-12-08-43-50-run.fit',
};
const UNICODE = glyphsFor(true);

describe('a progress line', () => {
  it.each([
    [
      200,
      '█████░░░░░░░░░░░░░░░░░░░░░░░░░  52 of 270  6.6 MB  660 kB/s  42 s left  rides/2026-02-12-08-43-50-run.fit',
    ],
    [78, '███░░░░░░░░░░░░░░░░  52 of 270  6.6 MB  660 kB/s  42 s left  rides/2026-02-12…'],
    [57, '██░░░░░░░░░░░░  52 of 270  6.6 MB  660 kB/s  42 s left'],
    [39, '█░░░░░░░░  52 of 270  6.6 MB  42 s left'],
    [38, '█░░░░░░░░  52 of 270  42 s left'],
    [20, '█░░░░░  52 of 270'],
    [9, '52 of 270'],
  ])('fits into %i columns: the least important parts are left out', (width, line) => {
    expect(progressLine(STATE, 10_000, width, UNICODE)).toBe(line);
  });

  it('never exceeds its width, with wide characters in the name', () => {
    const current = '朝のライド 🚴🏽‍♀️ Größe.fit'.repeat(5);
    for (let width = 0; width <= 200; width++) {
      const line = progressLine({ ...STATE, current }, 10_000, width, UNICODE);
      expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it('draws with ASCII characters', () => {
    const line = progressLine(STATE, 10_000, 78, glyphsFor(false));
    expect(line).toBe(
      '###----------------  52 of 270  6.6 MB  660 kB/s  42 s left  rides/2026-02-...',
    );
  });

  it('shows no rate and no time left at first', () => {
    expect(progressLine(STATE, 1000, 78, UNICODE)).toBe(
      '███░░░░░░░░░░░░░░░░  52 of 270  6.6 MB  rides/2026-02-12-08-43-50-run.fit',
    );
  });

  it('counts without a bar if the total is unknown', () => {
    const state = { noun: 'file', done: 312, current: 'export.zip' };
    expect(progressLine(state, 10_000, 78, UNICODE)).toBe('312 files  export.zip');
  });

  it('shows what the command does if it counts nothing', () => {
    const state = { noun: '', current: 'Starting; the first rescan is running' };
    expect(progressLine(state, 10_000, 20, UNICODE)).toBe('Starting; the first…');
  });
});

it.each([
  [10_000, '52 of 270 recordings, 6.6 MB, 660 kB/s, 42 s left'],
  [3_600_000, '52 of 270 recordings, 6.6 MB, 1.8 kB/s, 4 h 12 min left'],
  [600_000, '52 of 270 recordings, 6.6 MB, 11 kB/s, 42 min left'],
])('formats progress after %i ms for a log', (elapsedMs, text) => {
  expect(progressText(STATE, elapsedMs)).toBe(text);
});
