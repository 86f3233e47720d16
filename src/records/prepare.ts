import { SyncError, systemCode } from '../base/errors.ts';
import { OWN_RECORDS } from './prefer.ts';
import type { Text } from '../base/phrase.ts';
import { joinTexts, phrase, sync } from '../base/phrase.ts';
import { finishInput, readRecord } from './read-record.ts';
import type { FitFile } from './wellness/fit-choice.ts';
import { documentUrl } from '../base/version.ts';
import { listNames } from './listed.ts';
import { type InputDays, extentOf, mergeDays } from './merge.ts';
import type { Input } from './read/input.ts';
import { People } from './people.ts';
import { refusedInput } from './refused-input.ts';
import { readInput } from './read-input.ts';
import { ExportReader, type FoundExport } from './engine/export-reader.ts';
import { unreadExport } from './engine/unread.ts';
import { FIT } from './sources/fit.ts';
import {
  type InvalidRecord,
  type NutritionPart,
  type PreparedRecord,
  type Problem,
  type Reading,
  type RecordKind,
  type RecordOptions,
  isDraft,
} from './types.ts';

/** An input that cannot be read as a whole: none of its records are sent. */
export interface UnreadableInput {
  readonly outcome: 'invalid';
  readonly kind: RecordKind;
  readonly source: string;
  readonly problems: readonly [Problem];
  readonly hint: Text;
}

export interface PreparedInputs {
  readonly records: PreparedRecord[];
  /** In the order of reading. */
  readonly invalid: InvalidRecord[];
  readonly unreadable: readonly UnreadableInput[];
  readonly exports: readonly RecognisedInput[];
  /** The inputs without any record. */
  readonly empty: readonly Readonly<Record<'name' | 'problem' | 'hint', string>>[];
  /** About FIT files: as in `chooseSamples`. */
  readonly notes: readonly Text[];
  readonly warnings: readonly Text[];
}

const LEFT_OUT = 'The platform takes no such values.';

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
  const invalid: InvalidRecord[] = [];
  const unreadable: UnreadableInput[] = [];
  const exports: RecognisedInput[] = [];
  const empty: PreparedInputs['empty'][number][] = [];
  const warnings: Text[] = [];
  const fit: FitFile[] = [];
  // A stream is as new as now.
  const given = Array.from(inputs, (input) =>
    input.isStream === true ? { ...input, modified: options.now } : input,
  );
  const read: (InputDays & { readonly modified: number })[] = [];
  for (const input of given) {
    const { name, modified = 0 } = input;
    const path = options.origin ?? input.origin ?? name;
    // The records of an input count only after it was read to its end.
    const readings: Reading[] = [];
    const reader = options.sources && new ExportReader(kind, options, options.sources);
    let count = 0;
    let own;
    try {
      if (input.samples === undefined)
        count = await readAll(input, kind, options, readings, reader, signal);
      rejectOtherKind(kind, name, readings);
      const facts = { ...options, ...options.sources, ...reader?.found, fieldUnits: reader?.units };
      own = finishInput(kind, name, readings, facts, options.strict);
    } catch (error) {
      unreadable.push(unreadableInput(kind, name, error, given.length > 1));
      continue;
    }
    const { found, notes: left = [], samples = input.samples } = reader ?? {};
    if (samples !== undefined) {
      fit.push({ name, origin: path, samples });
      continue;
    }
    const { drafts, verdict: judged } = own;
    const extent = extentOf(drafts);
    if (found !== undefined) {
      const unread = [...(found.unread ?? []), ...judged.left];
      exports.push({ input: name, ...found, unread, ...extent });
    }
    warnings.push(...[...judged.notes, ...left].map((note) => `${name}: ${note}`));
    if (count === 0 || (judged.left.size > 0 && extent.days === 0)) {
      const lacks = found ? 'has no row with a value to send' : 'holds an empty list';
      const other =
        judged.left.size > 0 ? ` besides those left out: ${[...judged.left].join()}` : '';
      const hint = other === '' ? 'Export it again if it should have some.' : LEFT_OUT;
      empty.push({ name, problem: `${name} ${lacks}${other}.`, hint });
    }
    const { name: program = OWN_RECORDS } = found?.source ?? {};
    const part = partOf(input, options, found);
    // A refused record of the athlete's own file may be an item that was sent before, and so may what is cut off.
    const isOwnPart = part.input.kind === 'file' && own.invalid.length > 0;
    const isPart = isOwnPart || reader?.isCutOff === true;
    const owner = isPart ? { ...part, onlyAdds: true } : part;
    read.push({ drafts, path, program, part: owner, modified });
    for (const record of own.invalid) invalid.push(record);
  }
  // Of several files of one program, the newest counts.
  const all: InputDays[] = read.sort((a, b) => a.modified - b.modified);
  const notes: Text[] = [];
  if (fit.length > 0) {
    const { readFitDays } = await import('./fit-days.ts');
    const ofFit = await readFitDays(fit, options);
    all.push(...ofFit.inputs);
    for (const file of ofFit.read) exports.push({ ...FIT, ...file });
    for (const record of ofFit.invalid) invalid.push(record);
    notes.push(...ofFit.notes);
    warnings.push(...ofFit.warnings);
  }
  const { records, beside, ...merged } = mergeDays(kind, all, options.rank);
  const [day, ...days] = beside;
  if (day !== undefined) {
    const when =
      days.length === 0 ? day : `${(days.length + 1).toLocaleString('en-US')} days from ${day} on`;
    warnings.push(
      `sleepQuality: the platform shows it in place of the sleepScore of the day. Not sent (${when})`,
    );
  }
  invalid.push(...merged.invalid);
  return { records, invalid, unreadable, exports, empty, notes, warnings };
}

