import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Refused, localDateOf, toLoggedAt } from '../../../src/records/days/local-date.ts';
import type { Zone } from '../../../src/records/types.ts';
import { zoneRules } from '../../../src/records/days/zone.ts';

/**
 * The oracle is a Temporal polyfill: another algorithm, over the zone data of the runtime. A run
 * tests a random sample of zones; SYNC_TEST_ALL_ZONES=1 tests every zone that the runtime knows, and
 * SYNC_TEST_SEED=N repeats a sample.
 */

const ALL = process.env['SYNC_TEST_ALL_ZONES'] === '1';
const seed = Number(process.env['SYNC_TEST_SEED'] ?? Date.now() % 1_000_000);
fc.configureGlobal({ seed });
afterAll(() => fc.resetConfigureGlobal());
// The oracle knows the data of the runtime; a file before this one may have chosen newer data.
beforeAll(useRuntimeZones);

async function useRuntimeZones(): Promise<void> {
  const { useZoneData } = await import('../../../src/records/days/zone.ts');
  const { runtimeOffsets } = await import('../../../src/records/days/zones/runtime.ts');
  useZoneData({ version: '', origin: 'runtime', offsets: runtimeOffsets });
}

const KNOWN = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+12', 'Etc/GMT-14'];
/** Zones of every sample: these skipped a day, change by half an hour, or changed by seconds. */
const ODD = ['Pacific/Apia', 'Pacific/Kwajalein', 'Australia/Lord_Howe', 'Africa/Monrovia'];
const ZONES = ALL ? KNOWN : [...new Set([...ODD, ...sampleOf(KNOWN, 10)])];
if (!ALL) console.info(`${ZONES.length} of ${KNOWN.length} zones, SYNC_TEST_SEED=${seed}`);

function sampleOf(zones: readonly string[], count: number): string[] {
  const subset = fc.shuffledSubarray([...zones], { minLength: count, maxLength: count });
  return fc.sample(subset, { seed, numRuns: 1 })[0] ?? [];
}

const FIRST = Date.UTC(1990, 0, 1);
const LAST = Date.UTC(2101, 0, 1) - 1;
const DAY = 86_400_000;
const MARGIN = 2 * DAY;

const RUNS = ALL ? 20_000 : 500;

const anyZone = fc.constantFrom(...ZONES);
const anyInstant = fc.integer({ min: FIRST + MARGIN, max: LAST - MARGIN });
const anyFrom = fc.constantFrom<Zone['from']>('flag', 'environment', 'profile', 'machine');

function inZone(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}

/** Returns the instant and the date that the oracle reads in a sent text. */
function readBack(loggedAt: string): { instant: number; date: string } {
  expect(loggedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?[+-]\d\d:\d\d$/);
  return {
    instant: Temporal.Instant.from(loggedAt).epochMilliseconds,
    date: Temporal.PlainDate.from(loggedAt).toString(),
  };
}

function unwrap<T extends object>(result: T): Exclude<T, Refused> {
  expect(result).not.toHaveProperty('problem');
  return result as Exclude<T, Refused>;
}

/** Every change of offset in a zone, in ms. */
function transitions(zone: string, until: number): number[] {
  const found: number[] = [];
  let at = inZone(FIRST, zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds > until) return found;
    found.push(next.epochMilliseconds);
    at = next;
  }
}

const changes = new Map(ZONES.map((zone) => [zone, transitions(zone, Date.UTC(2040, 0, 1))]));

describe('an instant with Z', () => {
  test('has the calendar date and the offset of the zone, from the flag and from the setting', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, anyFrom, (instant, name, from) => {
        const written = new Date(instant).toISOString();
        const expected = inZone(instant, name).toPlainDate().toString();
        const zone = { name, from };
        if (instant % DAY !== 0) {
          expect(unwrap(localDateOf(written, zone))).toMatchObject({
            date: expected,
            zoneUsed: true,
          });
        }
        const { loggedAt, date } = unwrap(toLoggedAt(written, zone));
        expect({ day: date, ...readBack(loggedAt) }).toEqual({
          day: expected,
          date: expected,
          instant,
        });
        const oracle = inZone(instant, name);
        if (oracle.offsetNanoseconds % 60e9 === 0) expect(loggedAt).toContain(oracle.offset);
      }),
      { numRuns: RUNS },
    );
  });

  test('is correct in the seconds around every offset change of every zone', () => {
    let checked = 0;
    for (const [zone, instants] of changes) {
      const rules = zoneRules(zone);
      for (const change of instants) {
        for (const instant of [change - 1000, change - 1, change, change + 999]) {
          const offset = inZone(instant, zone).offsetNanoseconds / 1e6;
          if (rules.offsetAt(instant) !== offset) {
            expect({ zone, instant, offset: rules.offsetAt(instant) }).toEqual({
              zone,
              instant,
              offset,
            });
          }
          checked++;
        }
      }
    }
    expect(checked).toBeGreaterThan(ALL ? 60_000 : 200);
  });
});

