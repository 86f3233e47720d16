import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/ledger/database.ts';
import { knownFiles } from '../../../src/ledger/known-files.ts';
import { markProcess } from '../../../src/system/processes.ts';
import { UploadLedger } from '../../../src/ledger/uploads.ts';
import { Outbox } from '../../../src/watch/send/outbox.ts';
import type { QueueItem } from '../../../src/watch/send/queue.ts';

import { ReadBuffers, stashContents, stashFile } from '../../../src/watch/send/stash.ts';
import type { WatchParts } from '../../../src/watch/parts.ts';
import { withBrokenCrc } from '../../support/fit-maker.ts';
import { partsWith } from '../parts.ts';
import { anotherRecording, put, sha256 } from '../support.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../../support/activity.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

let dir: string;
let database: Database;
let outbox: Outbox;
let end: () => void;
let parts: WatchParts;
beforeEach(() => {
  dir = scratchDir();
  database = openDatabase(join(dir, 'ledger.db'));
  const now = () => Date.now();
  const mark = markProcess(dir);
  outbox = new Outbox(dir, 'me', mark);
  const ledger = new UploadLedger(database, 'me', mark, now);
  parts = partsWith({
    ledger: { uploads: ledger } as WatchParts['ledger'],
    known: knownFiles(database, 'me', now),
    outbox,
  });
  end = () => {
    mark.release();
    database.close();
  };
});
afterEach(() => end());

function itemOf(name: string, bytes: Uint8Array): QueueItem {
  const path = join(dir, 'device', name);
  put(path, bytes);
  const origin = { key: path, path, absolute: path, kept: undefined, removable: false };
  return { ...origin, stamp: statSync(path), recordedAt: 1, failures: 0 };
}

const readBuffer = () => new ReadBuffers().take();

it('stashes a recording, unpacked if it was packed', () => {
  for (const [name, pack] of [
    ['a.fit', (bytes: Uint8Array) => bytes],
    ['b.fit.gz', gzipSync],
  ] as const) {
    const bytes = anotherRecording();
    const hash = sha256(bytes);
    expect(stashFile(parts, itemOf(name, pack(bytes)), readBuffer())).toMatchObject({
      stash: 'kept',
      item: { key: hash, kept: hash },
    });
    expect(outbox.has(hash)).toBe(true);
  }
});

it('stashes nothing that the platform has, that it refused, or that is already stashed', () => {
  const [known, refused, twice] = [anotherRecording(), anotherRecording(), anotherRecording()];
  for (const bytes of [known, refused]) {
    parts.ledger.uploads.claim(
      {
        sha256: sha256(bytes),
        path: 'x',
        size: bytes.length,
        activity: NO_ACTIVITY,
        workout: NO_WORKOUT,
      },
      false,
    );
  }
  parts.ledger.uploads.confirm(sha256(known), 1, {});
  parts.ledger.uploads.reject(sha256(refused), 1, 'no');
  stashFile(parts, itemOf('first.fit', twice), readBuffer());
  for (const [bytes, reason] of [
    [known, 'already-uploaded'],
    [refused, 'refused-before'],
  ] as const) {
    const item = itemOf('again.fit', bytes);
    expect(stashFile(parts, item, readBuffer())).toEqual({
      stash: 'settled',
      item: { path: item.path, outcome: 'skipped', reason, sha256: sha256(bytes) },
    });
  }
  expect(stashFile(parts, itemOf('again.fit', twice), readBuffer())).toEqual({ stash: 'settled' });
  expect(outbox.count).toBe(1);
});

it('stashes no other file types and no incomplete files', () => {
  const settings = itemOf('settings.fit', anotherRecording({ type: 2 }));
  expect(stashFile(parts, settings, readBuffer())).toMatchObject({
    stash: 'settled',
    item: { path: settings.path, outcome: 'skipped', reason: 'not-an-activity' },
  });
  const broken = itemOf('broken.fit', withBrokenCrc(anotherRecording()));
  expect(stashFile(parts, broken, readBuffer())).toMatchObject({
    stash: 'incomplete',
    reason: 'corrupt',
  });
  const gone = itemOf('gone.fit', anotherRecording());
  rmSync(gone.absolute);
  expect(stashFile(parts, gone, readBuffer())).toMatchObject({
    stash: 'incomplete',
    reason: 'unreadable',
  });
  expect(outbox.count).toBe(0);
});

it('remembers a damaged file, but not one whose device states no size: it may have sent a part', () => {
  const part = Buffer.from(anotherRecording().subarray(0, 500));
  const { absolute, ...item } = itemOf('part.fit', part);
  const remembered = (size: number) => {
    const stamp = { size, mtimeMs: 1, ctimeMs: 1 };
    const given = { ...item, absolute, stamp };
    const stashed = stashContents(parts, given, { bytes: part, buffer: part, stamp }, false);
    expect(stashed).toMatchObject({ stash: 'incomplete', reason: 'incomplete' });
    return parts.known.find(absolute, stamp)?.verdict;
  };
  expect([remembered(0), remembered(500)]).toEqual([undefined, 'incomplete']);
});