/** Names the owner of the foods of an input. Many programs write a form without a name. */
function partOf(
  { name, origin = name, isStream: onlyAdds = false, modified: asOf }: Input,
  { origin: named, onlyAdds: isAddition = false }: RecordOptions,
  found: FoundExport | undefined,
): Omit<NutritionPart, 'items'> {
  if (named !== undefined) return { input: { kind: 'origin', name: named }, onlyAdds: isAddition };
  if (found === undefined || found.source.general === true) {
    return { input: { kind: onlyAdds ? 'stream' : 'file', name: origin }, onlyAdds };
  }
  // All files of a program are versions of one.
  const input = { kind: 'source', name: `${found.source.name}: ${found.mapping.holds}` } as const;
  return { input, onlyAdds, asOf };
}

/**
 * Reads one input to its end.
 *
 * @returns the number of its records
 * @throws SyncError `INPUT_INVALID` if it cannot be read, is of several people, or if its units or scales are in doubt
 */
async function readAll(
  input: Input,
  kind: RecordKind,
  options: RecordOptions,
  readings: Reading[],
  reader: ExportReader | undefined,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  const people = new People();
  const { origin, merge = 'same-input' } = options;
  const needsItems = input.isStream === true && origin === undefined && merge === 'same-input';
  const ownOptions = { ...options, needsItems };
  for await (const raw of readInput(input, kind, { exports: reader })) {
    signal.throwIfAborted();
    count++;
    if ('value' in raw && raw.rows === undefined) people.addOf(raw.value, kind);
    for (const reading of readRecord(kind, raw, ownOptions)) readings.push(reading);
  }
  people.rejectSeveral(input.name);
  return count;
}

/** @throws SyncError `INPUT_INVALID` if all records are of the other kind, or of an unknown program */
function rejectOtherKind(kind: RecordKind, name: string, readings: readonly Reading[]): void {
  const refused = readings.flatMap((reading) => (isDraft(reading) ? [] : [reading]));
  const [first] = refused;
  if (first === undefined || refused.length < readings.length) return;
  if (first.strange !== undefined && refused.every(({ strange }) => strange)) {
    const known = unreadExport(first.strange.join('\n'));
    const found =
      known === undefined
        ? `${name} is JSON of an unknown program: ${listNames(first.strange)} are no fields`
        : `${name} is ${known.title}`;
    const hint =
      known?.remedy ??
      phrase`${sync('sources')} lists the exports that sync reads. jq writes other values as records: ${documentUrl('records.md')}`;
    throw refusedInput(name, found, hint);
  }
  if (!refused.every(({ isOtherKind }) => isOtherKind)) return;
  const other = kind === 'wellness' ? 'nutrition' : 'wellness';
  throw refusedInput(
    name,
    `${name} is ${other}`,
    phrase`Send it with ${sync('push', other, name)}.`,
  );
}

/**
 * Says what to do about an unreadable input, and if its records and other inputs are sent.
 *
 * @throws any error that is not about the input
 */
function unreadableInput(
  kind: RecordKind,
  source: string,
  error: unknown,
  others: boolean,
): UnreadableInput {
  if (!(error instanceof SyncError && error.code === 'INPUT_INVALID')) throw error;
  const { hint, cause, message } = error;
  // A missing file has no records.
  const own = systemCode(cause) === undefined ? 'Nothing of it is sent.' : 'Check the path.';
  const parts = [hint, own, others ? 'It holds up no other input.' : undefined];
  const known = parts.filter((part) => part !== undefined);
  const problems = [{ problem: message }] as const;
  return { outcome: 'invalid', kind, source, problems, hint: joinTexts(known, ' ') };
}
