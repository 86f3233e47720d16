import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copiesIn, countKept, moveCopies } from '../../../src/ledger/outbox.ts';
import { type ProcessMark, markProcess } from '../../../src/system/processes.ts';
import { reusedBuffer } from '../../../src/upload/read-recording.ts';
import { Outbox, waitingRecording } from '../../../src/watch/send/outbox.ts';
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
  return { outbox, mark, die: () => mark.release() };
}
/** The outbox after everyone who had it open before has died. */
function open(account = 'me') {
  for (const mark of marks) mark.release();
  return watcher(account).outbox;
}
const recording = (path = '/device/ride.fit', recordedAt = 5) => {
  const bytes = anotherRecording();
  return { sha256: sha256(bytes), path, recordedAt, bytes };
};
const keep = (outbox: Outbox, kept: ReturnType<typeof recording>) =>
  outbox.keep(waitingRecording({ ...kept, size: kept.bytes.length }), kept.bytes);
/** Returns the folder of a copy that a process owns. */
const copyOf = ({ sha256: hash }: { sha256: string }, mark: ProcessMark | undefined) =>
  join(dir, 'outbox', hash, mark?.id ?? '');
const bytesIn = (outbox: Outbox) =>
  outbox.all.map((each) => {
    const contents = outbox.read(each, reusedBuffer());
    return 'bytes' in contents && sha256(contents.bytes);
  });
const hashes = (outbox: Outbox) => outbox.all.map(({ sha256: hash }) => hash);

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;

