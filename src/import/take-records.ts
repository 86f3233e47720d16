import { KINDS } from '../ledger/records.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { UnreadableFile } from '../archive/archives.ts';
import { ArchiveFault } from '../archive/fault.ts';
import { SyncError } from '../base/errors.ts';
import { type PreparedInputs, prepareInputs } from '../records/prepare.ts';
import type { FitSample } from '../fit/wellness.ts';
import type { Input } from '../records/read/input.ts';
import { matchInput } from '../records/read-input.ts';
import { FIT } from '../records/sources/fit.ts';
import { PLATFORM_FORM } from '../records/sources/platform-form.ts';
import { matchTitle } from '../records/engine/recognise.ts';
import type { Match } from '../records/sources/types.ts';
import type { PreparedRecord, RecordKind, RecordOptions, SourceOptions } from '../records/types.ts';
import type { ImportTable } from './import-table.ts';
import type { InputFile } from '../inputs/input-files.ts';

/** Largest file of records (bytes). XML is read in parts, and JSON has another limit. */
export const MAX_BYTES = 100 * 1024 * 1024;

const RECORDS = /\.(?:json|ndjson|jsonl|csv|tsv|xml)$/i;

interface Taken {
  readonly input: Input;
  readonly match: Match;
}

/** Scans wellness and nutrition: recognises the files of known sources, and reads them. */
export class RecordScan {
  readonly #taken: Taken[] = [];
  readonly #table: ImportTable;
  readonly #sources: SourceOptions;
  readonly #report: (problem: UnreadableFile) => void;
  /** The number of the last input with an origin. */
  readonly #origins = new Map<string, number>();

  constructor(
    table: ImportTable,
    sources: SourceOptions,
    report: (problem: UnreadableFile) => void,
  ) {
    this.#table = table;
    this.#sources = sources;
    this.#report = report;
  }

  /**
   * Takes a file if it is the export of a known source.
   *
   * @returns false if it is no file of records, or of no known source
   */
  async add(inputFile: InputFile): Promise<boolean> {
    if (!RECORDS.test(inputFile.name) || inputFile.size === 0) return false;
    if (inputFile.size > MAX_BYTES && !/\.(?:xml|json)$/i.test(inputFile.name)) {
      const reason = `more than ${MAX_BYTES / 1024 ** 2} MB`;
      this.#table.leave('unreadable', 'Large files', reason);
      return true;
    }
    const input = this.#inputOf(inputFile);
    const matches = await this.#matchesOf(input);
    if (matches === undefined) return true;
    for (const kind of KINDS) {
      const [match, other] = matches.filter(({ mapping }) => mapping.kind === kind);
      if (match === undefined) continue;
      if (other === undefined) this.#taken.push({ input, match });
      else {
        const title = `${match.source.title} or ${other.source.title}`;
        const command = sync('push', kind, '--source', 'NAME', 'FILE');
        this.#table.leave('ambiguous', title, phrase`of several programs; ${command} sends it`);
      }
    }
    return matches.length > 0;
  }

  addFit(inputFile: InputFile, samples: readonly FitSample[]): void {
    this.#taken.push({
      input: { ...this.#inputOf(inputFile), samples, modified: undefined },
      match: FIT,
    });
  }

  inputsOf(kind: RecordKind): readonly Input[] {
    return this.#taken.filter(({ match }) => match.mapping.kind === kind).map(({ input }) => input);
  }

  /**
   * Reads the files of one kind to their end.
   *
   * @param since earliest day that is sent (`YYYY-MM-DD`)
   * @throws the signal's reason if it is aborted
   */
  async read(
    kind: RecordKind,
    options: RecordOptions,
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<PreparedInputs> {
    const ofKind = this.#taken.filter(({ match }) => match.mapping.kind === kind);
    const taken = ofKind.filter(({ match }) => match.mapping.guess !== true);
    for (const { match } of ofKind.filter((each) => !taken.includes(each))) {
      const format = match.mapping.format.toUpperCase();
      const title = `Perhaps ${kind}: ${format} with field names of the platform`;
      const command = sync('push', kind, 'FILE');
      const reason = phrase`of no known program; ${command} sends it, or says why not`;
      this.#table.leave('ambiguous', title, reason);
    }
    const prepared = await prepareInputs(
      kind,
      taken.map(({ input }) => input),
      { ...options, sources: { ...this.#sources, choose: neverAmbiguous } },
      signal,
    );
    const records = prepared.records.filter(({ date }) => since === undefined || date >= since);
    this.#addRows(kind, taken, prepared, records);
    return { ...prepared, records };
  }

  #addRows(
    kind: RecordKind,
    taken: readonly Taken[],
    { unreadable, empty }: PreparedInputs,
    records: readonly PreparedRecord[],
  ): void {
    const broken = new Set(unreadable.map(({ source }) => source));
    const withoutValue = new Set(empty.map(({ name }) => name));
    const rowOf = ({ source, mapping }: Match) => ({
      kind,
      title: source === PLATFORM_FORM ? source.title : matchTitle({ source, mapping }),
      sends: true,
      source: source.name,
    });
    const matchOf = new Map(taken.map(({ input, match }) => [input.origin, match]));
    for (const { input, match } of taken) {
      if (broken.has(input.name)) this.#table.leaveUnreadable();
      else if (!withoutValue.has(input.name)) this.#table.add(rowOf(match));
    }
    for (const { input, match } of taken) {
      if (!withoutValue.has(input.name)) continue;
      this.#table.add({ ...rowOf(match), sends: false, reason: 'no value to send' });
    }
    for (const { date, files } of records) {
      for (const match of new Set(files.map((file) => matchOf.get(file)))) {
        if (match !== undefined) this.#table.add(rowOf(match), { files: 0, days: [date] });
      }
    }
  }

  /** Returns the sources that match; undefined if the file cannot be read, which is reported. */
  async #matchesOf(input: Input): Promise<readonly Match[] | undefined> {
    try {
      return await matchInput(input, [...this.#sources.list, PLATFORM_FORM]);
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'INPUT_INVALID')) throw error;
      const { cause } = error;
      const problem = cause instanceof ArchiveFault ? cause.message : error.message;
      const reason = cause instanceof ArchiveFault ? cause.reason : 'unreadable';
      this.#table.leaveUnreadable();
      this.#report({ path: input.name, problem, reason });
      return undefined;
    }
  }

  #inputOf({ path, origin, read, modified }: InputFile): Input {
    // Members of one archive may have the same name.
    let unique = origin;
    let number = this.#origins.get(origin) ?? 0;
    while (this.#origins.has(unique)) unique = `${origin} (${++number})`;
    this.#origins.set(origin, number).set(unique, 1);
    const name = unique === origin ? path : `${path}${unique.slice(origin.length)}`;
    const chunks = { [Symbol.asyncIterator]: () => chunksOf(path, read) };
    return { name, origin: unique, chunks, modified };
  }
}

async function* chunksOf(
  path: string,
  read: InputFile['read'],
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* read();
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    const details = { path };
    throw new SyncError('INPUT_INVALID', `${path}: ${error.message}`, { cause: error, details });
  }
}

function neverAmbiguous(): never {
  throw new Error('an ambiguous file was taken');
}