describe('a wall time without an offset', () => {
  /** A wall time near a change of offset, where it may be skipped or come twice. */
  const nearChange = anyZone
    .filter((zone) => (changes.get(zone) ?? []).length > 0)
    .chain((zone) =>
      fc.tuple(
        fc.constant(zone),
        fc.constantFrom(...(changes.get(zone) ?? [])),
        fc.integer({ min: -26 * 3600, max: 26 * 3600 }),
      ),
    )
    .map(([zone, change, seconds]) => ({
      zone,
      wall: inZone(change, zone).toPlainDateTime().add({ seconds }),
    }))
    // Earlier days are refused.
    .filter(({ wall }) => wall.year >= 1990);
  const anywhere = fc
    .record({ zone: anyZone, instant: anyInstant })
    .map(({ zone, instant }) => ({ zone, wall: inZone(instant, zone).toPlainDateTime() }));

  function check(zone: string, wall: Temporal.PlainDateTime): 'once' | 'gap' | 'overlap' {
    const earlier = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
    const later = wall.toZonedDateTime(zone, { disambiguation: 'later' });
    const kind = earlier.equals(later)
      ? 'once'
      : earlier.toPlainDateTime().equals(wall)
        ? 'overlap'
        : 'gap';
    const expected = kind === 'gap' ? later : earlier;
    const result = unwrap(toLoggedAt(wall.toString(), { name: zone, from: 'machine' }));
    expect({
      ...readBack(result.loggedAt),
      kind: wordsOf(result.warning),
      zoneUsed: result.zoneUsed,
    }).toEqual({
      instant: expected.epochMilliseconds,
      date: expected.toPlainDate().toString(),
      kind,
      zoneUsed: true,
    });
    return kind;
  }

  function wordsOf(warning: string | undefined): 'once' | 'gap' | 'overlap' {
    if (warning === undefined) return 'once';
    if (warning.includes('skipped that time')) return 'gap';
    return warning.includes('came twice') ? 'overlap' : expect.unreachable(warning);
  }

  test('is the instant that the oracle finds: after a gap, and the earlier one in an overlap', () => {
    const seen = { once: 0, gap: 0, overlap: 0 };
    fc.assert(
      fc.property(fc.oneof(nearChange, anywhere), ({ zone, wall }) => {
        seen[check(zone, wall)]++;
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(seen.gap, seen.overlap)).toBeGreaterThan(0);
  });

  test('keeps its calendar date for a wellness record unless the zone skipped that date', () => {
    fc.assert(
      fc.property(fc.oneof(nearChange, anywhere), ({ zone, wall }) => {
        const expected = wall.toZonedDateTime(zone).toPlainDate().toString();
        const moved = expected !== wall.toPlainDate().toString();
        const { date, zoneUsed, warning } = unwrap(
          localDateOf(wall.toString(), { name: zone, from: 'flag' }),
        );
        expect({ date, zoneUsed, warned: warning !== undefined }).toEqual({
          date: expected,
          zoneUsed: moved,
          warned: moved,
        });
      }),
      { numRuns: RUNS / 2 },
    );
  });
});

describe('a time with a numeric offset', () => {
  const anyOffset = fc.integer({ min: -12 * 60, max: 14 * 60 });

  function write(instant: number, minutes: number): string {
    const sign = minutes < 0 ? '-' : '+';
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = `${sign}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
    return new Date(instant + minutes * 60_000).toISOString().slice(0, -1) + offset;
  }

  /** Every zero offset means UTC. */
  const usesZone = (minutes: number, from: Zone['from']) => minutes === 0 || from === 'flag';

  test('keeps its calendar date and offset unless it is zero or the zone came from the flag', () => {
    fc.assert(
      fc.property(anyInstant, anyOffset, anyZone, anyFrom, (instant, minutes, name, from) => {
        const written = write(instant, minutes);
        const zoneUsed = usesZone(minutes, from);
        const there = inZone(instant, name).toPlainDate().toString();
        const date = zoneUsed ? there : written.slice(0, 10);
        const zone = { name, from };
        if ((instant + minutes * 60_000) % DAY !== 0) {
          const found = unwrap(localDateOf(written, zone));
          expect(found).toMatchObject({ date, zoneUsed });
          const overridden = minutes !== 0 && zoneUsed && date !== written.slice(0, 10);
          expect(found.recurs).toBe(overridden ? 'tz' : undefined);
        }
        const { loggedAt } = unwrap(toLoggedAt(written, zone));
        expect(readBack(loggedAt)).toEqual({ instant, date });
        if (!zoneUsed) expect(loggedAt.slice(-6)).toBe(written.slice(-6));
      }),
      { numRuns: RUNS },
    );
  });

  test('keeps the calendar date of a midnight, from every offset and in every zone', () => {
    const anyDay = fc
      .integer({ min: FIRST + MARGIN, max: LAST - MARGIN })
      .map((ms) => ms - (ms % DAY));
    fc.assert(
      fc.property(anyDay, anyOffset, anyZone, anyFrom, (midnight, minutes, name, from) => {
        const instant = midnight - minutes * 60_000;
        const written = write(instant, minutes);
        const zone = { name, from };
        const { date, instant: at, recurs } = unwrap(localDateOf(written, zone));
        expect({ date, at }).toEqual({ date: written.slice(0, 10), at: undefined });
        const there = inZone(instant, name).toPlainDate().toString();
        const doubtful = usesZone(minutes, from) && there !== date;
        expect(recurs).toBe(doubtful ? 'midnight' : undefined);
      }),
      { numRuns: RUNS },
    );
  });

  test.each(['+01', '+0100', '+01:00', ' +01', ' +0100', ' +01:00'])(
    'accepts the spelling %j after a time that follows a blank',
    (offset) => {
      const zone: Zone = { name: 'UTC', from: 'profile' };
      expect(toLoggedAt(`2026-02-15 07:30${offset}`, zone)).toEqual({
        loggedAt: '2026-02-15T07:30:00+01:00',
        date: '2026-02-15',
        instant: Date.UTC(2026, 1, 15, 6, 30),
        zoneUsed: false,
      });
    },
  );
});

describe('a plain date', () => {
  test('is accepted exactly if the calendar contains it, and is sent unchanged', () => {
    const parts = fc.record({
      year: fc.integer({ min: 1989, max: 2102 }),
      month: fc.integer({ min: 0, max: 13 }),
      day: fc.integer({ min: 0, max: 32 }),
    });
    fc.assert(
      fc.property(parts, anyZone, ({ year, month, day }, name) => {
        const pad = (number: number): string => String(number).padStart(2, '0');
        const written = `${year}-${pad(month)}-${pad(day)}`;
        let exists = year >= 1990 && year <= 2100;
        try {
          Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
        } catch {
          exists = false;
        }
        const result = localDateOf(written, { name, from: 'flag' });
        expect(
          'date' in result ? { date: result.date, zoneUsed: result.zoneUsed } : 'refused',
        ).toEqual(exists ? { date: written, zoneUsed: false } : 'refused');
      }),
      { numRuns: RUNS },
    );
  });
});

test('the offset of a zone never changes twice within three days, on which the offset search relies', () => {
  for (const [zone, instants] of changes) {
    instants.forEach((change, index) => {
      const next = instants[index + 1] ?? Infinity;
      if (next - change < 3 * 86_400_000) expect.unreachable(`${zone} ${change}`);
    });
  }
});

describe('the time zone of the process', () => {
  const before = process.env['TZ'];
  afterEach(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  test('influences no result', async () => {
    const cases = fc.sample(fc.record({ instant: anyInstant, name: anyZone }), {
      numRuns: 300,
      seed: 20260215,
    });
    const extra = ['2011-12-29', '2011-12-30', '2018-11-04', '2018-02-17', '2026-03-29'].flatMap(
      (date) => ['Pacific/Apia', 'UTC', 'America/Sao_Paulo'].map((name) => ({ date, name })),
    );
    const resultsIn = async (processZone: string, offset: number): Promise<unknown[]> => {
      process.env['TZ'] = processZone;
      expect(new Date(0).getTimezoneOffset(), `TZ=${processZone} took effect`).toBe(offset);
      // Offsets are remembered: new modules have to ask again.
      vi.resetModules();
      await useRuntimeZones();
      const { localDateOf, toLoggedAt } = await import('../../../src/records/days/local-date.ts');
      return results(localDateOf, toLoggedAt);
    };
    const results = (dateOf: typeof localDateOf, loggedAt: typeof toLoggedAt): unknown[] => [
      ...cases.flatMap(({ instant, name }) => {
        const zone: Zone = { name, from: 'profile' };
        const written = new Date(instant).toISOString();
        return [
          dateOf(written, zone),
          loggedAt(written, zone),
          loggedAt(written.slice(0, -1), zone),
        ];
      }),
      ...extra.flatMap(({ date, name }) => {
        const zone: Zone = { name, from: 'profile' };
        return [
          dateOf(date, zone),
          ...['00:30', '02:30', '12:00', '23:30'].flatMap((time) => [
            loggedAt(`${date}T${time}`, zone),
            dateOf(`${date}T${time}Z`, zone),
          ]),
        ];
      }),
    ];
    const expected = await resultsIn('UTC', 0);
    expect(await resultsIn('Pacific/Apia', 11 * 60)).toEqual(expected);
    expect(await resultsIn('America/Sao_Paulo', 3 * 60)).toEqual(expected);
    expect(await resultsIn('Asia/Kathmandu', -330)).toEqual(expected);
    expect(await resultsIn('Europe/Dublin', -60)).toEqual(expected);
  });
});
