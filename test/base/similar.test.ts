import { expect, it } from 'vitest';
import { mostSimilar } from '../../src/base/similar.ts';

const folders = ['Garmin', 'Games', 'Zwift', 'Wahoo', 'rides', 'C'];

it.each([
  ['Gramin', 'Garmin'],
  ['Garmn', 'Garmin'],
  ['Garminn', 'Garmin'],
  ['Gatmin', 'Garmin'],
  ['garmin', 'Garmin'],
  ['GRAMIN', 'Garmin'],
  ['zwfit', 'Zwift'],
  ['wahho', 'Wahoo'],
  ['ride', 'rides'],
  ['c', 'C'],
])('suggests for %s the name %s', (typed, meant) => {
  expect(mostSimilar(typed, folders)).toBe(meant);
});

it.each(['Strava', 'Gmn', 'ab', 'd', ''])('suggests nothing for %j, not close', (typed) => {
  expect(mostSimilar(typed, folders)).toBeUndefined();
});

it('prefers fewer edits over the order of the candidates', () => {
  expect(mostSimilar('rides', ['ridges', 'Rides'])).toBe('Rides');
});
