import { expect, it } from 'vitest';
import { dateFlag, readDay, sinceFlag } from '../../../src/app/flags/date.ts';
import { caught } from '../../support/failure.ts';

/** Half past midnight of 1 March in Berlin, and still February in New York. */
const NOW = Date.UTC(2026, 1, 28, 23, 30);

it.each([
  ['2025-12-31', 'UTC', '2025-12-31'],
  ['today', 'Europe/Berlin', '2026-03-01'],
  ['today', 'America/New_York', '2026-02-28'],
  ['yesterday', 'Europe/Berlin', '2026-02-28'],
  ['7d', 'Europe/Berlin', '2026-02-22'],
  ['1w', 'Europe/Berlin', '2026-02-22'],
  ['0d', 'UTC', '2026-02-28'],
])('reads the date %s in %s as %s', (text, zone, date) => {
  expect(dateFlag('--since', text, zone, NOW)).toBe(date);
});

it.each([
  ['the last minute of a day', '2026-11-22T22:59:59.999Z', '2026-11-22'],
  ['midnight', '2026-11-22T23:00:00Z', '2026-11-23'],
  ['the first minute of a day of 23 hours', '2026-03-28T23:00:00Z', '2026-03-29'],
  ['its last minute', '2026-03-29T21:59:00Z', '2026-03-29'],
  ['the midnight after it', '2026-03-29T22:00:00Z', '2026-03-30'],
  ['the first minute of a day of 25 hours', '2026-10-24T22:00:00Z', '2026-10-25'],
  ['its last minute', '2026-10-25T22:59:00Z', '2026-10-25'],
  ['the midnight after it', '2026-10-25T23:00:00Z', '2026-10-26'],
])('counts the days from today at %s (%s in Stockholm)', (_what, now, today) => {
  const read = (text: string) => readDay(text, 'Europe/Stockholm', Date.parse(now));
  const back = (days: number) =>
    new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
  expect(['today', 'yesterday', '1d', '7d', '400d'].map(read)).toEqual([
    today,
    back(1),
    back(1),
    back(7),
    back(400),
  ]);
});

it.each(['', '2026-02-30', '26-02-01', '7', 'd', '-7d', '1.5d', '999999d', 'Today', '7d '])(
  'refuses "%s" as a date with the forms that it takes',
  (text) => {
    const error = caught(() => dateFlag('--since', text, 'UTC', NOW));
    expect(error.code).toBe('USAGE');
    expect(String(error.hint)).toMatch(/YYYY-MM-DD.*today, yesterday, 7d or 1w/);
  },
);

it.each([
  ['2026-03-01', 'Europe/Berlin'],
  ['today', 'America/New_York'],
  ['2026-02-28', 'America/New_York'],
])('takes --since %s in %s', (text, zone) => {
  expect(sinceFlag(text, zone, NOW)).toMatch(/^2026-0/);
});

it.each([
  ['2026-03-02', 'Europe/Berlin', '2026-03-01'],
  ['2026-03-01', 'America/New_York', '2026-02-28'],
  ['2062-02-15', 'UTC', '2026-02-28'],
])('refuses --since %s in %s, where today is %s', (text, zone, today) => {
  const error = caught(() => sinceFlag(text, zone, NOW));
  expect(error.code).toBe('USAGE');
  expect(error.message).toBe(`--since ${text} is in the future: today is ${today}.`);
});
