import { SyncError } from '../base/errors.ts';
import { type Verdict, judge } from './judge.ts';
import { listNames } from './listed.ts';
import { UNKNOWN_MEMBER } from './members.ts';
import { readNutrition } from './nutrition/read-nutrition.ts';
import type { FileFacts } from './objections/objection.ts';
import {
  type DayDraft,
  type Fault,
  type InvalidRecord,
  type Problem,
  type RawRecord,
  type Reading,
  type RecordKind,
  type RecordOptions,
  type RefusedRecord,
  type Warning,
  isDraft,
} from './types.ts';
import { readWellness } from './wellness/read-wellness.ts';

/** Returns the days of one raw record, or what was read of one. They count after {@link finishInput}. */
export function readRecord(
  kind: RecordKind,
  record: RawRecord | Reading,
  options: RecordOptions,
): readonly Reading[] {
  if (!('value' in record)) return [record];
  return kind === 'wellness' ? [readWellness(record, options)] : readNutrition(record, options);
}

/** What an input says, and the records of it that cannot be sent. */
interface ReadDays {
  readonly verdict: Verdict;
  readonly drafts: DayDraft[];
  readonly invalid: readonly InvalidRecord[];
}

/**
 * Judges the values of an input that was read to its end.
 *
 * @throws SyncError `INPUT_INVALID` as {@link judge}, or if the input has too many invalid records
 */
export function finishInput(
  kind: RecordKind,
  name: string,
  readings: Reading[],
  facts: FileFacts,
  strict: boolean,
): ReadDays {
  const verdict = judge(name, readings, facts, strict);
  const drafts: DayDraft[] = [];
  const invalid: InvalidRecord[] = [];
  for (const reading of readings) {
    if (!isDraft(reading)) {
      if (reading.problems.length === 0) continue;
      const record = invalidRecord(kind, reading);
      if (invalid.length === MAX_INVALID) throw tooManyInvalid(record);
      invalid.push(record);
      continue;
    }
    const { problems } = reading;
    if (problems.length > 0) {
      const { source: place } = reading;
      const unsent = problems.map(({ problem: message, source = place, ...field }) => ({
        ...{ source, ...field, message },
        unsent: true as const,
      }));
      reading.warnings = [...reading.warnings, ...unsent];
    }
    drafts.push(reading);
  }
  noteRecurring(drafts);
  return { verdict, drafts, invalid };
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

/** Limits the problems of a record; one more gives the number of the others. */
export const MAX_PROBLEMS = 50;

function limited(faults: readonly Fault[]): readonly Problem[] {
  const problems = faults.map(({ field, problem }) =>
    field === undefined ? { problem } : { field, problem },
  );
  const more = problems.length - MAX_PROBLEMS;
  if (more <= 0) return problems;
  const others = { problem: `there are ${more.toLocaleString('en-US')} more problems` };
  return [...problems.slice(0, MAX_PROBLEMS), others];
}

function invalidRecord(
  kind: RecordKind,
  { source, date, problems: all }: RefusedRecord,
): InvalidRecord {
  const problems = limited(all);
  const first: Problem = problems[0] ?? { problem: 'is not a record' };
  const dated = date === undefined ? {} : { date };
  return { outcome: 'invalid', kind, source, ...dated, ...first, problems };
}

/** Limits the different notes about one input; one more gives the number of the others. */
export const MAX_KINDS = 100;
const OTHERS = 'others';

interface Counted {
  /** The first record that has the note. */
  readonly draft: DayDraft;
  readonly note: Warning;
  times: number;
}

/**
 * Notes what many records of an input may have: the first of each kind, and a count. A misspelt field is misspelt in a
 * thousand records.
 */
function noteRecurring(drafts: readonly DayDraft[]): void {
  const counted = new Map<string, Counted>();
  const unsent = new Set<string>();
  let first: DayDraft | undefined;
  for (const draft of drafts) {
    const { warnings } = draft;
    const recurring = warnings.filter(({ key }) => key !== undefined);
    if (recurring.length === 0) continue;
    draft.warnings = warnings.filter(({ key }) => key === undefined);
    for (const noted of recurring) {
      if (noted.key === UNKNOWN_MEMBER) {
        first ??= draft;
        unsent.add(String(noted.message));
        continue;
      }
      const { key: own = '', ...note } = noted;
      const key = counted.has(own) || counted.size < MAX_KINDS ? own : OTHERS;
      const known = counted.get(key);
      if (known === undefined) counted.set(key, { draft, note, times: 1 });
      else known.times++;
    }
  }
  for (const [key, { draft, note, times }] of counted) {
    const count = times.toLocaleString('en-US');
    const often = times === 1 ? '' : ` (${count} times in this input)`;
    const others = `there are ${count} more such notes about fields and dates of this input`;
    if (key === OTHERS) warn(draft, { source: note.source, message: others });
    else warn(draft, { ...note, message: `${String(note.message)}${often}` });
  }
  if (first === undefined) return;
  const message = `not sent, since the platform does not know it: ${listNames([...unsent])}`;
  warn(first, { source: first.source, message });
}

function warn(draft: DayDraft, warning: Warning): void {
  draft.warnings = [...draft.warnings, warning];
}
