import {
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countKept, moveCopies } from '../../../src/ledger/outbox.ts';
import { type ProcessMark, markProcess } from '../../../src/system/processes.ts';
import { Outbox } from '../../../src/watch/send/outbox.ts';
import { anotherRecording, put, sha256 } from '../support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

let dir: string;
let marks: ProcessMark[];
beforeEach(() => {
  dir = scratchDir();
  marks = [];
});
afterEach(() => {
  for (const mark of marks) mark.release();
});

/** Opens the outbox of a separate watcher that can be killed. */
function watcher(account = 'me') {
  const mark = markProcess(dir);
  marks.push(mark);
  const outbox = new Outbox(dir, account, mark);
  outbox.review();
  return { outbox, die: () => mark.release() };
}
/** The outbox after everyone who had it open before has died. */
function open(account = 'me') {
  for (const mark of marks) mark.release();
  return watcher(account).outbox;
}
const recording = (path = '/device/ride.fit', recordedAt = 5) => {
  const bytes = anotherRecording();
  const beyondRoom = true;
  return { sha256: sha256(bytes), path, recordedAt, bytes, beyondRoom };
};

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;

it('keeps the bytes readable for their owner only and loads them after a restart', () => {
  const kept = recording('/device/GARMIN/RIDE.FIT.gz');
  expect(open().keep(kept)).toBe(true);
  const [item, ...others] = open().review().items;
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    key: kept.sha256,
    kept: kept.sha256,
    path: kept.path,
    recordedAt: 5,
  });
  const path = item?.absolute ?? '';
  expect(readFileSync(path).equals(kept.bytes)).toBe(true);
  expect(path.endsWith('RIDE.FIT')).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('deletes the bytes and their folder', () => {
  const kept = recording();
  const outbox = open();
  outbox.keep(kept);
  outbox.drop(kept.sha256);
  outbox.drop(kept.sha256);
  expect([outbox.count, outbox.has(kept.sha256), outbox.review().items]).toEqual([0, false, []]);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('keeps the bytes that two accounts need until both have dropped them', () => {
  const kept = recording();
  const [mine, theirs] = [watcher('me').outbox, watcher('them').outbox];
  mine.keep(kept);
  theirs.keep(kept);
  mine.drop(kept.sha256);
  expect(existsSync(theirs.review().items[0]?.absolute ?? '')).toBe(true);
  theirs.drop(kept.sha256);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('limits the size of all copies, except for those that may exceed it', () => {
  const mark = markProcess(dir);
  marks.push(mark);
  const large = { ...recording(), bytes: Buffer.alloc(4_000) };
  const outbox = new Outbox(dir, 'me', mark, 5_000);
  expect(outbox.keep(large)).toBe(true);
  const next = { ...recording(), bytes: Buffer.alloc(2_000) };
  expect(outbox.keep({ ...next, beyondRoom: false })).toBe(false);
  expect(outbox.count).toBe(1);
  const other = { ...recording(), bytes: Buffer.alloc(1_000) };
  expect(outbox.keep({ ...other, beyondRoom: false })).toBe(true);
  outbox.drop(large.sha256);
  expect(outbox.keep({ ...next, beyondRoom: false })).toBe(true);
});

it('forgets a copy if its bytes are missing', () => {
  const kept = recording();
  open().keep(kept);
  rmSync(join(dir, 'outbox', kept.sha256), { recursive: true });
  const outbox = open();
  expect(outbox.review().items).toEqual([]);
  expect(outbox.has(kept.sha256)).toBe(false);
});

it('deletes the remains of a dead process, but not a copy that is being written', () => {
  const [dead, living] = [watcher(), watcher()];
  const unfinished = [dead, living].map(({ outbox, die }) => {
    const kept = recording();
    outbox.keep(kept);
    const path = outbox.itemOf(kept.sha256)?.absolute ?? '';
    rmSync(path);
    put(join(path, '..', '.unfinished'), kept.bytes.subarray(0, 100));
    return { kept, die };
  });
  dead.die();
  expect(watcher().outbox.review()).toEqual({ items: [], gone: [], forOthers: 0 });
  expect(readdirSync(join(dir, 'outbox'))).toEqual([unfinished[1]?.kept.sha256]);
});

it('sends a copy whose process died before it renamed the complete bytes', () => {
  const kept = recording();
  const outbox = open();
  outbox.keep(kept);
  const path = outbox.itemOf(kept.sha256)?.absolute ?? '';
  renameSync(path, join(path, '..', '.unfinished'));
  const [item] = open().review().items;
  expect(readFileSync(item?.absolute ?? '').equals(kept.bytes)).toBe(true);
});

it('sends no copy with a damaged label, with other bytes or of another account, and deletes none', () => {
  const [unlabelled, damaged, foreign, whole] = [1, 2, 3, 4].map(() => recording());
  if (!unlabelled || !damaged || !foreign || !whole) throw new Error('four recordings');
  const mine = watcher();
  for (const kept of [unlabelled, damaged, whole]) mine.outbox.keep(kept);
  const theirs = watcher('them');
  theirs.outbox.keep(foreign);
  const folderOf = ({ sha256: hash }: typeof whole, { outbox } = mine) =>
    join(outbox.itemOf(hash)?.absolute ?? '', '..');
  writeFileSync(join(folderOf(unlabelled), 'copy.json'), '{"account":"me"');
  writeFileSync(join(folderOf(damaged), 'ride.fit'), whole.bytes);
  put(join(dir, 'outbox', sha256(foreign.bytes), 'ride.fit'), unlabelled.bytes);
  expect(countKept(dir, 'me')).toEqual({ kept: 2, keptForOthers: 1 });
  const before = filesIn(join(dir, 'outbox'));
  mine.die();
  theirs.die();
  expect(countKept(dir, 'me')).toEqual({ kept: 2, keptForOthers: 3 });
  const { outbox } = watcher();
  const { items, forOthers } = outbox.review();
  expect(items.map(({ key }) => key)).toEqual([whole.sha256]);
  expect(forOthers).toBe(4);
  expect(countKept(dir, 'me')).toEqual({ kept: 1, keptForOthers: 4 });
  outbox.drop(whole.sha256);
  expect(filesIn(join(dir, 'outbox'))).toBe(before - 2);
  expect(open('them').review().items).toMatchObject([{ key: foreign.sha256 }]);
});

it('gives two copies of one recording to one account once, and deletes both', () => {
  const kept = recording();
  watcher('old service').outbox.keep(kept);
  watcher('new service').outbox.keep(kept);
  moveCopies(dir, 'old service', 'new service');
  const outbox = open('new service');
  expect(outbox.review()).toMatchObject({ items: [{ key: kept.sha256 }], forOthers: 0 });
  outbox.drop(kept.sha256);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('moves the copies made before a login to the account that logs in', () => {
  const kept = recording();
  open('nobody').keep(kept);
  moveCopies(dir, 'nobody', 'me');
  expect(open('me').review().items).toMatchObject([{ key: kept.sha256 }]);
  expect(open('nobody').review().items).toEqual([]);
});

it('keeps each copy with its living watcher and moves the copies of a dead one to one other', () => {
  const [one, other, third] = [watcher(), watcher(), watcher()];
  const kept = recording();
  one.outbox.keep(kept);
  expect(other.outbox.review()).toEqual({ items: [], gone: [], forOthers: 0 });
  expect([one.outbox.count, other.outbox.count]).toEqual([1, 0]);
  one.die();
  expect(other.outbox.review().items).toMatchObject([{ key: kept.sha256, path: kept.path }]);
  expect(third.outbox.review().items).toEqual([]);
  expect([other.outbox.count, third.outbox.count]).toEqual([1, 0]);
});

it('stops counting a copy that another watcher has delivered', () => {
  const [one, other] = [watcher(), watcher()];
  const kept = recording();
  one.outbox.keep(kept);
  other.outbox.drop(kept.sha256);
  expect(one.outbox.review()).toEqual({ items: [], gone: [kept.sha256], forOthers: 0 });
  expect(one.outbox.count).toBe(0);
});
