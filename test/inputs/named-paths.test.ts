import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namedPaths } from '../../src/inputs/find-files.ts';
import { put, scratchDir } from '../upload/support.ts';

function openFolder(): string {
  const dir = scratchDir();
  for (const name of ['a.fit', 'b.FIT', 'b+c.fit', '.hidden.fit', 'notes.txt', 'x*.fit']) {
    put(dir, join('rides', name), 'x');
  }
  return dir;
}

it.each<[string, string[]]>([
  ['rides/*.fit', ['a.fit', 'b+c.fit', 'b.FIT', 'x*.fit']],
  ['rides/?.fit', ['a.fit', 'b.FIT']],
  ['rides/b+*', ['b+c.fit']],
  ['rides/.*', ['.hidden.fit']],
  // This file exists.
  ['rides/x*.fit', ['x*.fit']],
])('expands the pattern %s', (pattern, names) => {
  expect(namedPaths([pattern], openFolder())).toEqual(names.map((name) => join('rides', name)));
});

it.each(['rides', 'rides/a.fit', 'rides/*.gpx', 'missing/*.fit', 'r*/a.fit', '-', ''])(
  'keeps "%s", which has no match or is no pattern',
  (path) => {
    expect(namedPaths([path], openFolder())).toEqual([path]);
  },
);
