import type { FitSample } from '../../fit/wellness.ts';
import { fitSamples } from '../read/fit-input.ts';
import { JsonFault } from '../../base/json.ts';
import { parseText } from '../read/json.ts';
import type { Line } from '../read/ndjson.ts';
import type {
  JsonValue,
  RawRecord,
  Reading,
  RecordKind,
  RecordOptions,
  FieldUnits,
  SourceOptions,
} from '../types.ts';
import { planIn } from '../plan.ts';
import { refusedInput } from '../refused-input.ts';
import { isObject, show } from '../values.ts';
import { readMapped } from './read-mapped.ts';
import { decodeHead } from '../read/text.ts';
import { recordsAt } from './path.ts';
import { matchFit, matchJson, matchXml, membersOf, unreadNames } from './recognise.ts';
import { otherKind, otherSource, rejectStrange, unknownTable, unknownXml } from './refusals.ts';
import { type NumberForm, POINTS } from './number.ts';
import { judgeUnits } from './unit.ts';
import { type Row, type Rows, jsonRow } from './row.ts';
import type { Mapping, Match, Source } from '../sources/types.ts';

/** The source of an input. */
export interface FoundExport extends Match {
  /** The columns, and the names of values, that the source does not read. */
  readonly unread?: readonly string[];
}

type RecordStream = AsyncGenerator<RawRecord | Reading, void, undefined>;

/** Reads one input with the mapping of the source that it matches. */
export class ExportReader {
  readonly #kind: RecordKind;
  readonly #options: RecordOptions;
  /** The sources that count. */
  readonly sources: SourceOptions;
  /** The parts of the input that were left out, after it was read. */
  readonly notes: string[] = [];
  /** The end of the input is missing. */
  isCutOff = false;
  /** The wellness of the input, after it was read, if it is a FIT file. */
  samples: readonly FitSample[] | undefined;
  /** The units of the input's fields, once its columns are known. */
  units: FieldUnits | undefined;
  readonly #unread = new Set<string>();
  #found: Match | undefined;

  constructor(kind: RecordKind, options: RecordOptions, sources: SourceOptions) {
    this.#kind = kind;
    this.#options = options;
    this.sources = sources;
  }

  /** The source of the input, after its first record was read. */
  get found(): FoundExport | undefined {
    return this.#found && { ...this.#found, unread: [...this.#unread] };
  }

