import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CYCLING } from '../../src/fit/sports.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { profileOf, synthesize } from '../../src/seed/synthesize.ts';

const MONTH = { days: 28, until: '2026-05-17', zone: 'Europe/Berlin' };
const SEEDS = [1, 2, 3];

/** The column of one seed, from the generated data. */
function columnOf(seed: number): string[] {
  const days = [...synthesize({ ...MONTH, seed })];
  const recordings = days.flatMap((day) => day.recordings);
  const summaries = recordings.map(({ bytes }) => readSummary(bytes));
  const rides = summaries.filter(({ sessions: [session] }) => session?.sport === CYCLING).length;
  const secs = summaries.reduce((sum, { timerSecs = 0 }) => sum + timerSecs, 0);
  const starts = days
    .filter(({ date }) => ![0, 6].includes(new Date(date).getUTCDay()))
    .flatMap((day) => day.recordings.map(({ fileName }) => fileName.slice(11, 16)));
  const { weight, ftp } = profileOf({ ...MONTH, seed });
  return [
    summaries[0]?.fileId?.productName?.replace(' (synthetic)', '') ?? '',
    `${weight} kg, ${ftp} W`,
    `${rides} rides, ${recordings.length - rides} runs`,
    `${((secs / 3600 / MONTH.days) * 7).toFixed(1)} h`,
    median(starts).replace('-', ':'),
    String(days.filter((day) => day.recordings.length === 0).length),
    `${median(days.map(({ wellness }) => wellness.hrv)).toFixed(0)} ms`,
  ];
}

function median<T>(values: readonly T[]): T {
  const sorted = [...values].sort((one, other) => (one < other ? -1 : 1));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no values');
  return middle;
}

it('the table of three seeds in docs/ci.md shows what the generator makes', () => {
  const page = readFileSync('docs/ci.md', 'utf8');
  const [, table = ''] = /^(\|[^\n]*`--seed 1`[^\n]*\n(?:\|[^\n]*\n)*)/m.exec(page) ?? [];
  const [heads = [], , ...rows] = table
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(2, -1)
        .map((cell) => cell.trim()),
    );
  expect(heads).toEqual(SEEDS.map((seed) => `\`--seed ${seed}\``));
  const columns = SEEDS.map((_, index) => rows.map((row) => row[index]));
  expect(columns).toEqual(SEEDS.map(columnOf));
});
