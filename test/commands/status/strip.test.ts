import { expect, it } from 'vitest';
import { marksOfDays, stripLines } from '../../../src/commands/status/strip.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../../support/activity.ts';
import { scratchLedger } from '../../support/ledger.ts';

/** Returns the marks of the days up to 2026-03-02 of a ledger with every state. */
function marks() {
  const ledger = scratchLedger();
  const { uploads, records } = ledger;
  const upload = (path: string, start: string, end: 'confirm' | 'reject' | 'release') => {
    const activity = { ...NO_ACTIVITY, startedAt: Date.parse(start), offsetMinutes: 60 };
    const workout = { ...NO_WORKOUT, sentAs: path };
    uploads.claim({ sha256: path, path, size: 1, activity, workout }, false);
    if (end === 'confirm') uploads.confirm(path, 1, {});
    else if (end === 'reject') uploads.reject(path, 1, 'no');
    else uploads.release(path, 1);
  };
  upload('outside.fit', '2026-02-16T22:59:00Z', 'confirm');
  upload('first.fit', '2026-02-16T23:00:00Z', 'confirm');
  upload('waiting.fit', '2026-02-28T08:00:00Z', 'release');
  upload('good.fit', '2026-03-01T08:00:00Z', 'confirm');
  upload('refused.fit', '2026-03-01T18:00:00Z', 'reject');
  records.claim('nutrition', '2026-03-01', 'x', false);
  records.confirm('nutrition', '2026-03-01', 'x', { undone: true });
  records.claim('wellness', '2026-03-02', 'x', false);
  records.confirm('wellness', '2026-03-02', 'x');
  records.claim('nutrition', '2026-03-02', 'x', false);
  records.release('nutrition', '2026-03-02');
  return marksOfDays(ledger, '2026-03-02', 'UTC');
}

it('shows the worst state of the recordings of each local day, and the state of its records', () => {
  const days = marks();
  expect(days.map(({ date }) => date)).toEqual([
    ...Array.from({ length: 12 }, (_, index) => `2026-02-${17 + index}`),
    '2026-03-01',
    '2026-03-02',
  ]);
  expect([days[0], days[11], days[12], days[13]]).toEqual([
    { date: '2026-02-17', activity: 'confirmed', wellness: 'none', nutrition: 'none' },
    { date: '2026-02-28', activity: 'waiting', wellness: 'none', nutrition: 'none' },
    { date: '2026-03-01', activity: 'refused', wellness: 'none', nutrition: 'undone' },
    { date: '2026-03-02', activity: 'none', wellness: 'confirmed', nutrition: 'waiting' },
  ]);
});

it('draws a row for each kind within 51 columns', () => {
  expect(stripLines(marks(), true)).toEqual([
    '          Tu We Th Fr Sa Su Mo Tu We Th Fr Sa Su Mo',
    '          17 18 19 20 21 22 23 24 25 26 27 28  1  2',
    'Activity   ●  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ○  ×  ·',
    'Wellness   ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ●',
    'Nutrition  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ↶  ○',
    '          ○ waiting  × refused  ↶ undone',
  ]);
  expect(stripLines(marks(), false).slice(2)).toEqual([
    'Activity   *  .  .  .  .  .  .  .  .  .  .  o  x  .',
    'Wellness   .  .  .  .  .  .  .  .  .  .  .  .  .  *',
    'Nutrition  .  .  .  .  .  .  .  .  .  .  .  .  <  o',
    '          o waiting  x refused  < undone',
  ]);
});

it('draws empty days without a ledger', () => {
  const [, , ...rows] = stripLines(marksOfDays(undefined, '2026-03-02', 'UTC'), false);
  expect(rows).toEqual(
    ['Activity ', 'Wellness ', 'Nutrition'].map((title) => title + '  .'.repeat(14)),
  );
});
