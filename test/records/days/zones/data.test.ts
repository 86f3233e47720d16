import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newestZoneData,
  releasedBy,
  SHIPPED,
  type PackedData,
  packedZoneData,
} from '../../../../src/records/days/zones/newest.ts';
import { RuntimeOffsets } from '../../../../src/records/days/zones/runtime.ts';
import { readTzif } from '../../../../src/records/days/zones/tzif.ts';
import { findZoneInfo } from '../../../../src/system/zoneinfo.ts';
import packed from 'moment-timezone/data/packed/latest.json' with { type: 'json' };

const shipped = packedZoneData(packed);
const DAY = 86_400_000;

/** Returns an offset as hours. */
function hoursAt(zone: string, at: string): number {
  return (shipped.offsets(zone)?.offsetAt(Date.parse(at)) ?? NaN) / 3_600_000;
}

describe('the shipped zone data', () => {
  // IANA tz NEWS: 2026a (British Columbia), 2026b to 2026f (Alberta and its neighbours, Morocco).
  test.each([
    ['America/Vancouver', '2026-03-08T09:59:59Z', -8],
    ['America/Vancouver', '2026-03-08T10:00:00Z', -7],
    ['America/Vancouver', '2026-11-21T07:30:00Z', -7],
    ['Canada/Pacific', '2027-01-15T12:00:00Z', -7],
    ['America/Vancouver', '2100-12-31T12:00:00Z', -7],
    ['America/Edmonton', '2026-01-15T12:00:00Z', -7],
    ['America/Edmonton', '2026-11-21T07:30:00Z', -6],
    ['America/Inuvik', '2026-12-01T12:00:00Z', -6],
    ['America/Yellowknife', '2026-12-01T12:00:00Z', -6],
    ['Canada/Mountain', '2027-01-15T12:00:00Z', -6],
    ['Africa/Casablanca', '2026-09-01T12:00:00Z', 1],
    ['Africa/Casablanca', '2026-09-21T12:00:00Z', 0],
    ['Africa/El_Aaiun', '2027-07-01T12:00:00Z', 0],
    ['Europe/Berlin', '2100-07-01T12:00:00Z', 2],
    ['Europe/Berlin', '2100-12-31T12:00:00Z', 1],
    ['europe/KYIV', '2026-07-01T12:00:00Z', 3],
    ['Africa/Monrovia', '1971-06-01T12:00:00Z', -2670 / 3600],
  ])('has the offset of %s at %s', (zone, at, hours) => {
    expect(hoursAt(zone, at)).toBe(hours);
  });

  test('does not have an unknown zone', () => {
    expect(shipped.offsets('Mars/Olympus')).toBeUndefined();
    expect(shipped.offsets('Europe')).toBeUndefined();
  });

  test('agrees with the runtime on zones from 1990 to 2020, every month', () => {
    const all = process.env['SYNC_TEST_ALL_ZONES'] === '1';
    const zones = Intl.supportedValuesOf('timeZone').filter((_, index) => all || index % 15 === 0);
    const differing = zones.filter((zone) => {
      const [own, runtime] = [shipped.offsets(zone), new RuntimeOffsets(zone)];
      for (let at = Date.UTC(1990, 0, 1); at < Date.UTC(2020, 0, 1); at += 29 * DAY) {
        if (own?.offsetAt(at) !== runtime.offsetAt(at)) return true;
      }
      return false;
    });
    expect(differing).toEqual([]);
  });

  test('says the same until 2101 after the build has trimmed it', async () => {
    const script = new URL('../../../../scripts/zone-data.mjs', import.meta.url).href;
    const { trimmed } = (await import(script)) as { trimmed: (data: PackedData) => PackedData };
    const bundled = packedZoneData(trimmed(packed));
    for (const name of [...packed.zones, ...packed.links.map((link) => `${link.split('|')[1]}|`)]) {
      const zone = name.slice(0, name.indexOf('|'));
      const [all, kept] = [shipped.offsets(zone), bundled.offsets(zone)];
      for (let at = Date.UTC(1970, 0, 1); at < Date.UTC(2101, 0, 3); at += 30 * DAY) {
        if (all?.offsetAt(at) !== kept?.offsetAt(at)) expect.unreachable(`${zone} ${at}`);
      }
    }
  });

  test('is the release, and has the date, that the package states', () => {
    const changes = readFileSync('node_modules/moment-timezone/changelog.md', 'utf8');
    const [, date] =
      /^### `[\d.]+` _([\d-]+)_\n\* Updated data to IANA TZDB `2026f`/m.exec(changes) ?? [];
    expect(SHIPPED).toEqual({ version: packed.version, released: date });
  });
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Makes a folder of zone files that states a release. */
function zoneFolder(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'zoneinfo-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('the newest zone data', () => {
  const next = { runtime: '2027a', system: '2027b' };
  const system = (version: string) => ({ folder: '', version, read: () => undefined });

  test.each([
    [undefined, undefined, 'shipped', SHIPPED.version],
    ['2025c', '2025b', 'shipped', SHIPPED.version],
    [SHIPPED.version, SHIPPED.version, 'runtime', SHIPPED.version],
    ['2025c', SHIPPED.version, 'system', SHIPPED.version],
    [next.runtime, '2025b', 'runtime', next.runtime],
    [next.runtime, next.system, 'system', next.system],
    ['2027z', '2027za', 'system', '2027za'],
  ])('with runtime %s and system %s is the %s release', async (runtime, its, origin, version) => {
    const sources = { runtime, system: its === undefined ? undefined : system(its) };
    expect(await newestZoneData(sources)).toMatchObject({ origin, version });
  });

  test('of the system answers from its zone files, whichever capitals a name has', async () => {
    const folder = zoneFolder({ '+VERSION': '2099a\n', Here: tzif({ footer: '<+05>-5' }) });
    const data = await newestZoneData({ runtime: '2025c', system: findZoneInfo(folder) });
    expect(data).toMatchObject({ origin: 'system', version: '2099a' });
    expect(data.offsets('hERE')?.offsetAt(0)).toBe(5 * 3_600_000);
    expect(data.offsets('There')).toBeUndefined();
    expect(data.offsets('../Here')).toBeUndefined();
  });

  test('was published by the end of its year, if the day is unknown', () => {
    expect(releasedBy('2025b')).toBe('2025-12-31');
    expect(releasedBy(SHIPPED.version)).toBe(SHIPPED.released);
  });
});

describe('the system', () => {
  test.each([
    ['tzdata.zi', '# version 2026d\n# This zic input file is in the public domain.\n', '2026d'],
    ['tzdata.zi', '# version 2024a-0+deb12u1\n', '2024a'],
    ['+VERSION', '2025b\n', '2025b'],
    ['tzdata.zi', '# version unknown\n', undefined],
    ['zone.tab', '2025b', undefined],
  ])('states its release in %s as %j', (file, text, version) => {
    expect(findZoneInfo(zoneFolder({ [file]: text }))?.version).toBe(version);
  });

  const own = findZoneInfo(undefined);
  const python = spawnSync('python3', ['-c', 'import zoneinfo']).status === 0;
  const skipped = own === undefined ? 'no zone files' : python ? undefined : 'no Python 3.9';

  test.skipIf(skipped !== undefined)(
    `has zone files that are read as Python reads them${skipped === undefined ? '' : ` (skipped: ${skipped})`}`,
    () => {
      const zones = Intl.supportedValuesOf('timeZone').filter((zone) => own?.read(zone));
      const script = `
import sys, zoneinfo, datetime as d
zoneinfo.reset_tzpath([sys.argv[1]])
epoch = d.datetime(1970, 1, 1, tzinfo=d.timezone.utc)
for name in sys.argv[2:]:
    zone = zoneinfo.ZoneInfo(name)
    days = range(0, 47847, 50)
    times = [(epoch + d.timedelta(days=day, hours=day % 24)).astimezone(zone) for day in days]
    print(name, *(int(time.utcoffset().total_seconds()) for time in times))`;
      const { stdout } = spawnSync('python3', ['-c', script, own?.folder ?? '', ...zones], {
        encoding: 'utf8',
        maxBuffer: 1e9,
      });
      const lines = stdout.trim().split('\n');
      expect(lines.length).toBe(zones.length);
      for (const line of lines) {
        const [name = '', ...expected] = line.split(' ');
        const offsets = readTzif(own?.read(name) ?? new Uint8Array());
        const found = expected.map((_, index) => {
          const day = index * 50;
          return String((offsets?.offsetAt(day * DAY + (day % 24) * 3_600_000) ?? NaN) / 1000);
        });
        expect(found, name).toEqual(expected);
      }
    },
  );
});

interface Tzif {
  readonly changes?: readonly { readonly seconds: number; readonly type: number }[];
  /** Offsets in seconds. */
  readonly types?: readonly number[];
  readonly footer: string;
  readonly leapSeconds?: number;
}

/** Writes a TZif file of version 2, without data of version 1 (RFC 9636, 3). */
function tzif({ changes = [], types = [0], footer, leapSeconds = 0 }: Tzif): Buffer {
  const header = (counts: readonly number[]) => {
    const bytes = Buffer.alloc(44);
    bytes.write('TZif2');
    counts.forEach((count, index) => bytes.writeUInt32BE(count, 20 + index * 4));
    return bytes;
  };
  const times = Buffer.alloc(changes.length * 8);
  changes.forEach(({ seconds }, index) => times.writeBigInt64BE(BigInt(seconds), index * 8));
  const kinds = Buffer.alloc(types.length * 6);
  types.forEach((offset, index) => kinds.writeInt32BE(offset, index * 6));
  return Buffer.concat([
    header([0, 0, 0, 0, 1, 1]),
    Buffer.alloc(7),
    header([0, 0, leapSeconds, changes.length, types.length, 1]),
    times,
    Buffer.from(changes.map(({ type }) => type)),
    kinds,
    Buffer.alloc(1 + leapSeconds * 12),
    Buffer.from(`\n${footer}\n`),
  ]);
}

describe('a TZif file', () => {
  const offsetsOf = (file: Tzif, times: readonly string[]) =>
    times.map((time) => (readTzif(tzif(file))?.offsetAt(Date.parse(time)) ?? NaN) / 3_600_000);

  test('gives the offset before, between and after its changes', () => {
    const changes = [
      { seconds: 1000, type: 1 },
      { seconds: 2000, type: 0 },
    ];
    const times = ['1969-01-01T00:00:00Z', '1970-01-01T00:16:40Z', '1970-01-01T00:33:20Z'];
    expect(offsetsOf({ changes, types: [3600, 7200], footer: '' }, times)).toEqual([1, 2, 1]);
  });

  test.each([
    ['CET-1CEST,M3.5.0,M10.5.0/3', ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'], [1, 2]],
    ['CET-1CEST,M3.5.0,M10.5.0/3', ['2100-10-31T00:59:59Z', '2100-10-31T01:00:00Z'], [2, 1]],
    ['AEST-10AEDT,M10.1.0,M4.1.0/3', ['2026-01-01T00:00:00Z', '2026-07-01T00:00:00Z'], [11, 10]],
    [
      '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0',
      ['2026-01-01T00:00:00Z', '2026-07-01T00:00:00Z'],
      [11, 10.5],
    ],
    // Scoresbysund changes at -1 o'clock: at 23:00 of the day before.
    ['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'], [-2, -1]],
    // RFC 9636, 3.3.1: summer time in the whole year.
    [
      'XXX3EDT4,0/0,J365/23',
      ['2026-01-01T03:59:59Z', '2026-07-01T00:00:00Z', '2028-12-31T23:59:59Z'],
      [-4, -4, -4],
    ],
    // J60 is 1 March, also in a leap year; 59 is 29 February there.
    ['AAA0BBB,J60/0,J300', ['2028-02-29T23:59:59Z', '2028-03-01T00:00:00Z'], [0, 1]],
    ['AAA0BBB,59/0,J300', ['2028-02-28T23:59:59Z', '2028-02-29T00:00:00Z'], [0, 1]],
    ['AAA0BBB,J60/0,J300', ['2027-02-28T23:59:59Z', '2027-03-01T00:00:00Z'], [0, 1]],
  ])('continues with its rule %s', (footer, times, hours) => {
    expect(offsetsOf({ footer }, times)).toEqual(hours);
  });

  test.each([
    ['is empty', Buffer.alloc(0)],
    ['is of another format', Buffer.from('x'.repeat(200))],
    ['ends early', tzif({ footer: 'UTC0' }).subarray(0, 90)],
    ['counts leap seconds', tzif({ footer: 'UTC0', leapSeconds: 1 })],
    ['has an unknown rule', tzif({ footer: 'CET-1CEST,whenever' })],
  ])('is not used if it %s', (_, bytes) => {
    expect(readTzif(bytes)).toBeUndefined();
  });
});
