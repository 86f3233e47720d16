import { SyncError, systemCode } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import { joinTexts } from '../base/phrase.ts';
import { type InputReading, addRecord, readingOf } from './add-record.ts';
import { unitsOf } from './fields.ts';
import type { FitFile } from './wellness/fit-choice.ts';
import { DayMerger } from './merge.ts';
import { foodInput } from './prefer.ts';
import type { Input } from './read/input.ts';
import { readInput } from './read-input.ts';
import { ExportReader, type FoundExport } from './engine/export-reader.ts';
import { FIT } from './sources/fit.ts';
import type {
  InvalidRecord,
  PreparedRecords,
  Problem,
  RecordKind,
  RecordOptions,
} from './types.ts';

/** An input that cannot be read as a whole: none of its records are sent. */
export interface UnreadableInput {
  readonly outcome: 'invalid';
  readonly kind: RecordKind;
  readonly source: string;
  readonly problems: readonly [Problem];
  readonly hint: Text;
}

export interface PreparedInputs extends PreparedRecords {
  readonly unreadable: readonly UnreadableInput[];
  readonly exports: readonly RecognisedInput[];
  /** The inputs without any record: the names, and why. */
  readonly empty: readonly { readonly name: string; readonly problem: string }[];
  /** About FIT files: as in `FitChoice`. */
  readonly notes: readonly Text[];
  readonly warnings: readonly Text[];
}

/** An input that is the export of a known source. */
export interface RecognisedInput extends FoundExport {
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
  const merger = new DayMerger(kind, '', options.rank);
  const invalid: InvalidRecord[] = [];
  const unreadable: UnreadableInput[] = [];
  const exports: RecognisedInput[] = [];
  const empty: PreparedInputs['empty'][number][] = [];
  const warnings: Text[] = [];
  const fit: FitFile[] = [];
  const all = [...inputs];
  const parts: { readonly modified: number; readonly merge: () => void }[] = [];
  for (const input of all) {
    const { name, origin = name } = input;
    if (input.samples !== undefined) {
      fit.push({ name, origin, samples: input.samples });
      continue;
    }
    // The records of an input count only after it was read to its end.
    const own = readingOf(kind, origin);
    const reader = options.sources && new ExportReader(kind, options, options.sources);
    let count = 0;
    try {
      for await (const raw of readInput(input, kind, { exports: reader })) {
        signal.throwIfAborted();
        count++;
        addRecord(kind, raw, options, own);
      }
      rejectDoubtfulColumn(name, own.recurring, reader?.found);
      if (reader !== undefined && reader.found === undefined) noteScores(name, own, options);
    } catch (error) {
      if (!(error instanceof SyncError && error.code === 'INPUT_INVALID')) throw error;
      const problems = [{ problem: error.message }] as const;
      const hint = hintOf(error, all.length > 1);
      unreadable.push({ outcome: 'invalid', kind, source: name, problems, hint });
      continue;
    }
    if (reader?.samples !== undefined) {
      fit.push({ name, origin, samples: reader.samples });
      continue;
    }
    own.recurring.tell(own.merger);
    if (reader?.found !== undefined) {
      exports.push({ input: name, ...reader.found, ...own.merger.extent });
      warnings.push(...reader.notes.map((note) => `${name}: ${note}`));
    }
    if (count === 0) {
      const lacks = reader?.found ? 'has no row with a value to send' : 'holds an empty list';
      empty.push({ name, problem: `${name} ${lacks}.` });
    }
    const { source, mapping } = reader?.found ?? {};
    const isNamed = kind === 'nutrition' && source !== undefined && source.general !== true;
    const foods = isNamed ? foodInput(source.name, mapping?.holds ?? '') : undefined;
    const { modified } = input;
    const merge = () => {
      merger.absorb(own.merger, source?.name, foods, modified);
    };
    parts.push({ modified: modified ?? 0, merge });
    for (const record of own.invalid) invalid.push(record);
  }
  // Of several files of one program, the newest counts.
  for (const { merge } of parts.sort((a, b) => a.modified - b.modified)) merge();
  const notes: Text[] = [];
  if (fit.length > 0) {
    const { addFitDays } = await import('./fit-days.ts');
    const ofFit = await addFitDays(fit, options, merger);
    for (const file of ofFit.read) exports.push({ ...FIT, ...file });
    for (const record of ofFit.invalid) invalid.push(record);
    notes.push(...ofFit.notes);
    warnings.push(...ofFit.warnings);
  }
  const records = merger.finish();
  return { records, invalid, unreadable, exports, empty, notes, warnings };
}

/** Number of values that show a wrong unit in the export of a known program. */
const ENOUGH_VALUES = 3;

/** @throws SyncError `INPUT_INVALID` if the unit of all values of a field is in doubt */
function rejectDoubtfulColumn(
  name: string,
  recurring: InputReading['recurring'],
  found: FoundExport | undefined,
): void {
  const least = found?.source.general === true ? 1 : ENOUGH_VALUES;
  const { field, doubt } = recurring.doubtfulColumn(least) ?? {};
  if (field === undefined) return;
  const known = Object.keys(unitsOf(field));
  const [own = '', ...others] = known;
  const confirms = `--unit ${field}=${own} sends it as it is`;
  throw new SyncError('INPUT_INVALID', `${name}: no value of ${field} is plausible: it ${doubt}.`, {
    hint:
      found === undefined
        ? `Write it in the platform's unit; ${confirms}.`
        : others.length === 0
          ? `${confirms}.`
          : `Name the unit of the file: --unit ${field}=UNIT (${known.join(', ')}).`,
    details: { path: name },
  });
}

/**
 * Notes scores that are perhaps of a lower scale: the athlete's own records state none.
 *
 * @throws SyncError `INPUT_INVALID` if strict
 */
function noteScores(
  name: string,
  { recurring, merger }: InputReading,
  options: RecordOptions,
): void {
  const units = options.sources?.units;
  const { found, confirm = '' } =
    recurring.doubtfulScores((field) => units?.get(field) === 1) ?? {};
  if (found === undefined) return;
  if (options.strict) {
    throw new SyncError('INPUT_INVALID', `${name}: ${found}.`, { hint: `${confirm}.` });
  }
  const { first = '' } = merger.extent;
  merger.warn(first, { source: name, message: `${found}. Sent as they are; ${confirm}` });
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
