import { Readable, pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { InputFile } from '../inputs/input-files.ts';
import { MAX_BYTES } from './take-records.ts';

const LIST = 'activities.csv';

/** The place of the title in a row: the header has the athlete's language. */
const TITLE = 2;

const RECORDING = /^activities\/[^/]+\.(?:fit|gpx|tcx)(?:\.gz)?$/i;

/** The titles that recordings of Strava account exports have in the `activities.csv` beside them. */
export class StravaTitles {
  readonly #titles = new Map<string, string>();

  /**
   * Takes the titles of a list.
   *
   * @returns false if it is not one, or cannot be read to its end
   */
  async add({ name, path, size, read }: InputFile): Promise<boolean> {
    if (name !== LIST || size > MAX_BYTES) return false;
    const folder = path.slice(0, -LIST.length);
    let isList = false;
    const rows = parse({ relax_column_count: true, bom: true });
    pipeline(Readable.from(read()), rows, () => undefined);
    try {
      for await (const row of rows as AsyncIterable<readonly string[]>) {
        const recording = row.find((cell) => RECORDING.test(cell));
        const title = row[TITLE]?.trim() ?? '';
        if (recording === undefined) continue;
        isList = true;
        if (title !== '') this.#titles.set(keyOf(folder + recording), title);
      }
    } catch {
      return false;
    }
    return isList;
  }

  /** Adds the title of a recording, if a list has it. */
  titled<T extends { readonly path: string }>(recording: T): T & { readonly title?: string } {
    const title = this.#titles.get(keyOf(recording.path));
    return title === undefined ? recording : { ...recording, title };
  }
}

/** Returns the same for a path of Windows, and for a recording that was unpacked. */
function keyOf(path: string): string {
  return path.replaceAll('\\', '/').replace(/\.gz$/i, '');
}
