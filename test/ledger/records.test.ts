import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SyncError } from '../../src/errors.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import { buildWorker, markIn, openIn, scratchDir } from './support.ts';

let workers: Awaited<ReturnType<typeof buildWorker>>;
beforeAll(async () => {
  workers = await buildWorker();
});
afterAll(() => workers.remove());

const DAY = '2026-02-15';

function open(dir = scratchDir(), account = 'athlete:1') {
  return { dir, ledger: recordLedger(openIn(dir), account, markIn(dir), () => 7) };
}

describe('a day', () => {
  it('is sent once: the same record is unchanged from then on, and another one is not', () => {
    const { ledger } = open();
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('yours');
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
    ledger.confirm('wellness', DAY, 'd1');
    ledger.release('wellness', DAY);
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(true);
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('unchanged');
    expect(ledger.claim('wellness', DAY, 'd1', true)).toBe('yours');
    ledger.confirm('wellness', DAY, 'd1');
    expect(ledger.claim('wellness', DAY, 'd2', false)).toBe('yours');
    ledger.confirm('wellness', DAY, 'd2');
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
    expect(ledger.isUnchanged('wellness', DAY, 'd2')).toBe(true);
  });

  it('that was not delivered is neither unchanged nor held', () => {
    const { ledger } = open();
    ledger.claim('wellness', DAY, 'd1', false);
    ledger.confirm('wellness', DAY, 'd1');
    // A second record that broke off: what the service has now is not known.
    ledger.claim('wellness', DAY, 'd2', false);
    ledger.release('wellness', DAY);
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('yours');
  });

  it('is its own for each kind, date and account', () => {
    const { dir, ledger } = open();
    ledger.claim('wellness', DAY, 'd1', false);
    ledger.confirm('wellness', DAY, 'd1');
    expect(ledger.isUnchanged('nutrition', DAY, 'd1')).toBe(false);
    expect(ledger.isUnchanged('wellness', '2026-02-16', 'd1')).toBe(false);
    expect(open(dir, 'athlete:2').ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
  });

  it('that was given up while the ledger could not be written is there to be sent again', () => {
    const dir = scratchDir();
    const database = openIn(dir);
    const ledger = recordLedger(database, 'athlete:1', markIn(dir), () => 7);
    ledger.claim('wellness', DAY, 'd1', false);
    database.exec('PRAGMA busy_timeout = 0');
    const other = openIn(dir);
    other.exec('BEGIN IMMEDIATE');
    expect(() => ledger.release('wellness', DAY)).toThrow(/locked/);
    other.exec('COMMIT');
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('yours');
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('busy');
  });

  it('that another one is sending is busy, until that one is done or dead', async () => {
    const { dir, ledger } = open();
    const other = open(dir).ledger;
    expect(other.claim('nutrition', DAY, 'x', false)).toBe('yours');
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('busy');
    ledger.release('nutrition', DAY);
    expect(ledger.claim('nutrition', DAY, 'x', true)).toBe('busy');
    other.release('nutrition', DAY);
    const process = workers.start('claim-day', dir, DAY);
    expect(await process.line()).toBe('yours');
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('busy');
    expect(ledger.claim('nutrition', '2026-02-16', 'x', false)).toBe('yours');
    await process.kill();
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('yours');
  });
});

describe('the items of a day, for a service that appends', () => {
  const items = (ledger: ReturnType<typeof open>['ledger'], date = DAY) =>
    Object.fromEntries(ledger.items(date));

  it('go from sent to confirmed, or are forgotten when they surely did not arrive', () => {
    const { ledger } = open();
    expect(items(ledger)).toEqual({});
    ledger.markSent(DAY, ['a#1', 'b#1', 'c#1']);
    expect(items(ledger)).toEqual({ 'a#1': 'pending', 'b#1': 'pending', 'c#1': 'pending' });
    ledger.confirmItems(DAY, ['a#1'], false);
    ledger.forgetItems(DAY, ['b#1']);
    expect(items(ledger)).toEqual({ 'a#1': 'confirmed', 'c#1': 'pending' });
    expect(items(ledger, '2026-02-16')).toEqual({});
  });

  it('are all there is when the service replaced the day', () => {
    const { ledger } = open();
    ledger.confirmItems(DAY, ['a#1', 'b#1'], false);
    ledger.confirmItems('2026-02-16', ['z#1'], false);
    ledger.confirmItems(DAY, ['c#1'], true);
    expect(items(ledger)).toEqual({ 'c#1': 'confirmed' });
    expect(items(ledger, '2026-02-16')).toEqual({ 'z#1': 'confirmed' });
  });

  it('belong to their account', () => {
    const { dir, ledger } = open();
    ledger.confirmItems(DAY, ['a#1'], false);
    const other = open(dir, 'athlete:2').ledger;
    expect(items(other)).toEqual({});
    other.confirmItems(DAY, ['x#1'], true);
    expect(items(ledger)).toEqual({ 'a#1': 'confirmed' });
  });

  it('can get other keys, with what is known of them', () => {
    const { dir, ledger } = open();
    const other = open(dir, 'athlete:2').ledger;
    ledger.markSent(DAY, ['a#1', 'b#1']);
    ledger.confirmItems(DAY, ['c#1'], false);
    other.markSent(DAY, ['a#1']);
    ledger.renameItems(
      DAY,
      new Map([
        ['a#1', 'x#1'],
        ['c#1', 'y#1'],
        ['z#1', 'z#2'],
      ]),
    );
    expect(items(ledger)).toEqual({ 'b#1': 'pending', 'x#1': 'pending', 'y#1': 'confirmed' });
    expect(items(other)).toEqual({ 'a#1': 'pending' });
  });

  it('that are marked as sent stay so when the process dies before an answer', () => {
    const { dir, ledger } = open();
    ledger.markSent(DAY, ['a#1']);
    expect(items(open(dir).ledger)).toEqual({ 'a#1': 'pending' });
  });
});

it('a full ledger is reported as full when a day is claimed, and works again afterwards', () => {
  const dir = scratchDir();
  const database = openIn(dir);
  const ledger = recordLedger(database, 'athlete:1', markIn(dir), () => 7);
  database.exec('PRAGMA max_page_count = 1');
  let failure: unknown;
  try {
    for (let i = 0; i < 20_000; i++) ledger.claim('wellness', `day ${i}`, 'd', false);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(SyncError);
  expect((failure as SyncError).message).toContain('database or disk is full');
  database.exec('PRAGMA max_page_count = 100000');
  expect(ledger.claim('wellness', DAY, 'd', false)).toBe('yours');
});
