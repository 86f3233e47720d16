import { createRequire } from 'node:module';
import type { DatabaseSync as DatabaseClass, DatabaseSyncInstance } from '@photostructure/sqlite';

/** A connection to a SQLite file. */
export type SqliteDatabase = DatabaseSyncInstance;

/**
 * Loads Node's own SQLite, or @photostructure/sqlite, which has the same API. Many commands need neither.
 *
 * @throws Error `MODULE_NOT_FOUND` if this installation lacks the package
 */
export function loadSqlite(): { readonly DatabaseSync: typeof DatabaseClass } {
  const own = hasStableSqlite(process.versions.node)
    ? process.getBuiltinModule('node:sqlite')
    : undefined;
  const require = createRequire(import.meta.filename);
  return (own ?? require('@photostructure/sqlite')) as ReturnType<typeof loadSqlite>;
}

/** Returns whether `node:sqlite` is stable in a version of Node.js. Earlier versions print a warning. */
export function hasStableSqlite(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 24) return minor >= 15;
  if (major === 25) return minor >= 7;
  return major > 25;
}
