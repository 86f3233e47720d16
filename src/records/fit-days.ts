import { type InputReading, addRecord, readingOf } from './add-record.ts';
import { type Dated, type FitChoice, type FitFile, chooseSamples } from './wellness/fit-choice.ts';
import { DayMerger } from './merge.ts';
import { readMapped } from './engine/read-mapped.ts';
import { FIT_MAPPING } from './sources/fit.ts';
import type { Row } from './engine/row.ts';
import type { JsonObject, PreparedRecords, ReadingOptions } from './types.ts';

/** Turns the wellness of many FIT files into one record a day. */

/** One record a date, by date. Their sources are the files of their values. */
export type FitDays = PreparedRecords & Omit<FitChoice, 'chosen'>;

/** Prepares one record a day of many FIT files: see {@link chooseSamples}. */
export async function prepareFitDays(
  files: Iterable<FitFile>,
  options: ReadingOptions,
): Promise<FitDays> {
  const merger = new DayMerger('wellness', '');
  const { read, notes, warnings } = await readFitFiles(files, options);
  for (const { own } of read) merger.absorb(own.merger, 'fit');
  const invalid = read.flatMap(({ own }) => own.invalid);
  return { records: merger.finish(), invalid, notes, warnings };
}

/** A file with measurements that count. */
export interface ReadFitFile {
  readonly file: FitFile;
  readonly own: InputReading;
}

/** Reads the measurements that count, file by file. */
export async function readFitFiles(
  files: Iterable<FitFile>,
  options: ReadingOptions,
): Promise<{ readonly read: readonly ReadFitFile[] } & Omit<FitChoice, 'chosen'>> {
  const { chosen, notes, warnings } = chooseSamples(files, options);
  const byFile = new Map<FitFile, Dated[]>();
  for (const dated of chosen) {
    const known = byFile.get(dated.file);
    if (known === undefined) byFile.set(dated.file, [dated]);
    else known.push(dated);
  }
  const read: ReadFitFile[] = [];
  for (const [file, all] of byFile) {
    const own = readingOf('wellness', file.origin);
    const mapping = { ...options, commaIsDecimal: false };
    for await (const raw of readMapped([all.map(rowOf)], FIT_MAPPING, mapping)) {
      addRecord('wellness', raw, options, own);
    }
    for (const dated of all) {
      noteSport(dated, own.merger);
      if (dated.zoneUsed) own.merger.noteZoneUsed(dated.date);
    }
    own.recurring.tell(own.merger);
    read.push({ file, own });
  }
  return { read, notes, warnings };
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
