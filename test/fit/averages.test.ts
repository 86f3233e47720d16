import { describe, expect, it } from 'vitest';
import { compareAverages } from '../../src/fit/averages.ts';
import { readContents } from '../../src/fit/contents.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { type ActivityParts, makeActivity } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

function averages(bytes: Uint8Array) {
  return compareAverages(readSummary(bytes).sessions, readContents(bytes).means);
}

const NONE = { power: undefined, heartRate: undefined, cadence: undefined };

/** Rides at 90 rpm, and stands still for half of the time. */
const STOPS = [90, 0, 90, 0].map((cadence) => ({ cadence }));

function cadence(session: ActivityParts['session'] & object, records = STOPS) {
  const { shown, contradicting } = averages(makeActivity({ session, records }));
  return [shown.cadence, contradicting.cadence];
}

describe('the average cadence', () => {
  it.each([
    ['without standing still', 90],
    ['with standing still', 45],
    ['between the two', 70],
  ])("is the device's: %s", (_, stated) => {
    expect(cadence({ cadence: stated })).toEqual([stated, undefined]);
  });

  it.each([
    ['far above', 131],
    ['far below', 20],
  ])("is the device's, and the records contradict it: %s", (_, stated) => {
    expect(cadence({ cadence: stated })).toEqual([stated, 90]);
  });

  it('is the mean without standing still if the device states none', () => {
    expect(cadence({ cadence: 0xff })).toEqual([90, undefined]);
    expect(cadence({ cadence: 0 })).toEqual([90, undefined]);
  });

  it('includes the fraction, which the device stores apart', () => {
    expect(cadence({ cadence: 89, fractionalCadence: 64 })).toEqual([89.5, undefined]);
  });

  it('is undefined without a sensor', () => {
    expect(cadence({ cadence: 0 }, [{ cadence: 0 }])).toEqual([undefined, undefined]);
  });
});

it('the average power is that of the device with and without coasting, else with it', () => {
  const records = [200, 0, 0, 0].map((power) => ({ power }));
  const power = (stated: number) => {
    const { shown, contradicting } = averages(
      makeActivity({ session: { power: stated }, records }),
    );
    return [shown.power, contradicting.power];
  };
  expect([200, 50, 400, 0xffff].map(power)).toEqual([
    [200, undefined],
    [50, undefined],
    [400, 50],
    [50, undefined],
  ]);
});

it('the averages of several sessions count by their time', () => {
  const bytes = makeRecording({ durationSecs: 90, furtherSports: [2, 2] });
  expect(averages(bytes)).toEqual({
    shown: { power: 205, heartRate: 142, cadence: 87 },
    contradicting: NONE,
  });
});

describe.skipIf(!realRecordings.present)(`real recordings${realRecordings.note}`, () => {
  it.each([
    ['garmin-edge840-indoor-ride.fit', { power: 198, heartRate: 139, cadence: 86.0625 }],
    ['chained-garmin-fr920xt-run.fit', { power: undefined, heartRate: 162, cadence: 89.203125 }],
  ])('%s shows what the device wrote', (name, shown) => {
    expect(averages(realRecordings.read(name))).toEqual({ shown, contradicting: NONE });
  });

  it('contradict their averages only if the device was wrong', () => {
    const wrong = realRecordings.names().flatMap((name) => {
      const { contradicting } = averages(realRecordings.read(name));
      return Object.values(contradicting).some((mean) => mean !== undefined)
        ? [[name, contradicting]]
        : [];
    });
    expect(wrong).toEqual([
      [
        '2019-02-17-062644-ELEMNT-297E-195-0.fit', // the device wrote 131
        { ...NONE, cadence: expect.closeTo(68.5, 1) as number },
      ],
    ]);
  });
});
