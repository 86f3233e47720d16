import { Tasks } from '../../src/base/tasks.ts';
import { DeviceNames } from '../../src/watch/find/device-names.ts';
import { IncompleteFiles } from '../../src/watch/find/incomplete-files.ts';
import { EventQueue } from '../../src/watch/events.ts';
import type { WatchParts } from '../../src/watch/parts.ts';
import { testContext } from '../support/context.ts';

/** Returns what most parts of a watcher need, and what a test adds for one of them. */
export function partsWith<Given extends Partial<WatchParts>>(given: Given) {
  const { clock, signal } = testContext(given.clock === undefined ? {} : { clock: given.clock });
  return {
    clock,
    signal,
    folders: [],
    newOnly: false,
    pollMs: undefined,
    dryRun: false,
    filesystemType: () => ({ noEvents: undefined, removable: false }),
    recursiveEvents: false,
    names: new DeviceNames(),
    events: new EventQueue(clock),
    tasks: new Tasks(() => undefined),
    incomplete: new IncompleteFiles(clock, {
      isReported: () => false,
      markReported: () => undefined,
    }),
    report: () => undefined,
    changed: () => undefined,
    ...given,
  };
}
