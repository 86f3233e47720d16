import { DatabaseSync } from '@photostructure/sqlite';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pair } from '../pair.mjs';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { logIn, program, runProgram } from '../world.mjs';

/** What tells the rows of a table apart; all else they share with the row that the program wrote. */
const KEYS = {
  uploads: {
    id: 'NULL',
    sha256: "printf('%064x', n * 2654435761)",
    path: "printf('/home/ada/rides/%d/ride-%d.fit', n >> 8, n)",
  },
  known_files: {
    sha256: "printf('%064x', n * 2654435761)",
    path: "printf('/home/ada/rides/%d/ride-%d.fit', n >> 8, n)",
  },
};

/** `sync status` with a ledger of so many uploads and known files. */
export function status(count) {
  return async ({ rounds }) => {
    const sink = await startSink();
    const env = await logIn(sink.url);
    const folder = await makeFolder(1, 400);
    // A file is remembered from 2 s after its last change on.
    await setTimeout(2_100);
    await runProgram(['upload', '--quiet', folder], env);
    multiply(join(env.SYNC_STATE_DIR, 'ledger.db'), count);
    const command = [process.execPath, program, 'status'];
    const figures = await pair({ command, env }, undefined, rounds);
    sink.close();
    return figures;
  };
}

/** Repeats the one row of each table, whatever columns it has. */
function multiply(file, count) {
  const database = new DatabaseSync(file);
  for (const [table, keys] of Object.entries(KEYS)) {
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name);
    for (const key of Object.keys(keys)) {
      if (!columns.includes(key)) throw new Error(`${table} has no column ${key}`);
    }
    const values = columns.map((name) => keys[name] ?? name).join(', ');
    database.exec(`
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
      INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM numbers, ${table} LIMIT ${count - 1}`);
    const { rows } = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
    if (rows !== count) throw new Error(`${table} has ${rows} rows, not ${count}`);
  }
  database.close();
}
