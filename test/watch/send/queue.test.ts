import { expect, it } from 'vitest';
import { Queue, type QueueItem } from '../../../src/watch/send/queue.ts';

function item(key: string, recordedAt: number, more: Partial<QueueItem> = {}): QueueItem {
  const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1 };
  const place = { path: key, absolute: key, kept: undefined, removable: false };
  return { key, ...place, stamp, recordedAt, failures: 0, ...more };
}

function takeAll(queue: Queue): string[] {
  const keys: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) keys.push(next.key);
  return keys;
}

it('returns the oldest recording first, and recordings of equal age in path order', () => {
  const queue = new Queue();
  for (const [key, at] of [
    ['c', 3],
    ['a', 1],
    ['z', 2],
    ['b', 2],
  ] as const)
    queue.add(item(key, at));
  expect(takeAll(queue)).toEqual(['a', 'b', 'z', 'c']);
});

it('returns failed recordings after all others, also if they are older', () => {
  const queue = new Queue();
  queue.add(item('old, failed twice', 1, { failures: 2 }));
  queue.add(item('old, failed once', 2, { failures: 1 }));
  queue.add(item('new', 9));
  expect(takeAll(queue)).toEqual(['new', 'old, failed once', 'old, failed twice']);
});

it('keeps one entry per recording, with the newer state and the earlier failures', () => {
  const queue = new Queue();
  queue.add(item('a', 5, { failures: 1 }));
  queue.add(item('a', 1));
  queue.add(item('b', 3));
  expect(queue.size).toBe(2);
  expect(queue.take()).toMatchObject({ key: 'b' });
  expect(queue.take()).toMatchObject({ key: 'a', recordedAt: 1, failures: 1 });
  expect(queue.take()).toBeUndefined();
});

it('does not return removed recordings', () => {
  const queue = new Queue();
  queue.add(item('a', 1));
  queue.add(item('b', 2));
  queue.remove('a');
  expect([queue.size, queue.has('a')]).toEqual([1, false]);
  expect(takeAll(queue)).toEqual(['b']);
});

it('accepts recordings between two takes', () => {
  const queue = new Queue();
  for (let i = 0; i < 5; i++) queue.add(item(`late ${i}`, 10 + i));
  expect(queue.take()?.key).toBe('late 0');
  queue.add(item('early', 1));
  expect(takeAll(queue)).toEqual(['early', 'late 1', 'late 2', 'late 3', 'late 4']);
});

it('ignores a recording that a rescan finds again, unless the file was rewritten', () => {
  const queue = new Queue();
  expect([queue.add(item('a', 1)), queue.add(item('a', 1))]).toEqual([true, false]);
  const rewritten = { stamp: { size: 2, mtimeMs: 2, ctimeMs: 2 } };
  expect(queue.add(item('a', 1, rewritten))).toBe(true);
  expect(takeAll(queue)).toEqual(['a']);
});

it('removes the files below a folder, and neither kept recordings nor a folder with a longer name', () => {
  const queue = new Queue();
  for (const key of ['/dev/a.fit', '/dev/sub/b.fit', '/device/c.fit']) queue.add(item(key, 1));
  queue.add(item('sha', 2, { absolute: '/dev/kept.fit', kept: 'sha' }));
  expect(queue.removeBelow('/dev')).toBe(2);
  expect(takeAll(queue)).toEqual(['/device/c.fit', 'sha']);
  expect(queue.removeBelow('/')).toBe(0);
});
