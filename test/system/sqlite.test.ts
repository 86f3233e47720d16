import { expect, it } from 'vitest';
import { hasStableSqlite } from '../../src/system/this-process.ts';

it.each([
  ['20.19.0', false],
  ['22.23.3', false],
  ['24.14.1', false],
  ['24.15.0', true],
  ['25.6.1', false],
  ['25.7.0', true],
  ['26.0.0', true],
])('takes the SQLite of Node.js %s if it loads without a warning: %s', (version, isStable) => {
  expect(hasStableSqlite(version)).toBe(isStable);
});
