import { groupBy } from '../base/group-by.ts';
import { addRecord, finishInput, readingOf } from './add-record.ts';
import { type Dated, type FitFile, chooseSamples } from './wellness/fit-choice.ts';
import type { DayMerger } from './merge.ts';
import { readMapped } from './engine/read-mapped.ts';
import { FIT_MAPPING } from './sources/fit.ts';
import type { Row } from './engine/row.ts';
import type { InvalidRecord, JsonObject, RecordOptions } from './types.ts';

/** Turns the wellness of many FIT files into one record a day. */

/**
 * Adds one record a day of many FIT files to a merger: see {@link chooseSamples}.
 *
 * @returns the files with measurements that count, and what is to be said
 */
export async function addFitDays(
  files: Iterable<FitFile>,
  options: RecordOptions,
  merger: DayMerger,
) {
  const { chosen, notes, warnings } = chooseSamples(files, options);
  const read = [];
  const invalid: InvalidRecord[] = [];
  for (const [file, all] of groupBy(chosen, (dated) => dated.file)) {
    const own = readingOf('wellness', file.origin);
    const mapping = { ...options, commaIsDecimal: false };
    for await (const raw of readMapped([all.map(rowOf)], FIT_MAPPING, mapping)) {
      addRecord('wellness', raw, options, own);
    }
    finishInput('wellness', file.name, own, { mapping: FIT_MAPPING }, options.strict);
    for (const dated of all) {
      noteSport(dated, own.merger);
      if (dated.zoneUsed) own.merger.noteZoneUsed(dated.date);
    }
    read.push({ input: file.name, ...own.merger.extent });
    merger.absorb(own.merger, 'fit');
    invalid.push(...own.invalid);
  }
  return { read, invalid, notes, warnings };
}

function rowOf({ file, sample, date }: Dated): Row {
  const { field, value, at, ...about } = sample;
  const values: JsonObject = { [field]: value, at, ...about };
  return {
    source: file.name,
    get: (path) => (path === 'day' ? date : values[path]),
  };
}

function noteSport({ file, sample, date, other }: Dated, merger: DayMerger): void {
  if (other === undefined) return;
  const from = sample.sport ?? 'another sport';
  const message = `${sample.value} is from ${from}; from ${other.sport ?? 'another sport'} it is ${other.value}`;
  merger.warn(date, { source: file.name, field: 'vo2max', message });
}
