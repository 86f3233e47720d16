import type { Database } from './database.ts';

/** Small facts that outlive a process, each under a name. */
export interface Facts {
  find(name: string): string | undefined;
  remember(name: string, value: string): void;
}

export function facts(database: Database): Facts {
  const select = database.prepare('SELECT value FROM facts WHERE name = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  return {
    find: (name) => (select.get(name) as { value: string } | undefined)?.value,
    remember: (name, value) => void upsert.run(name, value),
  };
}
