import { type Database, transaction } from './sql.ts';

/** Returns the account of an environment's token, if the service has named it before. */
export function accountByToken(database: Database, token: string): string | undefined {
  const row = database.get`SELECT account_key AS account FROM token_accounts WHERE token = ${token}`;
  return (row as { account: string } | undefined)?.account;
}

/** @param token a key made of its digest */
export function rememberTokenAccount(database: Database, token: string, account: string): void {
  database.run`INSERT OR REPLACE INTO token_accounts VALUES (${token}, ${account})`;
}

/** Checks if the ledger holds rows of an account with a key that begins with `prefix`. */
export function hasAccountLike(database: Database, prefix: string): boolean {
  const end = `${prefix}\u{10ffff}`;
  const row = database.get`
    SELECT 1 FROM uploads WHERE account >= ${prefix} AND account < ${end} UNION ALL
    SELECT 1 FROM records WHERE account >= ${prefix} AND account < ${end} LIMIT 1`;
  return row !== undefined;
}

/**
 * Moves everything of one account to another, after both turned out to be the same. If both have a
 * row for the same thing, a confirmation wins over none, and the later of two days.
 */
export function moveAccount(database: Database, from: string, to: string): void {
  if (from === to || !hasAnything(database, from)) return;
  transaction(database, () => {
    for (const step of MERGE) database.run(step, to, from);
    for (const table of TABLES) {
      database.run(`DELETE FROM ${table} WHERE account = ?`, from);
    }
  });
}

/** Moves wellness that waits for delivery to another account: its service has a new address. */
export function moveWellness(database: Database, from: string, to: string): void {
  if (from === to) return;
  transaction(database, () => {
    for (const table of WAITING_TABLES) {
      database.run(`UPDATE OR IGNORE ${table} SET account = ? WHERE account = ?`, to, from);
      database.run(`DELETE FROM ${table} WHERE account = ?`, from);
    }
  });
}

/** Measurements whose device may have left. */
const WAITING_TABLES = ['wellness_files', 'wellness_samples'] as const;

/** Every table with a column `account`. */
const TABLES = [
  'uploads',
  'records',
  'record_files',
  'nutrition_days',
  'nutrition_sources',
  'wellness_services',
  'read_zones',
  'source_units',
  'wellness_days',
  ...WAITING_TABLES,
  'watch_marks',
  'covered_recordings',
  'new_only_folders',
] as const;

const MERGE: readonly string[] = [
  `UPDATE OR REPLACE uploads SET account = ?1 WHERE account = ?2 AND state = 'confirmed'`,
  `UPDATE OR REPLACE records SET account = ?1 WHERE account = ?2 AND NOT EXISTS (
     SELECT 1 FROM records AS other WHERE other.account = ?1
     AND other.kind = records.kind AND other.date = records.date
     AND other.changed_at >= records.changed_at)`,
  ...TABLES.map((table) => `UPDATE OR IGNORE ${table} SET account = ?1 WHERE account = ?2`),
];

function hasAnything(database: Database, account: string): boolean {
  const tables = TABLES.map((table) => `SELECT 1 FROM ${table} WHERE account = ?1`);
  return database.get(`${tables.join(' UNION ALL ')} LIMIT 1`, account) !== undefined;
}
