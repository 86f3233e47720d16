import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { athleteOf } from '../../../src/seed/athlete.ts';
import { profileOf, synthesize } from '../../../src/seed/synthesize.ts';

const SEASON = { days: 90, until: '2026-05-17', zone: 'Europe/Berlin' };
const SEEDS = [1, 2, 3];

const NOUNS = { cycling: 'rides', running: 'runs' };

/** The column of one seed, from the generated data. */
function columnOf(seed: number): string[] {
  const days = [...synthesize({ ...SEASON, seed })];
  const recordings = days.flatMap((day) => day.recordings);
  const sports = new Map<string, number>();
  let secs = 0;
  for (const { truth } of recordings) {
    secs += truth.totals.timer;
    const noun = NOUNS[truth.sport];
    sports.set(noun, (sports.get(noun) ?? 0) + 1);
  }
  const starts = days
    .filter(({ date }) => ![0, 6].includes(new Date(date).getUTCDay()))
    .flatMap((day) => day.recordings.map(({ fileName }) => fileName.slice(11, 16)));
  const { weight, ftp } = profileOf({ ...SEASON, seed });
  const { device, raceIn } = athleteOf(seed).character;
  return [
    device.name,
    `${weight} kg, ${ftp} W`,
    `${days.at(-1)?.plan.phase ?? ''}, ${raceIn} days`,
    [...sports]
      .sort(([, one], [, other]) => other - one)
      .map(([noun, count]) => `${count} ${noun}`)
      .join(', '),
    `${((secs / 3600 / SEASON.days) * 7).toFixed(1)} h`,
    median(starts).replace('-', ':'),
    String(days.filter((day) => day.recordings.length === 0).length),
    `${median(days.map(({ wellness }) => wellness?.hrv ?? 0)).toFixed(0)} ms`,
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
