import { groupBy } from '../base/group-by.ts';
import { finishInput, readRecord } from './read-record.ts';
import { type Dated, type FitFile, chooseSamples } from './wellness/fit-choice.ts';
import { type InputDays, extentOf } from './merge.ts';
import { POINTS } from './engine/number.ts';
import { readMapped } from './engine/read-mapped.ts';
import { FIT_MAPPING } from './sources/fit.ts';
import type { Row } from './engine/row.ts';
import type { DayDraft, InvalidRecord, JsonObject, Reading, RecordOptions } from './types.ts';

/** Turns the wellness of many FIT files into one record a day. */

/**
 * Reads one record a day of many FIT files: see {@link chooseSamples}.
 *
 * @returns `read`: the files with measurements that count; also what is to be said
 */
export async function readFitDays(files: Iterable<FitFile>, options: RecordOptions) {
  const { chosen, notes, warnings } = chooseSamples(files, options);
  const read = [];
  const inputs: InputDays[] = [];
  const invalid: InvalidRecord[] = [];
  for (const [file, all] of groupBy(chosen, (dated) => dated.file)) {
    const { name, origin: path } = file;
    const readings: Reading[] = [];
    const mapping = { ...options, numbers: POINTS };
    for await (const raw of readMapped([all.map(rowOf)], FIT_MAPPING, mapping)) {
      readings.push(...readRecord('wellness', raw, options));
    }
    const facts = { mapping: FIT_MAPPING };
    const own = finishInput('wellness', name, readings, facts, options.strict);
    const { drafts } = own;
    for (const dated of all) {
      const draft = drafts.find(({ date }) => date === dated.date);
      if (draft !== undefined) noteOrigin(dated, draft);
    }
    read.push({ input: name, ...extentOf(drafts) });
    inputs.push({ drafts, path, program: 'fit', part: { input: { kind: 'file', name: path } } });
    invalid.push(...own.invalid);
  }
  return { inputs, read, invalid, notes, warnings };
}

function rowOf({ file, sample, date }: Dated): Row {
  const { field, value, at, ...about } = sample;
  const values: JsonObject = { [field]: value, at, ...about };
  return {
    source: file.name,
    get: (path) => (path === 'day' ? date : values[path]),
  };
}

function noteOrigin({ file, sample, zoneUsed, other }: Dated, draft: DayDraft): void {
  draft.zoneUsed ||= zoneUsed;
  if (other === undefined) return;
  const from = sample.sport ?? 'another sport';
  const message = `${sample.value} is from ${from}; from ${other.sport ?? 'another sport'} it is ${other.value}`;
  draft.warnings = [...draft.warnings, { source: file.name, field: 'vo2max', message }];
}
