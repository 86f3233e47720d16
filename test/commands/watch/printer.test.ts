import { expect, it } from 'vitest';
import { NoticePrinter, type NoticeStyle } from '../../../src/commands/watch/printer.ts';
import type { Activity } from '../../../src/fit/activity.ts';
import { createOutput } from '../../../src/terminal/output.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { testContext } from '../../support/context.ts';
import { plainIo } from '../../support/io.ts';
import { manualClock } from '../../watch/manual-clock.ts';

const FOLDER = '/media/ada/GARMIN/Garmin/Activity';

/** Returns a printer, and the lines that it printed. */
function makePrinter(style: NoticeStyle, { json = false, folders = [FOLDER] } = {}) {
  const clock = manualClock(new Date(2026, 10, 22, 7, 30, 5).getTime());
  const lines: string[] = [];
  const io = plainIo({
    out: (text) => lines.push(...text.split('\n')),
    err: (text) => lines.push(`stderr: ${text}`),
  });
  const output = createOutput(io, { json, quiet: false, verbose: false }, clock);
  const printer = new NoticePrinter(
    { ...testContext({ clock }), output },
    { folders, style, zone: 'Europe/Stockholm' },
  );
  return { printer, lines, clock };
}

const RIDE: Activity = {
  name: 'Morning ride',
  startedAt: Date.UTC(2026, 10, 21, 7),
  offsetMinutes: undefined,
  movingSecs: 9_396,
  distanceMeters: 87_900,
};

function refused(name: string, message = 'Too short.'): WatchNotice {
  const sent = { sha256: '', size: 1, attempts: 1, activity: RIDE };
  return {
    event: 'upload',
    item: { path: `${FOLDER}/${name}`, outcome: 'rejected', message, ...sent },
  };
}

it.each([
  ['terminal', '07:30  Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km  uploaded'],
  [
    'log',
    `2026-11-22 07:30:05  ${FOLDER}/a.fit: uploaded (Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km)`,
  ],
  ['once', 'Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km  uploaded'],
] as const)('names an uploaded activity in the style %s', (style, line) => {
  const { printer, lines } = makePrinter(style);
  const sent = { sha256: '', size: 1, attempts: 1, activity: RIDE };
  const path = `${FOLDER}/a.fit`;
  const service = { state: 'queued' } as const;
  // The log alone says that the file was copied first.
  if (style !== 'once') printer.print({ event: 'kept', path, sha256: '' });
  expect(lines.splice(0)).toHaveLength(style === 'log' ? 1 : 0);
  printer.print({ event: 'upload', item: { path, outcome: 'uploaded', service, ...sent } });
  expect(lines).toEqual([line]);
  // A note follows it.
  printer.print({
    event: 'upload',
    item: { path, outcome: 'uploaded', service, note: 'It replaces another one.', ...sent },
  });
  expect(lines[1]).toBe(`${line}. It replaces another one.`);
});

it('prints an equal failure of several recordings once, with their number after a second', async () => {
  const { printer, lines, clock } = makePrinter('terminal');
  for (const name of ['a.fit', 'b.fit', 'c.fit']) printer.print(refused(name));
  expect(lines).toEqual(['07:30  a.fit: refused by the platform: Too short.']);
  await clock.advance(1_000);
  expect(lines.slice(1)).toEqual(['07:30  The same for 2 more recordings.']);
  printer.print(refused('d.fit'));
  printer.print(refused('e.fit', 'No time in it.'));
  expect(lines.slice(2)).toEqual([
    '07:30  The same for 1 more recording.',
    '07:30  e.fit: refused by the platform: No time in it.',
  ]);
});

it('prints each failure with its date and full path to a log', () => {
  const { printer, lines } = makePrinter('log');
  for (const name of ['a.fit', 'b.fit']) printer.print(refused(name));
  const time = '2026-11-22 07:30:05';
  expect(lines).toEqual([
    `${time}  ${FOLDER}/a.fit: refused by the platform: Too short.`,
    `${time}  ${FOLDER}/b.fit: refused by the platform: Too short.`,
  ]);
});

it('prints each failure as its own line of JSON, with the full path', async () => {
  const { printer, lines, clock } = makePrinter('terminal', { json: true });
  for (const name of ['a.fit', 'b.fit']) printer.print(refused(name));
  await clock.advance(1_000);
  expect(lines.map((line) => (JSON.parse(line) as { path: string }).path)).toEqual([
    `${FOLDER}/a.fit`,
    `${FOLDER}/b.fit`,
  ]);
});

