import { SyncError, systemCode } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import { joinTexts } from '../base/phrase.ts';
import { dateAt } from './local-date.ts';
import { DayMerger } from './merge.ts';
import { readNutrition } from './nutrition.ts';
import type { Input } from './input.ts';
import { readInput } from './read-input.ts';
import { Recurring } from './recurring.ts';
import { ExportReader, type FoundExport } from './sources/export-reader.ts';
import type {
  InvalidRecord,
  PreparedRecord,
  Problem,
  RawRecord,
  Reading,
  ReadingOptions,
  RecordKind,
  RecordOptions,
  Warning,
} from './types.ts';
import { Notes, noteUnstorable } from './values.ts';
import { readWellness } from './wellness.ts';

export interface PreparedRecords {
  /** One a date, by date. */
  readonly records: PreparedRecord[];
  /** In the order of reading. */
  readonly invalid: InvalidRecord[];
}

/** An input that cannot be read as a whole: none of its records are sent. */
export interface UnreadableInput {
  readonly outcome: 'invalid';
  readonly kind: RecordKind;
  /** The input's name. */
  readonly source: string;
  readonly problems: readonly [Problem];
  readonly hint: Text;
}

export interface PreparedInputs extends PreparedRecords {
  readonly unreadable: readonly UnreadableInput[];
  readonly exports: readonly RecognisedInput[];
  /** The names of the inputs that hold an empty list. */
  readonly empty: readonly string[];
}

/** An input that is the export of a known source. */
export interface RecognisedInput extends FoundExport {
  /** The input's name. */
  readonly input: string;
  /** Number of days with records, the first and the last of them (`YYYY-MM-DD`). */
  readonly days: number;
  readonly first?: string;
  readonly last?: string;
}

/**
 * Reads every input to its end and prepares the records to send, one a date over all inputs. An
 * unreadable input does not affect the others.
 *
 * @throws the signal's reason if aborted.
 */
export async function prepareInputs(
  kind: RecordKind,
  inputs: Iterable<Input>,
  options: RecordOptions,
  signal: AbortSignal,
): Promise<PreparedInputs> {
  const reading = { ...options, today: todayOf(options) };
  const merger = new DayMerger(kind, '');
  const invalid: InvalidRecord[] = [];
  const unreadable: UnreadableInput[] = [];
  const exports: RecognisedInput[] = [];
  const empty: string[] = [];
  const all = [...inputs];
  for (const input of all) {
    // The records of an input count only after it was read to its end.
    const own = readingOf(kind, input.origin ?? input.name);
    const reader = options.sources && new ExportReader(kind, options, options.sources);
    let count = 0;
    try {
      for await (const raw of readInput(input, kind, { exports: reader })) {
        signal.throwIfAborted();
        count++;
        addRecord(kind, raw, reading, own);
      }
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'INPUT_INVALID')) throw error;
      const problems = [{ problem: error.message }] as const;
      const hint = hintOf(error, all.length > 1);
      unreadable.push({ outcome: 'invalid', kind, source: input.name, problems, hint });
      continue;
    }
    own.recurring.tell(own.merger);
    if (reader?.found !== undefined) {
      exports.push({ input: input.name, ...reader.found, ...own.merger.extent });
    } else if (count === 0) empty.push(input.name);
    merger.absorb(own.merger);
    for (const record of own.invalid) invalid.push(record);
  }
  return { records: merger.finish(), invalid, unreadable, exports, empty };
}

/** Says what to do about an unreadable input, and if its records and other inputs are sent. */
function hintOf({ hint, cause }: SyncError, others: boolean): Text {
  // A missing file has no records.
  const own = systemCode(cause) === undefined ? 'Nothing of it is sent.' : 'Check the path.';
  const parts = [hint, own, others ? 'It holds up no other input.' : undefined];
  return joinTexts(
    parts.filter((part) => part !== undefined),
    ' ',
  );
}

/** Returns the athlete's calendar date, in the zone of the run. */
function todayOf({ now, zone }: RecordOptions): string | undefined {
  return now === undefined ? undefined : dateAt(now, zone);
}

/** The records read from one input so far. */
export interface InputReading {
  readonly merger: DayMerger;
  readonly invalid: InvalidRecord[];
  readonly recurring: Recurring;
}

/** @param input its name over all runs: see `NutritionPart` */
export function readingOf(kind: RecordKind, input: string): InputReading {
  return { merger: new DayMerger(kind, input), invalid: [], recurring: new Recurring() };
}

/** Adds one raw record to its days, or to the invalid records. */
export function addRecord(
  kind: RecordKind,
  raw: RawRecord,
  options: ReadingOptions,
  { merger, invalid, recurring }: InputReading,
): void {
  const reading = readRecord(kind, raw, options);
  if (!reading.ok) {
    invalid.push(invalidRecord(kind, raw, reading));
    return;
  }
  for (const draft of reading.drafts) {
    for (const note of draft.recurring) recurring.add(draft.date, draft.source, note);
    merger.add(
      'mapped' in raw ? { ...draft, mapped: true, at: raw.at, raws: raw.raws ?? [] } : draft,
    );
  }
}

function readRecord(kind: RecordKind, raw: RawRecord, options: ReadingOptions): Reading {
  if ('problem' in raw) {
    const { problem, field } = raw;
    return { ok: false, problems: [field === undefined ? { problem } : { field, problem }] };
  }
  const notes = new Notes(raw.source, options.strict);
  noteUnstorable(raw.value, '', notes);
  for (const inexact of raw.inexact ?? []) {
    if (options.strict) notes.problems.push(inexact);
    else notes.warnings.push(warningOf(raw.source, inexact));
  }
  return kind === 'wellness'
    ? readWellness(raw.value, notes, options)
    : readNutrition(raw.value, notes, options);
}

function warningOf(source: string, { field, problem }: Problem): Warning {
  return { source, ...(field === undefined ? {} : { field }), message: problem };
}

/** Limits the problems of a record; one more gives the number of the others. */
export const MAX_PROBLEMS = 50;

function limited(problems: readonly Problem[]): readonly Problem[] {
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return problems;
  const others = { problem: `there are ${more.toLocaleString('en-US')} more problems` };
  return [...problems.slice(0, MAX_PROBLEMS), others];
}

function invalidRecord(
  kind: RecordKind,
  { source, line: lineOf }: RawRecord,
  { date, problems: all }: Reading & { ok: false },
): InvalidRecord {
  const problems = limited(all);
  const first: Problem = problems[0] ?? { problem: 'is not a record' };
  const dated = date === undefined ? {} : { date };
  const line = lineOf?.();
  const place = line === undefined ? { source } : { source, line };
  return { outcome: 'invalid', kind, ...place, ...dated, ...first, problems };
}