it('keeps the bytes readable for their owner only and loads them after a restart', () => {
  const kept = recording('/device/GARMIN/RIDE.FIT.gz');
  keep(open(), kept);
  const outbox = open();
  const [found, ...others] = outbox.all;
  expect(others).toEqual([]);
  const { bytes, ...about } = kept;
  expect(found).toMatchObject({ ...about, size: bytes.length });
  expect(bytesIn(outbox)).toEqual([kept.sha256]);
  const folder = copyOf(kept, marks.at(-1));
  expect(statSync(join(folder, 'RIDE.FIT')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('deletes the bytes and their folder', () => {
  const kept = recording();
  const outbox = open();
  keep(outbox, kept);
  outbox.drop(kept.sha256);
  outbox.drop(kept.sha256);
  expect([outbox.review(), outbox.all, outbox.has(kept.sha256)]).toEqual([0, [], false]);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('keeps the bytes that two accounts need until both have dropped them', () => {
  const kept = recording();
  const [mine, theirs] = [watcher('me').outbox, watcher('them').outbox];
  keep(mine, kept);
  keep(theirs, kept);
  mine.drop(kept.sha256);
  theirs.review();
  expect(hashes(theirs)).toEqual([kept.sha256]);
  theirs.drop(kept.sha256);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('counts no copy that another watcher takes over meanwhile', () => {
  const kept = recording();
  for (const { outbox } of [watcher(), watcher()]) keep(outbox, kept);
  const owners: string[] = [];
  for (const { owner } of copiesIn(dir)) {
    owners.push(owner);
    const other = marks.find(({ id }) => id !== owner);
    renameSync(copyOf(kept, other), join(dir, 'outbox', kept.sha256, 'another'));
  }
  expect(owners).toHaveLength(1);
});

it('forgets a copy if its bytes are missing', () => {
  const kept = recording();
  keep(open(), kept);
  rmSync(join(dir, 'outbox', kept.sha256), { recursive: true });
  const outbox = open();
  expect([outbox.all, outbox.has(kept.sha256)]).toEqual([[], false]);
});

it('deletes the remains of a dead process, but not a copy that is being written', () => {
  const [dead, living] = [watcher(), watcher()];
  const unfinished = [dead, living].map(({ outbox, mark }) => {
    const kept = recording();
    keep(outbox, kept);
    const folder = copyOf(kept, mark);
    rmSync(join(folder, 'ride.fit'));
    put(join(folder, '.unfinished'), kept.bytes.subarray(0, 100));
    return kept;
  });
  dead.die();
  expect(watcher().outbox.all).toEqual([]);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([unfinished[1]?.sha256]);
});

it('sends a copy whose process died before it renamed the complete bytes', () => {
  const kept = recording();
  const { outbox, mark } = watcher();
  keep(outbox, kept);
  const folder = copyOf(kept, mark);
  renameSync(join(folder, 'ride.fit'), join(folder, '.unfinished'));
  expect(bytesIn(open())).toEqual([kept.sha256]);
});

it('sends no copy with a damaged label, with other bytes or of another account, and deletes none', () => {
  const [unlabelled, damaged, foreign, whole] = [1, 2, 3, 4].map(() => recording());
  if (!unlabelled || !damaged || !foreign || !whole) throw new Error('four recordings');
  const mine = watcher();
  for (const kept of [unlabelled, damaged, whole]) keep(mine.outbox, kept);
  const theirs = watcher('them');
  keep(theirs.outbox, foreign);
  writeFileSync(join(copyOf(unlabelled, mine.mark), 'copy.json'), '{"account":"me"');
  writeFileSync(join(copyOf(damaged, mine.mark), 'ride.fit'), whole.bytes);
  put(join(dir, 'outbox', sha256(foreign.bytes), 'ride.fit'), unlabelled.bytes);
  expect(countKept(dir, 'me')).toMatchObject({ kept: 2, keptForOthers: 1 });
  const before = filesIn(join(dir, 'outbox'));
  mine.die();
  theirs.die();
  expect(countKept(dir, 'me')).toMatchObject({ kept: 2, keptForOthers: 3 });
  const { outbox } = watcher();
  expect(hashes(outbox)).toEqual([whole.sha256]);
  expect(outbox.review()).toBe(4);
  expect(countKept(dir, 'me')).toEqual({
    kept: 1,
    keptBytes: whole.bytes.length,
    keptForOthers: 4,
  });
  outbox.drop(whole.sha256);
  expect(filesIn(join(dir, 'outbox'))).toBe(before - 2);
  expect(hashes(open('them'))).toEqual([foreign.sha256]);
});

it('gives two copies of one recording to one account once, and deletes both', () => {
  const kept = recording();
  keep(watcher('old service').outbox, kept);
  keep(watcher('new service').outbox, kept);
  moveCopies(dir, 'old service', 'new service');
  const outbox = open('new service');
  expect([outbox.review(), hashes(outbox)]).toEqual([0, [kept.sha256]]);
  outbox.drop(kept.sha256);
  expect(readdirSync(join(dir, 'outbox'))).toEqual([]);
});

it('moves the copies made before a login to the account that logs in', () => {
  const kept = recording();
  keep(open('nobody'), kept);
  moveCopies(dir, 'nobody', 'me');
  expect(hashes(open('me'))).toEqual([kept.sha256]);
  expect(hashes(open('nobody'))).toEqual([]);
});

it('keeps each copy with its living watcher and moves the copies of a dead one to one other', () => {
  const [one, other, third] = [watcher(), watcher(), watcher()];
  const kept = recording();
  keep(one.outbox, kept);
  const counts = () =>
    [one, other, third].map(({ outbox }) => [outbox.review(), outbox.all.length]);
  expect(counts()).toEqual([
    [0, 1],
    [0, 0],
    [0, 0],
  ]);
  one.die();
  expect(counts().slice(1)).toEqual([
    [0, 1],
    [0, 0],
  ]);
});

it('forgets a copy that another watcher has delivered', () => {
  const [one, other] = [watcher(), watcher()];
  const kept = recording();
  keep(one.outbox, kept);
  other.outbox.drop(kept.sha256);
  expect([one.outbox.review(), one.outbox.all]).toEqual([0, []]);
});