it('counts equal failures of --once at its end, without times', () => {
  const { printer, lines } = makePrinter('once');
  for (const name of ['a.fit', 'b.fit']) printer.print(refused(name));
  printer.flush();
  printer.flush();
  expect(lines).toEqual([
    `${FOLDER}/a.fit: refused by the platform: Too short.`,
    'The same for 1 more recording.',
  ]);
});

it('prints the date in a terminal when a new day begins', async () => {
  const { printer, lines, clock } = makePrinter('terminal');
  const delivering: WatchNotice = { event: 'delivering' };
  printer.print(delivering);
  await clock.advance(24 * 3_600_000);
  printer.print(delivering);
  expect(lines).toEqual(['07:30  Sending again.', '2026-11-23', '07:30  Sending again.']);
});

it('names the folder of a recording if several folders are watched', () => {
  const { printer, lines } = makePrinter('terminal', { folders: ['/home/ada/Zwift', FOLDER] });
  printer.print(refused('a.fit'));
  expect(lines).toEqual(['07:30  Activity/a.fit: refused by the platform: Too short.']);
});

it.each([
  [{}, 'Stopped.'],
  [{ uploaded: 5, rejected: 1 }, 'Stopped: 5 uploaded, 1 refused.'],
  [
    { duplicate: 2, queued: 3 },
    'Stopped: 2 already at the platform. 3 recordings not sent yet; the next start sends them.',
  ],
  [{ queued: 1 }, 'Stopped. 1 recording not sent yet; the next start sends it.'],
  [{ incomplete: 1 }, 'Stopped. 1 incomplete: waiting.'],
])('sums up at the end what was done and what waits: %j', (counts, text) => {
  const { printer, lines } = makePrinter('terminal');
  const none = { uploaded: 0, duplicate: 0, rejected: 0, queued: 0 };
  printer.print({ event: 'stopped', ...none, ...counts });
  expect(lines).toEqual([`07:30  ${text}`]);
});

it.each([
  [
    'terminal',
    [
      '07:30  Ready: 3 files found, 3 to check.',
      '07:30  a.fit: not sent, uploaded before.',
      '07:30  The same for 1 more recording.',
    ],
  ],
  [
    'log',
    [
      '2026-11-22 07:30:05  Ready: 3 files found, 3 to check.',
      `2026-11-22 07:30:05  ${FOLDER}/a.fit: not sent, uploaded before.`,
      '2026-11-22 07:30:05  The same for 1 more recording.',
    ],
  ],
  ['once', ['Ready: 3 files found, 3 to check.']],
] as const)(
  'says what was not sent again of the files to check, in the style %s',
  (style, text) => {
    const { printer, lines } = makePrinter(style);
    printer.print({ event: 'ready', files: 3, queued: 3 });
    for (const name of ['a.fit', 'b.fit']) {
      const known = { outcome: 'skipped', reason: 'already-uploaded', sha256: '' } as const;
      printer.print({ event: 'upload', item: { path: `${FOLDER}/${name}`, ...known } });
    }
    printer.flush();
    expect(lines).toEqual(text);
  },
);

it.each([
  ['terminal', /^07:30 {2}/, ['plugged in', 'refused', 'uploaded']],
  ['log', /^2026-11-22 07:30:05 {2}/, ['plugged in', 'copied', 'refused', 'uploaded']],
] as const)('names the device of a recording in place of its mount: %s', (style, time, words) => {
  const { printer, lines } = makePrinter(style, { folders: [] });
  const root = '/run/user/1000/gvfs/mtp:host=091e_50db_0000d8dc91f9/Internal Storage';
  const title = 'Garmin fenix 7';
  printer.print({ event: 'device', device: 'serial:garmin:1', title, state: 'plugged-in', root });
  const path = `${root}/GARMIN/Activity/2026-11-20.fit`;
  const sent = { sha256: '', size: 1, attempts: 1, activity: RIDE };
  printer.print({ event: 'kept', path, sha256: '' });
  printer.print({ event: 'upload', item: { path, outcome: 'rejected', message: 'No.', ...sent } });
  printer.print({ event: 'upload', item: { path, outcome: 'uploaded', service: {}, ...sent } });
  expect(lines).toEqual(words.map((word) => expect.stringMatching(word) as string));
  for (const [at, line] of lines.entries()) {
    expect(line).toMatch(time);
    expect(line).not.toContain('gvfs');
    // A terminal names a delivered activity in place of its file.
    const isFile = at > 0 && (style === 'log' || words[at] !== 'uploaded');
    expect(line.includes(`${title}: Activity/2026-11-20.fit: `)).toBe(isFile);
  }
});
