import { type Database, transaction } from './guard.ts';

/** Has anything been filed under an account whose name begins so? */
export function hasAccountLike(database: Database, prefix: string): boolean {
  const tables = ['uploads', 'records'].map(
    (table) => `SELECT 1 FROM ${table} WHERE account >= ?1 AND account < ?1 || char(0x10ffff)`,
  );
  return database.prepare(`${tables.join(' UNION ALL ')} LIMIT 1`).get(prefix) !== undefined;
}

/**
 * Files everything of one account under another, which it turned out to be. Where both know of the
 * same thing, what is certain stands: a confirmation over none, the later of two days.
 */
export function adoptAccount(database: Database, from: string, to: string): void {
  if (from === to || !hasAnything(database, from)) return;
  transaction(database, () => {
    for (const step of ADOPTION) database.prepare(step).run(to, from);
    for (const table of TABLES) {
      database.prepare(`DELETE FROM ${table} WHERE account = ?`).run(from);
    }
  });
}

/** What is kept for one account waits for another from now on: its service moved, and nothing is lost. */
export function adoptOutbox(database: Database, from: string, to: string): void {
  if (from === to) return;
  transaction(database, () => {
    database.prepare('UPDATE OR IGNORE outbox SET account = ?1 WHERE account = ?2').run(to, from);
    database.prepare('DELETE FROM outbox WHERE account = ?').run(from);
  });
}

/** Every table that files by account. */
const TABLES = [
  'uploads',
  'records',
  'nutrition_days',
  'nutrition_services',
  'outbox',
  'watch_marks',
  'new_only_folders',
] as const;

const ADOPTION: readonly string[] = [
  `UPDATE OR REPLACE uploads SET account = ?1 WHERE account = ?2 AND state = 'confirmed'`,
  `UPDATE OR REPLACE records SET account = ?1 WHERE account = ?2 AND NOT EXISTS (
     SELECT 1 FROM records AS other WHERE other.account = ?1
     AND other.kind = records.kind AND other.date = records.date
     AND other.changed_at >= records.changed_at)`,
  ...TABLES.map((table) => `UPDATE OR IGNORE ${table} SET account = ?1 WHERE account = ?2`),
];

function hasAnything(database: Database, account: string): boolean {
  const tables = TABLES.map((table) => `SELECT 1 FROM ${table} WHERE account = ?1`);
  return database.prepare(`${tables.join(' UNION ALL ')} LIMIT 1`).get(account) !== undefined;
}
