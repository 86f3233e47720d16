import { expect, it } from 'vitest';
import { describeActivity } from '../../src/fit/activity.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { START, makeActivity } from '../support/fit-messages.ts';
import { wrapRecords } from '../support/fit-maker.ts';

function describe(bytes: Uint8Array) {
  return describeActivity(readSummary(bytes));
}

it('takes the distance from the credible records if no session states it', () => {
  const bytes = makeActivity({
    session: { sport: 2 },
    records: [
      { distanceCm: 0 },
      { timestamp: START + 1_800, distanceCm: 1_250_000 },
      { timestamp: START + 1_801, distanceCm: 4_283_931_135 },
    ],
  });
  expect(describe(bytes)).toMatchObject({ movingSecs: 600, distanceMeters: 12_500 });
});

it('leaves undefined what a recording does not state', () => {
  expect(describe(wrapRecords(new Uint8Array()))).toEqual({
    name: undefined,
    startedAt: undefined,
    offsetMinutes: undefined,
    movingSecs: undefined,
    distanceMeters: undefined,
  });
});
