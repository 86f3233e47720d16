import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Rows by their key, in the order of their first arrival, as JSON holds them. Rows never change. */
export class Table<TRow> extends Map<string, TRow> {
  readonly #changed: () => void;

  constructor(rows: Readonly<Record<string, TRow>>, changed: () => void) {
    super(Object.entries(rows));
    this.#changed = changed;
  }

  /** @throws RangeError for a row that is nested too deeply to be stored */
  put(key: string, given: TRow): TRow {
    const row = JSON.parse(JSON.stringify(given)) as TRow;
    this.set(key, row);
    this.#changed();
    return row;
  }

  override delete(key: string): boolean {
    this.#changed();
    return super.delete(key);
  }

  override clear(): void {
    this.#changed();
    super.clear();
  }
}

type Saved = Record<string, Record<string, unknown>>;

/** The sandbox's state: tables, and the bytes of recordings by their SHA-256. */
export class Store {
  readonly #folder: string | undefined;
  readonly #saved: Saved;
  readonly #tables = new Map<string, Table<unknown>>();
  readonly #bytes = new Map<string, Uint8Array>();
  #isSaved = true;

  /**
   * @param folder of `sandbox.json` and the folder `recordings`; undefined: in memory
   * @throws the error of reading them
   */
  constructor(folder?: string) {
    this.#folder = folder;
    this.#saved = folder === undefined ? {} : read(join(folder, 'sandbox.json'));
  }

  /** Returns a table with the rows of an earlier run. */
  table<TRow>(name: string): Table<TRow> {
    const rows = (this.#saved[name] ?? {}) as Record<string, TRow>;
    const table = new Table(rows, () => (this.#isSaved = false));
    this.#tables.set(name, table);
    return table;
  }

  /** Writes what changed since the last call. An answer waits for it. */
  save(): void {
    if (this.#folder === undefined || this.#isSaved) return;
    const tables = [...this.#tables].map(([name, table]) => [name, Object.fromEntries(table)]);
    replace(join(this.#folder, 'sandbox.json'), JSON.stringify(Object.fromEntries(tables)));
    this.#isSaved = true;
  }

  putBytes(sha256: string, bytes: Uint8Array): void {
    if (this.#folder === undefined) this.#bytes.set(sha256, bytes);
    else replace(join(this.#folder, 'recordings', sha256), bytes);
  }

  bytes(sha256: string): Uint8Array | undefined {
    if (this.#folder === undefined) return this.#bytes.get(sha256);
    return readFileSync(join(this.#folder, 'recordings', sha256));
  }

  clearBytes(): void {
    this.#bytes.clear();
    if (this.#folder !== undefined) {
      rmSync(join(this.#folder, 'recordings'), { recursive: true, force: true });
    }
  }
}

function read(path: string): Saved {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Replaces a file as a whole, for its owner only: it holds an athlete's data and hashes of tokens. */
function replace(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  writeFileSync(beside, content, { mode: 0o600, flag: 'wx' });
  renameSync(beside, path);
}
