import { expect, it } from 'vitest';
import { DayReport } from '../../../src/app/words/day-report.ts';
import { systemClock } from '../../../src/system/this-process.ts';
import { createOutput } from '../../../src/terminal/output.ts';
import { plainIo } from '../../support/io.ts';

it('a report of days counts them for the progress', () => {
  const flags = { json: false, quiet: false, verbose: false };
  const output = createOutput(plainIo(), flags, systemClock);
  const report = new DayReport(output, { name: 'UTC', from: 'flag' });
  const shown: unknown[] = [];
  const add = report.counting({ update: (state) => shown.push(state) }, 2);
  const day = { kind: 'wellness', sources: ['day.json'], warnings: [], zoneUsed: false } as const;
  for (const date of ['2026-02-14', '2026-02-15']) {
    add({ ...day, date, outcome: 'skipped', reason: 'unchanged' });
  }
  expect(shown).toEqual([1, 2].map((done) => ({ noun: 'day', done, total: 2 })));
  expect(report.tallies.wellness.counts.total).toBe(2);
});
