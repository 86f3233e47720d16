import { expect, it } from 'vitest';
import { cutToWidth, widthOf } from '../../src/terminal/wrap.ts';

it.each([
  ['ride.fit', 8],
  ['Größe', 5],
  ['Gro\u0308ße', 5],
  ['日本', 4],
  ['🚴', 2],
  ['🚴🏽‍♀️', 2],
  ['🇩🇪', 2],
  ['1️⃣', 2],
  ['❤️', 2],
  ['שלום', 4],
  ['', 0],
])('measures %s', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it.each([
  ['ride.fit', 8, 'ride.fit'],
  ['ride.fit', 7, 'ride.f…'],
  ['Morning ride', 9, 'Morning…'],
  ['日本の朝', 6, '日本…'],
  ['a🚴🏽‍♀️b', 3, 'a…'],
  ['ride', 1, '…'],
  ['ride', 0, ''],
])('cuts %s to %i columns', (text, width, cut) => {
  expect(cutToWidth(text, width, '…')).toBe(cut);
  expect(widthOf(cut)).toBeLessThanOrEqual(width);
});
