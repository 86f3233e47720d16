import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { garbageCollector } from '../../src/system/this-process.ts';

const used = () => getHeapStatistics().used_heap_size;

/** Makes garbage. @returns the used heap while it is there */
function litter(): number {
  const made = Array.from({ length: 300_000 }, (_, index) => ({ index }));
  return made.length > 0 ? used() : 0;
}

it('a collector frees what the heap has grown by since its last call', () => {
  const collect = garbageCollector();
  const full = litter();
  collect();
  expect(full - used()).toBeGreaterThan(4 * 1024 * 1024);
});
