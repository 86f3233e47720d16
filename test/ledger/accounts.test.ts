import { expect, it } from 'vitest';
import { moveAccount, moveWellness, hasAccountLike } from '../../src/ledger/accounts.ts';
import { EMPTY_DAY } from '../../src/ledger/nutrition.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { watchMarks } from '../../src/ledger/watch-marks.ts';
import { markIn, openIn, scratchDir } from './support.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

/** A ledger, and the books of its accounts at a time that the test says. */
function open() {
  const dir = scratchDir();
  const database = openIn(dir);
  const mark = markIn(dir);
  const books = (account: string, now = 1) => ({
    uploads: uploadLedger(database, account, mark, () => now),
    records: recordLedger(database, account, mark, () => now),
    marks: watchMarks(database, account, () => now),
  });
  return { database, books };
}

const contentOf = (name: string) => ({
  ...EMPTY_DAY,
  items: [{ body: { name }, inputs: [{ kind: 'file', name: 'in.json' }], state: 'base' }] as const,
});
const GEL = contentOf('gel');
const BAR = contentOf('bar');

const MONITOR = {
  path: '/Garmin/Monitor/1.FIT',
  samples: [{ field: 'restingHr', value: 52, at: 1_700_000_000 }],
} as const;
const STAMP = { size: 1, mtimeMs: 1, ctimeMs: 1 };

const NONE = { pending: 0, confirmed: 0, rejected: 0, undoing: 0, undone: 0, held: 0 };

const recording = (sha256: string) => ({
  sha256,
  path: `${sha256}.fit`,
  size: 1,
  activity: NO_ACTIVITY,
  workout: NO_WORKOUT,
});

it('moves all rows of one account to another, in every table with an account', () => {
  const { database, books } = open();
  const before = books('profile');
  before.uploads.claim(recording('a'), false);
  before.uploads.confirm('a', 1, {});
  before.uploads.trackFiles.cover('b');
  before.records.claim('nutrition', '2026-05-10', 'd', false);
  before.records.confirm('nutrition', '2026-05-10', 'd', { sentFrom: ['/meals.json'] });
  before.records.nutrition.put('2026-05-10', GEL);
  before.records.nutrition.noteSource('oauth:late');
  before.records.wellness.putFile(MONITOR, STAMP);
  before.records.wellness.noteWatched('2026-05-10', 'd');
  before.records.wellness.noteAnswer([], ['steps']);
  before.records.zones.put(new Map([['2026-05-10T12:00', 'Asia/Tokyo']]));
  before.records.wellness.rememberUnit('table: date,weight', 'weight', 'lb');
  before.marks.markSeen([{ path: 'c', stamp: { size: 1, mtimeMs: 1, ctimeMs: 1 } }]);
  before.marks.newOnly('/rides').begin();
  const withAccount = (
    database.all`
      SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
      WHERE m.type = 'table' AND c.name = 'account' ORDER BY m.name` as { name: string }[]
  ).map(({ name }) => name);
  expect(withAccount.length).toBeGreaterThan(4);
  moveAccount(database, 'profile', 'athlete');
  for (const table of withAccount) {
    const rows = database.all(`SELECT DISTINCT account FROM ${table}`);
    expect({ table, rows }).toEqual({ table, rows: [{ account: 'athlete' }] });
  }
  const after = books('athlete');
  expect(after.uploads.claim(recording('a'), false)).toBe('confirmed');
  expect(after.records.claim('nutrition', '2026-05-10', 'd', false)).toBe('unchanged');
  expect(after.records.filesOf('nutrition', '2026-05-10')).toMatchObject([{ path: '/meals.json' }]);
  expect(after.records.nutrition.day('2026-05-10')).toEqual({ ...GEL, status: 'settled' });
  expect(after.records.nutrition.sources()).toEqual(['oauth:late']);
  expect(after.records.zones.find('2026-05-10T12:00')).toBe('Asia/Tokyo');
});

it('prefers confirmations and later days if both accounts have a row', () => {
  const { database, books } = open();
  const [old, late] = [books('profile', 1), books('athlete', 2)];
  for (const { uploads } of [old, late]) {
    uploads.claim(recording('a'), false);
    uploads.claim(recording('b'), false);
  }
  old.uploads.confirm('a', 1, {});
  old.uploads.reject('b', 1, 'no');
  late.uploads.reject('a', 1, 'no');
  late.uploads.confirm('b', 1, {});
  for (const [{ records }, digest] of [
    [old, 'old'],
    [late, 'late'],
  ] as const) {
    records.claim('wellness', '2026-05-10', digest, false);
    records.confirm('wellness', '2026-05-10', digest);
  }
  old.records.nutrition.put('2026-05-10', BAR);
  old.records.nutrition.put('2026-05-11', BAR);
  old.records.nutrition.noteSource('oauth:old');
  late.records.nutrition.put('2026-05-10', GEL);
  late.records.nutrition.noteSource('oauth:late');
  moveAccount(database, 'profile', 'athlete');
  expect(late.uploads.counts()).toEqual({ ...NONE, confirmed: 2 });
  expect(late.records.isUnchanged('wellness', '2026-05-10', 'late')).toBe(true);
  expect(late.records.nutrition.day('2026-05-10')).toEqual({ ...GEL, status: 'settled' });
  expect(late.records.nutrition.day('2026-05-11')).toEqual({ ...BAR, status: 'settled' });
  expect(late.records.nutrition.sources()).toEqual(['oauth:late', 'oauth:old']);
  expect(old.uploads.counts()).toEqual(NONE);
});

it('finds rows by the prefix of an account', () => {
  const { database, books } = open();
  expect(hasAccountLike(database, 'https://a.example athlete:')).toBe(false);
  books('https://a.example profile:x').uploads.claim(recording('a'), false);
  books('https://b.example athlete:1').uploads.claim(recording('a'), false);
  expect(hasAccountLike(database, 'https://a.example athlete:')).toBe(false);
  books('https://a.example athlete:1').records.claim('wellness', '2026-05-10', 'd', false);
  expect(hasAccountLike(database, 'https://a.example athlete:')).toBe(true);
});

it('moves waiting wellness alone to the account of a new service address', () => {
  const { database, books } = open();
  const before = books('old service');
  before.records.wellness.putFile(MONITOR, STAMP);
  before.uploads.claim(recording('b'), false);
  before.uploads.confirm('b', 1, {});
  const after = books('new service');
  moveWellness(database, 'old service', 'new service');
  expect(database.all('SELECT account, path FROM wellness_files')).toEqual([
    { account: 'new service', path: MONITOR.path },
  ]);
  expect(after.uploads.find('b')).toBeUndefined();
  expect(before.uploads.find('b')?.state).toBe('confirmed');
});
