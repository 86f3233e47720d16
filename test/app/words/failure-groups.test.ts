import { describe, expect, it } from 'vitest';
import { FailureGroups } from '../../../src/app/words/failure-groups.ts';
import { phrase, sync } from '../../../src/base/phrase.ts';
import { createOutput } from '../../../src/terminal/output.ts';
import type { UploadItem } from '../../../src/upload/report.ts';
import { NO_ACTIVITY } from '../../support/activity.ts';
import { plainIo } from '../../support/io.ts';
import { manualClock } from '../../watch/manual-clock.ts';

const OUTAGE = {
  outcome: 'failed',
  code: 'SERVICE_UNAVAILABLE',
  message: 'The platform cannot answer now (503): Maintenance until 14:00.',
  hint: 'Try again later.',
} as const;

function day(date: string) {
  return { ...OUTAGE, kind: 'wellness', date, sources: [], warnings: [], zoneUsed: false } as const;
}

function printed(groups: FailureGroups, json = false): string[] {
  const lines: string[] = [];
  const io = plainIo({ out: (line) => lines.push(line) });
  groups.print(createOutput(io, { json, quiet: false, verbose: false }, manualClock()));
  return lines;
}

describe('failures', () => {
  it('with one cause are reported once, with their number', () => {
    const groups = new FailureGroups();
    for (let i = 0; i < 271; i++) groups.add({ path: `rides/${i}.fit`, ...OUTAGE });
    for (let i = 10; i < 31; i++) groups.add(day(`2026-01-${i}`));
    expect(printed(groups)).toEqual([
      '271 recordings and 21 days were not sent: The platform cannot answer now (503): Maintenance until 14:00. Try again later.',
    ]);
    expect(printed(groups)).toEqual([]);
  });

  it('are listed if they are few', () => {
    const groups = new FailureGroups();
    for (const name of ['a', 'b']) groups.add({ path: `${name}.fit`, ...OUTAGE });
    const login = { code: 'AUTH_REQUIRED', message: 'Not logged in.' } as const;
    const hint = phrase`Run ${sync('login')}.`;
    groups.add({ path: 'c\n.fit', outcome: 'failed', ...login, hint });
    expect(printed(groups)).toEqual([
      `2 recordings were not sent: ${OUTAGE.message} Try again later.\n  a.fit\n  b.fit`,
      'c .fit: not sent. Not logged in. Run `sync login`.',
    ]);
  });

  it('of refused items are reported once for each reason, with the first names', () => {
    const groups = new FailureGroups();
    const refused = { outcome: 'rejected', message: 'Too large (413).', attempts: 1 } as const;
    const sent = { sha256: 'a'.repeat(64), size: 1, activity: NO_ACTIVITY };
    for (let i = 1; i <= 271; i++) groups.add({ path: `${i}.fit`, ...sent, ...refused });
    groups.add({ path: 'b.fit', ...sent, ...refused, message: 'No time in it.' });
    const names = Array.from({ length: 20 }, (_, i) => `  ${i + 1}.fit\n`).join('');
    expect(printed(groups)).toEqual([
      `271 recordings were refused by the platform: Too large (413).\n${names}  and 251 more, which --json lists`,
      'b.fit: refused by the platform: No time in it.',
    ]);
  });

  it('of unusable files have a line each for the first 20 of a problem, and one for the others', () => {
    const groups = new FailureGroups();
    const unusable = (path: string, detail: string) =>
      groups.add({ path, outcome: 'invalid', reason: 'not-fit', detail });
    const ownLines = Array.from({ length: 25 }, (_, i) => unusable(`${i}.fit`, 'It is empty.'));
    expect(ownLines.lastIndexOf(false)).toBe(19);
    expect(unusable('a.fit', 'It is no FIT file.')).toBe(false);
    expect(printed(groups)).toEqual(['5 more files not sent. It is empty. (--json lists all.)']);
    expect(printed(groups, true)).toEqual([]);
  });

  it('have their own lines with --json', () => {
    const groups = new FailureGroups();
    groups.add({ path: 'a.fit', ...OUTAGE });
    expect(printed(groups, true)).toEqual([]);
  });

  it.each<[string, UploadItem]>([
    ['a success', { path: 'a.fit', outcome: 'skipped', reason: 'already-uploaded' }],
    ['a fault', { path: 'a.fit', outcome: 'invalid', reason: 'corrupt', detail: 'Wrong CRC.' }],
  ])('do not include %s', (_what, item) => {
    const groups = new FailureGroups();
    expect(groups.add(item)).toBe(false);
    expect(printed(groups)).toEqual([]);
  });

  it('do not include a refused day with notes, which may explain it', () => {
    const groups = new FailureGroups();
    const note = { source: 'morning.json', message: 'hrv is high' };
    const refused = { outcome: 'rejected', message: 'Too high.', attempts: 1 } as const;
    expect(groups.add({ ...day('2026-01-10'), ...refused, warnings: [note] })).toBe(false);
    expect(groups.add({ ...day('2026-01-10'), ...refused })).toBe(true);
  });
});
