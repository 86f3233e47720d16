import { loadSqlite } from '../../src/system/this-process.ts';

/** The SQLite of the program in this process: two of them would not see each other's locks. */
export const { DatabaseSync } = loadSqlite();