  /**
   * Reads a FIT file. Which of its measurements count depends on the other files: it has no records of
   * its own.
   *
   * @throws SyncError `INPUT_INVALID` if it is damaged, or has no records of this kind
   */
  async readFit(name: string, bytes: Buffer): Promise<void> {
    const samples = fitSamples(name, bytes, this.#kind);
    await this.#choose(name, matchFit(name, this.sources.list));
    this.samples = samples;
  }

  /**
   * Returns the records of a JSON document, or of one on each line; undefined if they are in the platform's form.
   *
   * @param first the document, or that of the first line
   * @throws SyncError `INPUT_INVALID` if it is not from the named source, or has no records of this kind
   */
  async readJson(
    name: string,
    first: JsonValue,
    lines?: AsyncIterable<Line>,
  ): Promise<RecordStream | undefined> {
    const match = await this.#choose(name, matchJson(name, first, this.sources.list));
    if (match === undefined) return undefined;
    const { mapping } = match;
    const header = membersOf(first, mapping.records);
    if (mapping.guess === true)
      for (const member of unreadNames(header, mapping)) this.#unread.add(member);
    this.units = await judgeUnits(name, match, { header }, this.sources);
    const rows =
      lines === undefined ? [jsonRows(name, first, match)] : rowsOfLines(name, lines, match);
    return this.#mapped(name, rows, match, POINTS);
  }

  /**
   * Returns the records of a table or of XML; undefined if the text is neither.
   *
   * @param head the first bytes of the file, with which `chunks` begin, too
   * @throws SyncError `INPUT_INVALID` if no source matches, as in `readJson`
   */
  async readText(
    name: string,
    head: Buffer,
    chunks: AsyncIterable<Buffer>,
  ): Promise<RecordStream | undefined> {
    const matches = await matchText(name, head, this.sources.list);
    if (matches === undefined) return undefined;
    const match = await this.#choose(name, matches);
    const { text, encoding } = decodeHead(head);
    if (isXml(text)) {
      if (match === undefined) throw unknownXml(name, text);
      const { readXml } = await import('./xml.ts');
      return this.#mapped(name, readXml(name, chunks, match.mapping, this.#unread), match, POINTS);
    }
    const { linesBeforeHeader, numberFormOf, readTable, tableForm } = await import('./csv.ts');
    const form = tableForm(text, match?.mapping.skipLines);
    if (text.trim() === '' || (form === undefined && !/\.(?:csv|tsv)$/i.test(name)))
      return undefined;
    if (form === undefined || match === undefined) {
      const header = form?.header ?? [text.split(/\r?\n/, 1).join()];
      throw unknownTable(name, text, header, linesBeforeHeader(name, text, this.sources.list));
    }
    const { mapping } = match;
    const unread = unreadNames(form.header, mapping);
    const isGuess = mapping.guess === true && !this.sources.named;
    if (isGuess) rejectStrange(name, form, unread, match);
    for (const column of unread) this.#unread.add(column);
    if (encoding !== 'utf-8')
      this.notes.push('the text is not UTF-8: read as Windows-1252 (Latin-1)');
    this.units = await judgeUnits(name, match, form, this.sources);
    const rows = readTable(name, chunks, form, mapping.skipLines, encoding);
    const numbers = numberFormOf(form, unread, isGuess);
    // Rows of a food log do not say which of them is the day's: naming the source does not settle it.
    const oneRowADay =
      mapping.kind === 'wellness'
        ? isGuess
        : mapping.guess === true && mapping.totals !== undefined;
    return this.#mapped(name, rows, match, numbers, oneRowADay);
  }

  #mapped(
    name: string,
    rows: Rows,
    match: Match,
    numbers: NumberForm,
    oneRowADay = false,
  ): RecordStream {
    this.#found = match;
    const note = (text: string) => this.notes.push(text);
    const cutOff = () => void (this.isCutOff = true);
    const about = { name, unread: this.#unread, note, cutOff, numbers, oneRowADay };
    return readMapped(rows, match.mapping, { ...this.#options, ...about, ...this.units });
  }

  /** Chooses the match of the wanted kind. */
  async #choose(name: string, matches: readonly Match[]): Promise<Match | undefined> {
    const wanted = matches.filter(({ mapping }) => mapping.kind === this.#kind);
    const [only, ...others] = wanted;
    if (only !== undefined) {
      return others.length === 0 ? only : await this.sources.choose(name, wanted);
    }
    const [other] = matches;
    if (other !== undefined) throw otherKind(name, other);
    if (this.sources.named) throw otherSource(name, this.sources.list);
    return undefined;
  }
}

/**
 * Returns the sources that a table or an XML document matches; undefined if the text is neither.
 *
 * @param head the first bytes of the file
 */
export async function matchText(
  name: string,
  head: Buffer,
  sources: readonly Source[],
): Promise<readonly Match[] | undefined> {
  const { text } = decodeHead(head);
  if (isXml(text)) return matchXml(name, text, sources);
  if (/^\ufeff?\s*[{[]/.test(text)) return undefined;
  const { matchTable } = await import('./csv.ts');
  return matchTable(name, text, sources);
}

/** @param head the first characters of the file */
export function isXml(head: string): boolean {
  return /^\ufeff?\s*</.test(head);
}

function* jsonRows(name: string, document: JsonValue, { mapping }: Match): Generator<Row> {
  for (const place of recordsAt(document, mapping.records)) {
    const { value } = place;
    const isOwn = mapping.guess === true;
    if (!isObject(value) && !isOwn) continue;
    const row = jsonRow(name, place);
    const problem = isOwn ? problemIn(value, mapping) : undefined;
    yield problem === undefined ? row : { ...row, problem };
  }
}

/** Returns why a value of the athlete's own list is no food that was eaten. */
function problemIn(record: JsonValue, mapping: Mapping): string | undefined {
  if (!isObject(record)) return `is ${show(record)}; an object is expected`;
  // A food may be named "Target"; no rule reads a boolean.
  const isUnread = (name: string) =>
    typeof record[name] === 'boolean' || unreadNames([name], mapping).length > 0;
  const plan = Object.keys(record)
    .map((name) => planIn([name], record))
    .find((each) => each !== undefined && isUnread(each.field));
  return plan && `${plan.field} ${plan.problem}`;
}

async function* rowsOfLines(
  name: string,
  lines: AsyncIterable<Line>,
  match: Match,
): AsyncGenerator<Iterable<Row>> {
  for await (const { number, bytes } of lines) {
    try {
      yield jsonRows(`${name}:${number}`, parseText(bytes.toString()), match);
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      const source = `${name}:${number}`;
      const problem = `is not JSON: ${error.message}`;
      if (match.mapping.guess !== true)
        throw refusedInput(name, `${source} ${problem}`, 'Export it again.');
      yield [{ source, get: () => undefined, problem }];
    }
  }
}
