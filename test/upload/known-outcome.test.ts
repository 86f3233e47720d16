import { expect, it } from 'vitest';
import { knownFiles } from '../../src/ledger/known-files.ts';
import { UploadLedger } from '../../src/ledger/uploads.ts';
import { knownOutcome } from '../../src/upload/pipeline.ts';
import { markIn, openIn, scratchDir } from '../ledger/support.ts';
import { NO_ACTIVITY } from '../support/activity.ts';

const NOW = Date.UTC(2026, 1, 15, 12);
const STAMP = { size: 1, mtimeMs: NOW - 60_000, ctimeMs: NOW - 60_000 };
const SHA = 'b'.repeat(64);
const ACTIVITY = { sha256: SHA, verdict: 'activity', detail: '' };
const FILE = { path: 'a.fit', absolute: '/r/a.fit', stamp: STAMP, named: true };

function open(dir = scratchDir(), account = 'athlete:1') {
  const database = openIn(dir);
  const known = knownFiles(database, account, () => NOW);
  const uploads = new UploadLedger(database, account, markIn(dir), () => NOW);
  const upload = () => {
    uploads.claim({ sha256: SHA, path: '/r/a.fit', size: 1, activity: NO_ACTIVITY }, false);
    uploads.confirm(SHA, 1, {});
  };
  const remember = () => {
    known.remember('/r/a.fit', STAMP, ACTIVITY);
    known.flush();
  };
  const outcome = () => knownOutcome(FILE, { force: false, anyType: false }, known);
  return { dir, known, uploads, upload, remember, outcome };
}

it('tries a file without an activity again with --any-type', () => {
  const { known } = open();
  known.remember('/r/a.fit', STAMP, { sha256: SHA, verdict: 'not-an-activity', detail: '' });
  const outcome = (anyType: boolean) => knownOutcome(FILE, { force: false, anyType }, known);
  expect([outcome(true), outcome(false)]).toEqual([
    'new',
    expect.objectContaining({ outcome: 'invalid', reason: 'not-an-activity' }),
  ]);
});

const UPLOADED = { path: 'a.fit', outcome: 'skipped', reason: 'already-uploaded', sha256: SHA };

it('skips a recording that was uploaded before its file was remembered', () => {
  const { upload, remember, outcome } = open();
  upload();
  remember();
  expect(outcome()).toEqual(UPLOADED);
});

it('skips a recording that was uploaded after its file was remembered', () => {
  const { upload, remember, outcome } = open();
  remember();
  expect(outcome()).toBe('new');
  upload();
  expect(outcome()).toEqual(UPLOADED);
});

it('sends a forgotten recording again, then skips it', () => {
  const { uploads, upload, remember, outcome } = open();
  upload();
  remember();
  uploads.forget(SHA);
  expect(outcome()).toBe('new');
  upload();
  expect(outcome()).toEqual(UPLOADED);
});

it('skips a recording that both accounts uploaded, whichever remembered the file', () => {
  const one = open();
  const other = open(one.dir, 'athlete:2');
  one.upload();
  one.remember();
  expect(other.outcome()).toBe('new');
  other.upload();
  expect([one.outcome(), other.outcome()]).toEqual([UPLOADED, UPLOADED]);
});
