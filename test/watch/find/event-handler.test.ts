import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventHandler } from '../../../src/watch/find/event-handler.ts';
import { Classifier } from '../../../src/watch/find/classify.ts';
import { Rescanner } from '../../../src/watch/find/rescan.ts';
import { WatchedFolder } from '../../../src/watch/find/watched-folder.ts';
import type { FoundFile } from '../../../src/watch/send/intake.ts';
import { partsWith } from '../parts.ts';
import { anotherRecording, put, until } from '../support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

let root: string;
let folder: WatchedFolder;
let eventHandler: EventHandler;
let candidates: string[];
let rescans: number[];
beforeEach(async () => {
  root = scratchDir();
  candidates = [];
  rescans = [];
  const known = {
    find: () => undefined,
    uploaded: () => undefined,
    remember: () => undefined,
    flush: () => undefined,
    reading: <T>(f: () => T) => f(),
  };
  const marks = { isSeen: () => false, isReported: () => false } as never;
  const parts = partsWith({ known, marks });
  const intake = {
    add: ({ path }: FoundFile) => candidates.push(relative(root, path)),
  } as never;
  const classifier = new Classifier(parts, intake);
  const rescanner = new Rescanner(parts, classifier, intake, { all: [] }, undefined as never);
  eventHandler = new EventHandler(parts, classifier, rescanner);
  folder = new WatchedFolder(root, parts, {
    remote: () => undefined as never,
    onName: (which, parent, name) => eventHandler.add(which, parent, name),
    forgetBelow: () => 0,
  });
  folder.rescanIn = (ms) => rescans.push(ms);
  const post = parts.events.post.bind(parts.events);
  parts.events.post = (event) => {
    if (event.type === 'files-changed') eventHandler.handle();
    else post(event);
  };
  await folder.check();
});
afterEach(() => {
  folder.close();
});

it('finds the recordings in a new folder tree before any rescan', async () => {
  for (const name of ['b/c/1.fit', 'b/2.FIT', 'TEMPFIT/3.fit', 'b/notes.txt', 'b/notes']) {
    put(join(root, 'a', name), anotherRecording());
  }
  eventHandler.add(folder, join(root, 'a/b'), 'notes');
  await until(() => new Set(candidates).size === 2);
  expect(new Set(candidates)).toEqual(new Set([join('a/b/c/1.fit'), join('a/b/2.FIT')]));
  // It is walked once more a little later: a device may be mounted there.
  expect(rescans).not.toEqual([]);
  expect(Math.min(...rescans)).toBeGreaterThanOrEqual(3_000);
});

it('requests a rescan after a burst of events, because some may have been lost', () => {
  for (let i = 0; i <= 1_000; i++) eventHandler.add(folder, root, `no-${i}.fit`);
  expect(rescans).toEqual([]);
  eventHandler.handle();
  expect(rescans).toContain(0);
  expect(candidates).toEqual([]);
});
