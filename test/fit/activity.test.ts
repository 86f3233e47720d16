import { expect, it } from 'vitest';
import { describeActivity } from '../../src/fit/activity.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { START, makeActivity } from '../support/fit-messages.ts';
import { makeRecording, wrapRecords } from '../support/fit-maker.ts';

const startTime = new Date('2026-02-15T06:30:00Z');

function describe(bytes: Uint8Array) {
  return describeActivity(readSummary(bytes));
}

it('describes a ride by name, start, moving time and distance', () => {
  const ride = makeRecording({ startTime, durationSecs: 3600, sport: 2, localOffsetMinutes: 60 });
  expect(describe(ride)).toEqual({
    name: 'Morning ride',
    startedAt: startTime.getTime(),
    offsetMinutes: 60,
    movingSecs: 3600,
    distanceMeters: readSummary(ride).distanceMetres,
  });
});

it('adds up the sessions of a triathlon', () => {
  const triathlon = makeRecording({
    startTime,
    durationSecs: 300,
    sport: 5,
    furtherSports: [2, 1],
  });
  expect(describe(triathlon)).toMatchObject({
    name: 'Triathlon',
    startedAt: startTime.getTime(),
    movingSecs: 300,
  });
});

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
