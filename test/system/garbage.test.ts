import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { garbageCollector } from '../../src/system/this-process.ts';

/** An object that is dropped when it is old: a collection of new objects alone does not free it. */
function droppedOld(collect: () => void): WeakRef<object> {
  const dropped = { name: 'dropped' };
  for (let times = 1; times <= 3; times++) collect();
  return new WeakRef(dropped);
}

it('a collector frees old objects once the heap has grown', async () => {
  setFlagsFromString('--expose-gc');
  const collectNow = runInNewContext('gc') as () => void;
  const dropped = droppedOld(collectNow);
  const collect = garbageCollector();
  // A reference to an object holds it until the end of the task.
  await setImmediate();
  const grown = Array.from({ length: 300_000 }, (_, index) => ({ index }));
  collect();
  expect([grown.length, dropped.deref()]).toEqual([300_000, undefined]);
});
