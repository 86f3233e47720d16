import { expect, it } from 'vitest';
import { isRecordingName } from '../../src/inputs/recording-names.ts';

it.each([
  ['ride.fit', true],
  ['RIDE.FIT', true],
  ['ride.fit.gz', true],
  ['repaired.fit', true],
  ['ride.repaired.fit', false],
  ['RIDE.repaired.fit', false],
  ['RIDE.REPAIRED.FIT', false],
  ['._ride.fit', false],
  ['inProgressActivity.fit', false],
  ['ride.gpx', false],
])('a folder upload takes %s for a recording: %s', (name, expected) => {
  expect(isRecordingName(name)).toBe(expected);
});
