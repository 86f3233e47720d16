import { expect, it } from 'vitest';
import type { RemoteReaders } from '../../../src/devices/remote/reader.ts';
import { RemoteFolders } from '../../../src/watch/find/remote-folders.ts';
import { ChildError } from '../../../src/system/child-call.ts';
import { testContext } from '../../support/context.ts';
import { partsWith } from '../parts.ts';

/** No file is found. */
const UNUSED = { known: {} as never, marks: {} as never };

it('lists a device at most a tenth of the time, and one that hung once as often as before', async () => {
  let now = 0;
  let listingMs = 0;
  const clock = { ...testContext().clock, monotonic: () => now };
  const reader = {
    list() {
      now += listingMs;
      return Promise.resolve([]);
    },
    stat: () => Promise.resolve([]),
  };
  const readers = { of: () => reader } as unknown as RemoteReaders;
  const folders = new RemoteFolders(
    partsWith({ ...UNUSED, clock, readers }),
    {} as never,
    {} as never,
  );
  const pauses: unknown[] = [];
  for (listingMs of [10, 20_000, 10, 6_000, 6_000, 90_000, 90_000]) {
    pauses.push((await folders.rescan('/media/card'))?.pauseMs);
  }
  expect(pauses).toEqual([30, 30, 30, 30, 60, 60, 300].map((secs) => secs * 1_000));
});

it('names a folder that this user may not read, which is no silence', async () => {
  const refused = () => Promise.reject(new ChildError('EACCES', 'permission denied'));
  const readers = { of: () => ({ list: refused }) } as unknown as RemoteReaders;
  const folders = new RemoteFolders(partsWith({ ...UNUSED, readers }), {} as never, {} as never);
  expect(await folders.rescan('/media/card')).toEqual({
    observation: { missing: 'It may not be read by this user.' },
    files: 0,
    pauseMs: Infinity,
  });
});
