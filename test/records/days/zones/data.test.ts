import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { newestZoneData, releasedBy, SHIPPED } from '../../../../src/records/days/zones/newest.ts';
import { runtimeOffsets } from '../../../../src/records/days/zones/runtime.ts';
import { type PackedData, packedZoneData } from '../../../../src/records/days/zones/shipped.ts';
import packed from 'moment-timezone/data/packed/latest.json' with { type: 'json' };

const shipped = packedZoneData(packed);
const DAY = 86_400_000;

/** Returns an offset as hours. */
function hoursAt(zone: string, at: string): number {
  return (shipped.offsets(zone)?.(Date.parse(at)) ?? NaN) / 3_600_000;
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
      const [own, runtime] = [shipped.offsets(zone), runtimeOffsets(zone)];
      for (let at = Date.UTC(1990, 0, 1); at < Date.UTC(2020, 0, 1); at += 29 * DAY) {
        if (own?.(at) !== runtime(at)) return true;
      }
      return false;
    });
    expect(differing).toEqual([]);
  });

  test('says the same until 2101 after the build has trimmed it', async () => {
    const script = new URL('../../../../scripts/bundles.mjs', import.meta.url).href;
    const { trimmedZones } = (await import(script)) as {
      trimmedZones: (data: PackedData) => PackedData;
    };
    const bundled = packedZoneData(trimmedZones(packed));
    for (const name of [...packed.zones, ...packed.links.map((link) => `${link.split('|')[1]}|`)]) {
      const zone = name.slice(0, name.indexOf('|'));
      const [all, kept] = [shipped.offsets(zone), bundled.offsets(zone)];
      for (let at = Date.UTC(1970, 0, 1); at < Date.UTC(2101, 0, 3); at += 30 * DAY) {
        if (all?.(at) !== kept?.(at)) expect.unreachable(`${zone} ${at}`);
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

describe('the newest zone data', () => {
  test.each([
    [undefined, 'shipped', SHIPPED.version],
    ['2025c', 'shipped', SHIPPED.version],
    [SHIPPED.version, 'runtime', SHIPPED.version],
    ['2027a', 'runtime', '2027a'],
    ['2027za', 'runtime', '2027za'],
  ])('with runtime %s is the %s release', async (runtime, origin, version) => {
    expect(await newestZoneData(runtime)).toMatchObject({ origin, version });
  });

  test('of the runtime has the offsets that date-fns-tz gives', async () => {
    const berlin = (await newestZoneData('2027a')).offsets('Europe/Berlin');
    const hours = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'].map(
      (at) => (berlin?.(Date.parse(at)) ?? NaN) / 3_600_000,
    );
    expect(hours).toEqual([1, 2]);
  });

  test('was published by the end of its year, if the day is unknown', () => {
    expect(releasedBy('2025b')).toBe('2025-12-31');
    expect(releasedBy(SHIPPED.version)).toBe(SHIPPED.released);
  });
});
