import { SyncError } from '../base/errors.ts';
import { type Verdict, judge } from './judge.ts';
import { listNames } from './listed.ts';
import { DayMerger } from './merge.ts';
import { readNutrition } from './nutrition/read-nutrition.ts';
import type { FileFacts } from './objections/objection.ts';
import type {
  InvalidRecord,
  Problem,
  RawRecord,
  Reading,
  RecordKind,
  RecordOptions,
  RecurringNote,
} from './types.ts';
import { Notes } from './notes.ts';
import { noteUnstorable } from './values.ts';
import { readWellness } from './wellness/read-wellness.ts';

/** The records read from one input so far. */
export interface InputReading {
  readonly merger: DayMerger;
  readonly invalid: InvalidRecord[];
  readonly records: Reading[];
}

/** @param path as in `PreparedRecord.files` */
export function readingOf(kind: RecordKind, path: string): InputReading {
  return { merger: new DayMerger(kind, path), invalid: [], records: [] };
}

/** Adds one raw record. Its days count after {@link finishInput}. */
export function addRecord(
  kind: RecordKind,
  raw: RawRecord,
  options: RecordOptions,
  { records }: InputReading,
): void {
  records.push(readRecord(kind, raw, options));
}

/**
 * Judges the values of an input that was read to its end, and adds its records to their days, or to the
 * invalid records.
 *
 * @throws SyncError `INPUT_INVALID` as {@link judge}, or if the input has too many invalid records
 */
export function finishInput(
  kind: RecordKind,
  name: string,
  { merger, invalid, records }: InputReading,
  facts: FileFacts,
  strict: boolean,
): Verdict {
  const verdict = judge(name, records, facts, strict);
  const counter = new NoteCounter();
  for (const reading of records) {
    const { source, drafts, problems } = reading;
    const [sent] = drafts;
    if (sent !== undefined) {
      for (const { field, problem } of problems) {
        const place = field === undefined ? {} : { field };
        sent.warnings.push({ source, ...place, message: problem, unsent: true });
      }
    } else if (problems.length > 0) {
      const record = invalidRecord(kind, reading);
      if (invalid.length === MAX_INVALID) throw tooManyInvalid(record);
      invalid.push(record);
    }
    for (const draft of drafts) {
      for (const note of draft.recurring) counter.add(draft.day.date, source, note);
      merger.add(draft);
    }
    // Freed here, since days and drafts together would take twice the memory.
    reading.drafts = [];
  }
  records.length = 0;
  counter.report(merger);
  return verdict;
}

/** An input with more invalid records than this holds something else. */
const MAX_INVALID = 200_000;

function tooManyInvalid({ kind, source, field, problem }: InvalidRecord): SyncError {
  const limit = MAX_INVALID.toLocaleString('en-US');
  const last = `${source}: ${[field, problem].join(' ').trim()}`;
  return new SyncError(
    'INPUT_INVALID',
    `More than ${limit} records of the input are no valid ${kind}, the last of them is ${last}.`,
  );
}

function readRecord(kind: RecordKind, raw: RawRecord, options: RecordOptions): Reading {
  if ('problem' in raw) {
    const { source, problem, field } = raw;
    return {
      source,
      drafts: [],
      problems: [field === undefined ? { problem } : { field, problem }],
    };
  }
  const notes = new Notes(raw, options.strict, options.sources);
  noteUnstorable(raw.value, '', notes);
  for (const inexact of raw.inexact ?? []) {
    if (options.strict) notes.problems.push(inexact);
    else {
      const { problem, ...place } = inexact;
      notes.warnings.push({ source: raw.source, ...place, message: problem });
    }
  }
  if (kind === 'nutrition') return readNutrition(raw.value, notes, options);
  return readWellness(raw.value, notes, options);
}

/** Limits the problems of a record; one more gives the number of the others. */
export const MAX_PROBLEMS = 50;

function limited(problems: readonly Problem[]): readonly Problem[] {
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return problems;
  const others = { problem: `there are ${more.toLocaleString('en-US')} more problems` };
  return [...problems.slice(0, MAX_PROBLEMS), others];
}

function invalidRecord(kind: RecordKind, { source, date, problems: all }: Reading): InvalidRecord {
  const problems = limited(all);
  const first: Problem = problems[0] ?? { problem: 'is not a record' };
  const dated = date === undefined ? {} : { date };
  return { outcome: 'invalid', kind, source, ...dated, ...first, problems };
}

/** Limits the different notes about one input; one more gives the number of the others. */
const MAX_KINDS = 100;

interface Counted {
  readonly date: string;
  readonly source: string;
  readonly note: Extract<RecurringNote, { key: string }>;
  times: number;
}

/**
 * Deduplicates the notes about one input: reports the first of each kind, and a count. A misspelt field
 * is misspelt in a thousand records.
 */
class NoteCounter {
  readonly #counted = new Map<string, Counted>();
  #beyond: Counted | undefined;
  readonly #unsent = new Set<string>();
  #firstUnsent: { readonly date: string; readonly source: string } | undefined;

  /** @param date the day that reports it, if it is the first */
  add(date: string, source: string, note: RecurringNote): void {
    if ('unsent' in note) {
      this.#firstUnsent ??= { date, source };
      this.#unsent.add(note.unsent);
      return;
    }
    const known = this.#counted.get(note.key);
    if (known !== undefined) {
      known.times++;
    } else if (this.#counted.size < MAX_KINDS) {
      this.#counted.set(note.key, { date, source, note, times: 1 });
    } else if (this.#beyond === undefined) this.#beyond = { date, source, note, times: 1 };
    else this.#beyond.times++;
  }

  /** Adds the warnings to the days of the input, after it was read to its end. */
  report(merger: DayMerger): void {
    for (const { date, source, note, times } of this.#counted.values()) {
      const often = times === 1 ? '' : ` (${times.toLocaleString('en-US')} times in this input)`;
      const found = note.found();
      const done = note.done === undefined ? '' : `${found.endsWith('?') ? '' : '.'} ${note.done}`;
      const message = `${found}${done}${often}`;
      merger.warn(date, { source, field: note.field, message });
    }
    if (this.#firstUnsent !== undefined) {
      const { date, source } = this.#firstUnsent;
      const listed = listNames([...this.#unsent]);
      const message = `not sent, since the platform does not know it: ${listed}`;
      merger.warn(date, { source, message });
    }
    if (this.#beyond === undefined) return;
    const { date, source, times } = this.#beyond;
    const message = `there are ${times.toLocaleString('en-US')} more such notes about fields and dates of this input`;
    merger.warn(date, { source, message });
  }
}
