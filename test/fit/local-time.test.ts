import { describe, expect, it } from 'vitest';
import { activityName } from '../../src/fit/activity.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { START, fitFile, fitMessage, makeActivity, semicircles } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

/** The end of {@link makeActivity}. */
const END = START + 600;
const GARMIN = 1;
const TOMTOM = 71;
const COROS = 294;

function offset(bytes: Uint8Array): number | undefined {
  return readSummary(bytes).localOffsetMinutes;
}

function withLocal(local: number | undefined, manufacturer = GARMIN): Uint8Array {
  const activity = local === undefined ? {} : { local };
  return makeActivity({ fileId: { manufacturer }, activity });
}

describe('the offset of the local time', () => {
  it.each<[string, local: number | undefined, expected: number | undefined]>([
    ['west', END - 240 * 60, -240],
    ['half an hour', END + 330 * 60, 330],
    ['Nepal', END + 345 * 60, 345],
    ['Chatham in summer', END + 825 * 60, 825],
    ['a quarter that no zone has', END + 75 * 60, undefined],
    ['the furthest west', END - 720 * 60, -720],
    ['the furthest east', END + 840 * 60, 840],
    ['too far west', END - 750 * 60, undefined],
    ['too far east', END + 870 * 60, undefined],
    ['clocks that are off by seconds', END + 3602, 60],
    ['a clock set by hand, 90 s fast', END + 3600 + 90, 60],
    ['a clock set by hand, 5 minutes slow', END + 3600 - 300, 60],
    ['a clock that is off by more', END + 3600 + 301, undefined],
    ['a clock near UTC, 2 minutes fast', END + 120, 0],
    ['seconds since 1970', END + 631_065_600, undefined],
    ['0', 0, undefined],
    ['invalid', 0xffffffff, undefined],
    ['absent', undefined, undefined],
  ])('is read only if it is credible: %s', (_, local, expected) => {
    expect(offset(withLocal(local))).toBe(expected);
  });

  it('is undefined without a time', () => {
    expect(offset(fitFile(fitMessage('activity', { local: END })))).toBeUndefined();
  });

  it('comes from the first credible message', () => {
    const [none, good] = [0, END + 3600].map((local) =>
      fitMessage('activity', { timestamp: END, local }),
    );
    expect(offset(fitFile(none ?? [], good ?? []))).toBe(60);
  });
});

describe('an offset of 0', () => {
  const WINTER = START;
  /** 2026-07-15. */
  const SUMMER = START + 150 * 86_400;
  const at = (start: number, latitude: number, longitude: number, manufacturer = TOMTOM) => {
    const place = { latitude: semicircles(latitude), longitude: semicircles(longitude) };
    return fitFile(
      fitMessage('fileId', { type: 4, manufacturer }),
      fitMessage('record', { timestamp: start, ...place }),
      fitMessage('session', { startTime: start, sport: 1 }),
      fitMessage('activity', { timestamp: start + 60, local: start + 60 }),
    );
  };

  it.each<[string, number, number, number, number | undefined]>([
    ['London in winter', WINTER, 51.5, -0.1, 0],
    ['London in summer', SUMMER, 51.5, -0.1, undefined],
    ['Lisbon in winter', WINTER, 38.7, -9.1, 0],
    ['the Azores in summer', SUMMER, 37.7, -25.7, 0],
    ['Reykjavik in summer', SUMMER, 64.1, -21.9, 0],
    ['Dakar in summer', SUMMER, 14.7, -17.4, 0],
    ['Madrid in winter', WINTER, 40.4, -3.7, undefined],
    ['Paris in winter', WINTER, 48.9, 2.4, undefined],
    ['Taipei', WINTER, 25.05, 121.55, undefined],
    ['no GPS fix', WINTER, 0, 0, undefined],
  ])('of another maker counts at a place with that time: %s', (_, start, lat, lon, expected) => {
    expect(offset(at(start, lat, lon))).toBe(expected);
    expect(offset(at(start, lat, lon, COROS))).toBe(expected);
  });

  it.each([
    [GARMIN, 0],
    [32, 0],
    [267, 0],
    [TOMTOM, undefined],
    [COROS, undefined],
  ])('of maker %d without a position is %s', (manufacturer, expected) => {
    expect(offset(withLocal(END, manufacturer))).toBe(expected);
  });

  it('of a watch that knows no zones gives no part of the day', () => {
    const run = at(START, 25.05, 121.55);
    expect(activityName(readSummary(run))).toBe('Run');
  });

  it('reads the position of the session before those of the records', () => {
    const position = { latitude: semicircles(51.5), longitude: semicircles(-0.1) };
    const elsewhere = { latitude: semicircles(25), longitude: semicircles(121) };
    const bytes = makeActivity({
      fileId: { manufacturer: TOMTOM },
      session: position,
      records: [elsewhere],
      activity: { local: END },
    });
    expect(offset(bytes)).toBe(0);
  });
});

it.skipIf(!realRecordings.present)(
  `real recordings have these offsets${realRecordings.note}`,
  () => {
    const offsets = realRecordings
      .names()
      .map((name) => [name, offset(realRecordings.read(name))] as const)
      .filter(([, minutes]) => minutes !== undefined);
    expect(Object.fromEntries(offsets)).toEqual({
      '2019-02-17-062644-ELEMNT-297E-195-0.fit': 480,
      'bryton-compressed-timestamps.fit': 60,
      'chained-garmin-fr920xt-run.fit': 480,
      'coros-dura-ride.fit': -300,
      'garmin-edge840-indoor-ride.fit': -240,
      'garmin-fenix2-multisport.fit': 120,
      'trainingpeaks-virtual-developer-fields.fit': 60,
      'unfinished-edge840-size-zero.fit': -240,
    });
  },
);
