import { describe, expect, it } from 'vitest';

import { checkEnvelope } from '../../src/fit/envelope.ts';
import { synthesize, type SynthesizeOptions } from '../../src/seed/synthesize.ts';
import { condensed, hashesOf, sha256 } from './support.ts';

const SPRING = { seed: 1, until: '2026-05-20', zone: 'Europe/Zurich', messy: true };
const AUTUMN = { ...SPRING, until: '2025-11-02' };

function messyDays(options: SynthesizeOptions) {
  return [...synthesize(options)];
}

/** The offsets in a day's nutrition. */
function offsetsOf({ nutrition }: ReturnType<typeof messyDays>[number]): string[] {
  return [...new Set((nutrition?.items ?? []).map(({ logged_at: at }) => at.slice(19)))];
}

describe('A messy account', () => {
  it('is the same for the same arguments', () => {
    expect(hashesOf(synthesize({ ...AUTUMN, days: 14 }))).toEqual({
      files: '4ec5a162bbe2b96e5ccc84489198caab8ec5a833d84d2908abf1abd9f3b0a144',
      wellness: '588e3525516354ffc41aac33562b2aaf7d6001171e26dc77b99b0fa9b34f2154',
      nutrition: '62831704b7c846f075a4e334294e2016378a00c5c3850814cde6bceab41f037c',
    });
  });

  it('has the same days at the end of a longer history', () => {
    const long = messyDays({ ...AUTUMN, days: 12 }).slice(-6);
    expect(condensed(messyDays({ ...AUTUMN, days: 6 }))).toEqual(condensed(long));
  });

  it('has every kind of mess in its last fortnight, for any athlete', () => {
    for (let seed = 0; seed < 4; seed++) {
      const days = messyDays({ ...SPRING, seed, days: 14 });
      const recordings = days.flatMap((day) => day.recordings);
      expect(
        recordings.flatMap(({ fault = [] }) => fault).sort(),
        `faults of seed ${seed}`,
      ).toEqual(['broken', 'copy', 'second-device']);
      const empty = days.filter(({ wellness, nutrition, recordings: { length } }) => {
        return wellness === null && nutrition === null && length === 0;
      });
      // Two flights, and one more day.
      expect(empty.length, `empty days of seed ${seed}`).toBe(3);
      const half = days.filter((day) => (day.wellness === null) !== (day.nutrition === null));
      expect(half.length, `gaps of seed ${seed}`).toBe(2);
      const abroad = days.filter((day) => offsetsOf(day).some((offset) => offset !== '+02:00'));
      expect(abroad.length, `days abroad of seed ${seed}`).toBeGreaterThanOrEqual(3);
      expect(days.at(-1)?.nutrition ?? days.at(-1)?.wellness).not.toBeNull();
    }
  });

  it('has only one broken recording, with the end of its bytes missing', () => {
    const recordings = messyDays({ ...SPRING, seed: 2, days: 30 }).flatMap((day) => day.recordings);
    const broken = recordings.filter(({ fault }) => fault === 'broken');
    expect(broken.map(({ bytes }) => checkEnvelope(bytes).state)).toEqual(['incomplete']);
    const last = recordings.slice(-12);
    expect(last).toContain(broken[0]);
    for (const { fault, bytes } of last) {
      if (fault !== 'broken') expect(checkEnvelope(bytes).state).toBe('whole');
    }
  });

  it('has the recordings of a tidy account otherwise', () => {
    const options = { ...SPRING, seed: 2, days: 14 };
    const tidy = new Map(
      [...synthesize({ ...options, messy: false })]
        .flatMap((day) => day.recordings)
        .map(({ fileName, bytes }) => [fileName, sha256(bytes)]),
    );
    const kept = messyDays(options)
      .filter((day) => offsetsOf(day).every((offset) => offset === '+02:00'))
      .flatMap((day) => day.recordings)
      .filter(({ fault }) => fault === undefined);
    expect(kept.length).toBeGreaterThan(3);
    for (const { fileName, bytes } of kept) expect(sha256(bytes)).toBe(tidy.get(fileName));
  });

  it('has copies with the same bytes and recordings of a second device with others', () => {
    let compared = 0;
    const names = new Set<string>();
    for (const { recordings } of messyDays({ ...SPRING, seed: 3, days: 30 })) {
      for (const recording of recordings) {
        expect(names).not.toContain(recording.fileName);
        names.add(recording.fileName);
        const { fault, truth, name, fileName } = recording;
        if (fault === undefined || fault === 'broken') continue;
        const original = recordings.find((each) => each.fault === undefined && each.name === name);
        if (original === undefined) throw new Error(`${fileName} has no original`);
        compared++;
        const { bytes } = recording;
        if (fault === 'copy') {
          expect(fileName).toBe(original.fileName.replace('.fit', ' (1).fit'));
          expect(sha256(bytes)).toBe(sha256(original.bytes));
          continue;
        }
        const later = truth.start - original.truth.start;
        expect(later).toBeGreaterThanOrEqual(15);
        expect(later).toBeLessThanOrEqual(60);
        expect(truth.serial).not.toBe(original.truth.serial);
        expect(truth.device).not.toEqual(original.truth.device);
        expect(sha256(bytes)).not.toBe(sha256(original.bytes));
      }
    }
    expect(compared).toBeGreaterThan(4);
  });

  it('never has two activities at a time, except those of two devices', () => {
    for (const zone of ['Pacific/Auckland', 'America/Los_Angeles']) {
      let end = 0;
      for (const { date, recordings, nutrition } of messyDays({ ...SPRING, zone, days: 30 })) {
        const own = recordings.filter(({ fault = 'broken' }) => fault === 'broken');
        for (const { truth } of own) {
          expect(truth.start, date).toBeGreaterThan(end);
          end = truth.end;
        }
        for (const { logged_at: at } of nutrition?.items ?? []) expect(at.slice(0, 10)).toBe(date);
      }
    }
  });
});

it.each([
  ['Europe/Zurich', '2025-10-26', '02:20:00', ['+02:00', '+01:00']],
  ['America/New_York', '2025-11-02', '01:20:00', ['-04:00', '-05:00']],
  ['Australia/Lord_Howe', '2026-04-05', '01:50:00', ['+11:00', '+10:30']],
  ['America/Havana', '2025-11-02', '00:20:00', ['-04:00', '-05:00']],
])(
  'A messy ride through the repeated hour begins before it and ends in its second run, in %s',
  (zone, date, start, offsets) => {
    const until = new Date(Date.parse(date) + 2 * 86_400_000).toISOString().slice(0, 10);
    const day = messyDays({ ...SPRING, zone, until, days: 6 }).find((each) => each.date === date);
    if (day === undefined) throw new Error(`there is no ${date}`);
    const [ride] = day.recordings;
    expect(ride?.fileName).toBe(`${date}-${start.replaceAll(':', '-')}-ride.fit`);
    const began = Date.parse(`${date}T${start}${offsets[0] ?? ''}`) / 1000;
    expect(ride?.truth.start).toBe(began);
    expect(ride?.truth.end).toBeGreaterThan(began + 4300);
    const midnight = Date.parse(`1970-01-01T00:00${offsets[1] ?? ''}`);
    expect(ride?.truth.offset).toBe(midnight / -1000);
    expect(day.wellness?.date).toBe(date);
    expect(offsetsOf(day)).toEqual(offsets);
    const times = day.nutrition?.items.map(({ logged_at: at }) => Date.parse(at)) ?? [];
    expect(times).toEqual([...times].sort((a, b) => a - b));
  },
);
