import { finishInput, readRecord } from '../../src/records/read-record.ts';
import { type InputDays, mergeDays } from '../../src/records/merge.ts';
import { type PreparedInputs, prepareInputs } from '../../src/records/prepare.ts';
import { requestBody } from '../../src/records/prepared-record.ts';
import type {
  DayDraft,
  InvalidRecord,
  PreparedRecord,
  RawRecord,
  Reading,
  RecordKind,
  RecordOptions,
  SourceOptions,
} from '../../src/records/types.ts';

export const BERLIN: RecordOptions = {
  zone: { name: 'Europe/Berlin', from: 'profile' },
  strict: false,
};

/** Adds the request that a day would be. */
export const withBody = (record: PreparedRecord) => ({ ...record, body: requestBody(record) });

/** Prepares raw records of any source. */
export async function prepareRaw(
  kind: RecordKind,
  raws: AsyncIterable<RawRecord | Reading>,
  options: RecordOptions,
): Promise<{ records: ReturnType<typeof withBody>[]; invalid: InvalidRecord[] }> {
  const readings: Reading[] = [];
  for await (const raw of raws) readings.push(...readRecord(kind, raw, options));
  const { drafts, invalid } = finishInput(kind, 'in.json', readings, options, options.strict);
  const { records } = mergeDays(kind, [inputOf('in.json', drafts)]);
  return { records: records.map(withBody), invalid: [...invalid] };
}

/** The records of a file in the platform's form. */
export function inputOf(path: string, drafts: readonly DayDraft[]): InputDays {
  const part = { input: { kind: 'file', name: path } } as const;
  return { drafts: [...drafts], path, program: 'json', part };
}

/** Prepares values as if each were the element of an array in `in.json`. */
export async function prepare(
  kind: RecordKind,
  values: readonly unknown[],
  options: Partial<RecordOptions> = {},
): ReturnType<typeof prepareRaw> {
  return await prepareRaw(kind, rawRecords(values), { ...BERLIN, ...options });
}

export async function* rawRecords(values: readonly unknown[]): AsyncGenerator<RawRecord> {
  for (const [index, value] of values.entries()) {
    await Promise.resolve();
    yield { source: `in.json#/${index}`, value } as RawRecord;
  }
}

/** A text as an input's chunks. */
// eslint-disable-next-line @typescript-eslint/require-await -- an input's chunks are asynchronous
export async function* chunks(text: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

interface FileOptions extends Partial<Omit<RecordOptions, 'sources'>> {
  readonly sources?: Partial<SourceOptions>;
  readonly signal?: AbortSignal;
}

/** Prepares files by their names; without `sources` they hold records in the platform's form. */
export async function prepareFiles(
  kind: RecordKind,
  files: Readonly<Record<string, string | Buffer | AsyncIterable<Uint8Array>>>,
  { sources, signal = new AbortController().signal, ...options }: FileOptions = {},
): Promise<Omit<PreparedInputs, 'records'> & { records: ReturnType<typeof withBody>[] }> {
  const choose = () => Promise.reject(new Error('several sources match'));
  const inputs = Object.entries(files).map(([name, content]) => ({
    name,
    chunks: typeof content === 'string' || Buffer.isBuffer(content) ? chunks(content) : content,
  }));
  const all = sources && { sources: { list: [], named: false, choose, ...sources } };
  const prepared = await prepareInputs(kind, inputs, { ...BERLIN, ...options, ...all }, signal);
  return { ...prepared, records: prepared.records.map(withBody) };
}

/** The note about unknown members whose names are near to no field. */
export const UNSENT = 'not sent, since the platform does not know it';

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

/** Returns the messages about one record: its warnings or its errors. */
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
      warnings.map(({ field, message }) => say({ field, text: String(message) })),
    ),
    ...invalid.flatMap(({ problems }) =>
      problems.map(({ field, problem }) => say({ field, text: problem })),
    ),
  ];
  return records.length === 1 ? { body: records[0]?.body, said } : { said };
}
