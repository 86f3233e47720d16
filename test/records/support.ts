import { DayMerger } from '../../src/records/merge.ts';
import { type PreparedRecords, addRecord } from '../../src/records/prepare.ts';
import type {
  InvalidRecord,
  RawRecord,
  RecordKind,
  RecordOptions,
} from '../../src/records/types.ts';

export const BERLIN: RecordOptions = {
  zone: { name: 'Europe/Berlin', from: 'profile' },
  strict: false,
  raw: false,
};

/** Prepares raw records, whatever they were read from. */
export async function prepareRaw(
  kind: RecordKind,
  raws: AsyncIterable<RawRecord>,
  options: RecordOptions,
): Promise<PreparedRecords> {
  const merger = new DayMerger(kind);
  const invalid: InvalidRecord[] = [];
  for await (const raw of raws) addRecord(kind, raw, options, merger, invalid);
  return { records: merger.finish(), invalid };
}

/** Prepares values as if each were the element of an array in `in.json`. */
export async function prepare(
  kind: RecordKind,
  values: readonly unknown[],
  options: Partial<RecordOptions> = {},
): Promise<PreparedRecords> {
  return await prepareRaw(kind, rawRecords(values), { ...BERLIN, ...options });
}

export async function* rawRecords(values: readonly unknown[]): AsyncGenerator<RawRecord> {
  for (const [index, value] of values.entries()) {
    await Promise.resolve();
    yield { source: `in.json#/${index}`, value } as RawRecord;
  }
}

/** The one body of records that are all valid and say nothing. */
export async function bodyOf(
  kind: RecordKind,
  value: unknown,
  options: Partial<RecordOptions> = {},
): Promise<unknown> {
  const { records, invalid } = await prepare(kind, [value], options);
  return invalid.length === 0 && records.length === 1 && records[0]?.warnings.length === 0
    ? records[0].body
    : { unexpected: { records, invalid } };
}

/** What is said about one record: warnings, or what makes it invalid. */
export async function saidOf(
  kind: RecordKind,
  value: unknown,
  options: Partial<RecordOptions> = {},
): Promise<{ body?: unknown; said: string[] }> {
  const { records, invalid } = await prepare(kind, [value], options);
  const say = ({ field = '', text }: { field?: string | undefined; text: string }): string =>
    `${field}: ${text}`;
  const said = [
    ...records.flatMap(({ warnings }) =>
      warnings.map(({ field, message }) => say({ field, text: message })),
    ),
    ...invalid.flatMap(({ problems }) =>
      problems.map(({ field, problem }) => say({ field, text: problem })),
    ),
  ];
  return records.length === 1 ? { body: records[0]?.body, said } : { said };
}
