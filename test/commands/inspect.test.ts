import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { inspect } from '../../src/commands/inspect/inspect.ts';
import { inspectFile } from '../../src/commands/inspect/findings.ts';
import { inspectLines } from '../../src/commands/inspect/text.ts';
import { startJsonCommand } from '../support/command.ts';
import { makeRecording, truncated, wrapRecords } from '../support/fit-maker.ts';

const folder = mkdtempSync(join(tmpdir(), 'inspect-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs `sync inspect --json` to its end. */
async function inspectAll(...files: string[]) {
  const { lines, finished } = startJsonCommand(inspect, [files, {}], { homeDir: folder });
  const exitCode = await finished;
  return { exitCode, lines: lines() };
}

const ride = makeRecording({
  startTime: new Date('2026-02-15T07:30:00Z'),
  localOffsetMinutes: 60,
  durationSecs: 1800,
  serial: 3412345678,
  developerField: true,
});

const screen = (columns: number, unicode = true) => ({ columns, unicode });

describe('sync inspect', () => {
  it('prints the contents of a recording as JSON', async () => {
    const path = file('ride.fit', ride);
    const [line] = (await inspectAll(path)).lines;
    const distanceMeters = line?.['distanceMeters'];
    expect(distanceMeters).toBeGreaterThan(10_000);
    expect(line).toEqual({
      type: 'recording',
      path,
      state: 'whole',
      sha256: createHash('sha256').update(ride).digest('hex'),
      size: ride.length,
      segments: 1,
      holds: 'an activity',
      device: {
        id: 'garmin-4062-3412345678',
        manufacturer: 'garmin',
        product: 'Edge 840',
        serial: 3412345678,
      },
      name: 'Morning ride',
      startTime: '2026-02-15T07:30:00.000Z',
      localStartTime: '2026-02-15T08:30:00+01:00',
      timerSecs: 1800,
      distanceMeters,
      averages: { power: 205, heartRate: 142, cadence: 87 },
      sessions: [
        {
          sport: 'cycling',
          startTime: '2026-02-15T07:30:00.000Z',
          timerSecs: 1800,
          distanceMeters,
        },
      ],
      laps: 1,
      records: 1800,
      developerFields: [{ name: 'core_temperature' }],
    });
  });

  it('prints text with charts and a map', async () => {
    const lines = inspectLines(await inspectFile(file('ride.fit', ride)), screen(100));
    const text = lines.join('\n');
    expect(lines.slice(1, 5)).toEqual([
      '  Morning ride',
      '  Sunday 2026-02-15 08:30 local time (UTC+01:00)',
      expect.stringMatching(/^ {2}30:00 {3}\d+\.\d\d km {3}\d+\.\d km\/h$/),
      '  205 W   142 bpm   87 rpm',
    ]);
    expect(text).toContain('Developer fields: core_temperature');
    expect(text).toContain('Device  Garmin Edge 840 (garmin-4062-3412345678)');
    expect(text).toMatch(/[\u2801-\u28ff]/u);
    expect(text).toMatch(/Altitude .*\n/);
    expect(text).toMatch(/[▁▂▃▄▅▆▇█]+ \d+ to \d+ W/);
  });

  it('draws its picture with ASCII characters if the terminal has no others', async () => {
    const item = await inspectFile(file('ride.fit', ride));
    const text = inspectLines(item, screen(60, false)).join('\n');

    expect(text).toMatch(/^[\0-\x7f]*$/);
    expect(text).toMatch(/[:'.]{2}/);
    expect(text).toMatch(/Power +[.:|# ]+\n/);
    expect(text).toMatch(/[.:|#]+ \d+ to \d+ W/);
  });

  it.each([40, 60, 80, 120])('keeps its picture within %d columns', async (columns) => {
    const lines = inspectLines(await inspectFile(file('ride.fit', ride)), screen(columns));
    const drawn = lines.filter((line) => /[\u2801-\u28ff▁▂▃▄▅▆▇█]/u.test(line));
    expect(drawn.length).toBeGreaterThan(4);
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('keeps its picture within the terminal for a ride above 1,000 m', async () => {
    const item = await inspectFile(file('ride.fit', ride));
    if (item.state === 'unreadable') throw new Error(item.detail);
    const samples = item.samples.map((sample, i) => ({ ...sample, altitude: 1000 + (i % 800) }));
    const lines = inspectLines({ ...item, samples }, screen(80));
    const altitude = lines.find((line) => / 1,\d{3} to 1,\d{3} m$/.test(line));
    expect(altitude?.length).toBe(80);
  });

  it('shows UTC and no part of the day if the local time is unknown', async () => {
    const path = file('utc.fit', makeRecording({ startTime: new Date('2026-02-15T07:30:00Z') }));
    const lines = inspectLines(await inspectFile(path), screen(80));
    expect(lines.slice(1, 3)).toEqual([
      '  Ride',
      '  2026-02-15 07:30 UTC; the device does not say the local time',
    ]);
  });

  it('lists the sports of a triathlon', async () => {
    const path = file('tri.fit', makeRecording({ sport: 5, furtherSports: [3, 2, 3, 1] }));
    const text = inspectLines(await inspectFile(path), screen(80)).join('\n');
    expect(text).toContain('  Triathlon\n');
    expect(text).toMatch(/1\. swimming .*\n {2}2\. transition .*\n {2}3\. cycling /);
  });

  it('counts steps, and minutes a kilometre, for a run', async () => {
    const text = inspectLines(
      await inspectFile(file('run.fit', makeRecording({ sport: 1 }))),
      screen(80),
    );
    expect(text.join('\n')).toMatch(/ \d:\d\d \/km.*\n.* 174 spm/);
  });

  it('unpacks .fit.gz, and shows hash and size of the recording inside', async () => {
    const item = await inspectFile(file('ride.fit.gz', gzipSync(ride)));
    expect(item).toMatchObject({
      state: 'whole',
      size: ride.length,
      sha256: createHash('sha256').update(ride).digest('hex'),
      name: 'Morning ride',
    });
  });

  it('reports each bad file, continues, and exits with 3', async () => {
    const files = [
      file('cut.fit', truncated(ride, 100)),
      join(folder, 'absent.fit'),
      file('page.fit', Buffer.from('<!doctype html><title>Sign in</title>')),
      file('broken.fit.gz', gzipSync(ride).subarray(0, 500)),
      folder,
      file('ride.fit', ride),
    ];
    const report = await inspectAll(...files);
    expect(report.lines.map(({ state }) => state)).toEqual([
      'incomplete',
      'unreadable',
      'not-fit',
      'unreadable',
      'unreadable',
      'whole',
    ]);
    expect(report.exitCode).toBe(3);
    expect((await inspectAll(file('ride.fit', ride))).exitCode).toBe(0);
    const text = async (path = '') => inspectLines(await inspectFile(path), screen(80)).join('\n');
    const [cut, absent, page] = await Promise.all(files.slice(0, 3).map(text));
    expect(cut).toContain('The end is missing: 100 bytes of');
    expect(cut).toMatch(/[▁▂▃▄▅▆▇█]/);
    expect(absent).toContain('Cannot be read. ');
    expect(page).toContain('This is a web page, not a recording');
    expect(page).not.toContain('of an unknown type');
  });

  it('replaces control characters from a file', async () => {
    const name = Buffer.from('\u001b]0;owned\u0007Edge\0');
    const fields = [
      [0, 1, 0x00],
      [1, 2, 0x84],
      [8, name.length, 0x07],
    ];
    const fileId = [0x40, 0, 0, 0, 0, fields.length, ...fields.flat(), 0, 4, 32, 0, ...name];
    const item = await inspectFile(file('evil.fit', wrapRecords(Uint8Array.from(fileId))));
    expect(item).toMatchObject({ holds: 'an activity' });
    const lines = inspectLines({ ...item, path: 'a\u001b[2Jb.fit' }, screen(80));
    expect(lines.join(' ')).toContain('?]0;owned?Edge');
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
  });

  it('stops after an interruption', async () => {
    const controller = new AbortController();
    const files = [file('ride.fit', ride), file('run.fit', ride)];
    const { lines, finished } = startJsonCommand(
      inspect,
      [files, {}],
      { homeDir: folder, signal: controller.signal },
      () => controller.abort(new Error('stopped')),
    );
    await expect(finished).rejects.toThrow('stopped');
    expect(lines()).toHaveLength(1);
  });
});
