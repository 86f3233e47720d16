import { expect, it } from 'vitest';
import type { RemoteReaders } from '../../../src/devices/remote/reader.ts';
import { RemoteFolder } from '../../../src/watch/find/remote-folder.ts';
import { ChildError } from '../../../src/system/child-call.ts';
import { testContext } from '../../support/context.ts';
import { partsWith } from '../parts.ts';

const NEVER = new AbortController().signal;

async function list(folder: RemoteFolder): Promise<void> {
  for await (const batch of folder.list(new Set(), NEVER)) expect(batch).toEqual([]);
}

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
  const folder = new RemoteFolder('/media/card', partsWith({ clock, readers }));
  const pauses: unknown[] = [];
  for (listingMs of [10, 20_000, 10, 6_000, 6_000, 90_000, 90_000]) {
    await list(folder);
    pauses.push(folder.pauseMs(30_000));
  }
  expect(pauses).toEqual([30, 30, 30, 30, 60, 60, 300].map((secs) => secs * 1_000));
});

it('names a folder that this user may not read, which is no silence', async () => {
  const refused = () => Promise.reject(new ChildError('EACCES', 'permission denied'));
  const readers = { of: () => ({ stat: refused }) } as unknown as RemoteReaders;
  const folder = new RemoteFolder('/media/card', partsWith({ readers }));
  expect(await folder.probe()).toEqual({ missing: 'It may not be read by this user.' });
});
