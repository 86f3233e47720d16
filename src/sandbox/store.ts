import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS athletes (
  id TEXT PRIMARY KEY,
  profile TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS logins (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL,
  athlete_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);
CREATE TABLE IF NOT EXISTS codes (
  hash TEXT PRIMARY KEY,
  client_id TEXT NOT NULL,
  athlete_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT,
  challenge_method TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  login_id TEXT
);
CREATE TABLE IF NOT EXISTS tokens (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  login_id TEXT NOT NULL,
  expires_at INTEGER,
  replaced_at INTEGER
);
CREATE INDEX IF NOT EXISTS tokens_of_login ON tokens (login_id, kind);
CREATE TABLE IF NOT EXISTS recordings (
  id INTEGER PRIMARY KEY,
  athlete_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  label TEXT NOT NULL,
  received_count INTEGER NOT NULL,
  first_received_at INTEGER NOT NULL,
  last_received_at INTEGER NOT NULL,
  processing TEXT NOT NULL,
  queued_at INTEGER NOT NULL,
  is_duplicate INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER,
  type TEXT,
  workout TEXT,
  UNIQUE (athlete_id, sha256)
);
CREATE INDEX IF NOT EXISTS recordings_by_start ON recordings (athlete_id, processing, started_at);
CREATE TABLE IF NOT EXISTS recording_bytes (
  recording_id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS daily (
  id INTEGER PRIMARY KEY,
  athlete_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  date TEXT NOT NULL,
  record TEXT NOT NULL,
  received_count INTEGER NOT NULL,
  first_received_at INTEGER NOT NULL,
  last_received_at INTEGER NOT NULL,
  UNIQUE (athlete_id, kind, date)
);
`;

/** Creates the database file for its owner only, since it holds token hashes. */
function databaseIn(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'sandbox.db');
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  return path;
}

/** The sandbox's database. Text from requests is stored as JSON, since SQLite's text ends at NUL. */
export class Store {
  readonly db: DatabaseSyncInstance;
  #open = true;

  /** @param directory of `sandbox.db`; undefined: in memory */
  constructor(directory?: string) {
    this.db = new DatabaseSync(directory === undefined ? ':memory:' : databaseIn(directory));
    this.db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;',
    );
    this.db.exec(SCHEMA);
  }

  /** Runs `work` in a transaction, rolled back if it throws. */
  transaction<T>(work: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      this.db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.db.close();
  }
}
