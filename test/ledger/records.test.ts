import { describe, expect, it } from 'vitest';
import { recordLedger } from '../../src/ledger/records.ts';
import { markIn, openIn, scratchDir, useWorkers } from './support.ts';

const startWorker = useWorkers();

const DAY = '2026-02-15';

function open(dir = scratchDir(), account = 'athlete:1') {
  return { dir, ledger: recordLedger(openIn(dir), account, markIn(dir), () => 7) };
}

describe('RecordLedger', () => {
  it('names the files that a day was sent from, the latest first, until they are forgotten', () => {
    let now = 1;
    const dir = scratchDir();
    const ledger = recordLedger(openIn(dir), 'athlete:1', markIn(dir), () => now);
    ledger.confirm('wellness', DAY, 'd1', { sentFrom: ['/a.fit', '/b.fit'] });
    now = 2;
    ledger.confirm('wellness', DAY, 'd2', { sentFrom: ['/b.fit', 'stdin'] });
    ledger.confirm('wellness', DAY, 'd3');
    ledger.confirm('wellness', '2026-02-16', 'd1', { sentFrom: ['/c.fit'] });
    expect(ledger.filesOf('wellness', DAY)).toEqual([
      { path: '/b.fit', sentAt: 2 },
      { path: 'stdin', sentAt: 2 },
      { path: '/a.fit', sentAt: 1 },
    ]);
    expect(ledger.filesOf('nutrition', DAY)).toEqual([]);
    ledger.forgetFiles('wellness', DAY);
    expect(ledger.filesOf('wellness', DAY)).toEqual([]);
    expect(ledger.filesOf('wellness', '2026-02-16')).toHaveLength(1);
  });

  it('frees a day that was not delivered', () => {
    const { ledger } = open();
    ledger.claim('wellness', DAY, 'd1', false);
    ledger.confirm('wellness', DAY, 'd1');
    // A second record that broke off: what the service has now is not known.
    ledger.claim('wellness', DAY, 'd2', false);
    ledger.release('wellness', DAY);
    expect(ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
    expect(ledger.claim('wellness', DAY, 'd1', false)).toBe('yours');
  });

  it('separates kinds, dates and accounts', () => {
    const { dir, ledger } = open();
    ledger.claim('wellness', DAY, 'd1', false);
    ledger.confirm('wellness', DAY, 'd1');
    expect(ledger.isUnchanged('nutrition', DAY, 'd1')).toBe(false);
    expect(ledger.isUnchanged('wellness', '2026-02-16', 'd1')).toBe(false);
    expect(open(dir, 'athlete:2').ledger.isUnchanged('wellness', DAY, 'd1')).toBe(false);
  });

  it('frees a day that was released while the ledger was not writable', () => {
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

  it('reports a day as busy until its sender is done or dead', async () => {
    const { dir, ledger } = open();
    const other = open(dir).ledger;
    expect(other.claim('nutrition', DAY, 'x', false)).toBe('yours');
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('busy');
    ledger.release('nutrition', DAY);
    expect(ledger.claim('nutrition', DAY, 'x', true)).toBe('busy');
    other.release('nutrition', DAY);
    const process = startWorker('claim-day', dir, DAY);
    expect(await process.line()).toBe('yours');
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('busy');
    expect(ledger.claim('nutrition', '2026-02-16', 'x', false)).toBe('yours');
    await process.kill();
    expect(ledger.claim('nutrition', DAY, 'x', false)).toBe('yours');
  });
});

it('countFailure counts per record, restarts with another one, and ends with a confirmation', () => {
  const { dir, ledger } = open();
  ledger.claim('nutrition', DAY, 'd1', false);
  expect([1, 2].map(() => ledger.countFailure('nutrition', DAY, 'd1'))).toEqual([1, 2]);
  expect(ledger.countFailure('nutrition', DAY, 'd2')).toBe(1);
  expect(ledger.failedDays('nutrition')).toEqual(new Map([[DAY, 1]]));
  expect(ledger.failedDays('wellness')).toEqual(new Map());
  expect(open(dir, 'athlete:2').ledger.failedDays('nutrition')).toEqual(new Map());
  ledger.confirm('nutrition', DAY, 'd2');
  expect(ledger.failedDays('nutrition')).toEqual(new Map());
  expect(ledger.countFailure('nutrition', DAY, 'd2')).toBe(1);
});
