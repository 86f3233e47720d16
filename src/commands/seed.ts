import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExitCode } from '../base/errors.ts';
import { SyncError, isAbort, messageOf, worstExitCode } from '../base/errors.ts';
import { makeNamedFolder } from '../system/storage.ts';
import { inParallel } from '../base/parallel.ts';
import { type DeliveryNeeds, type DeliveryOptions, deliverRecords } from '../records/deliver.ts';
import { prepareInputs } from '../records/prepare.ts';
import type { RecordKind } from '../records/types.ts';
import {
  type SynthesizeOptions,
  type SyntheticDay,
  type SyntheticRecording,
  synthesize,
} from '../seed/synthesize.ts';
import type { Context } from '../base/context.ts';
import { BatchBreaker } from '../api/batch-breaker.ts';
import { type UploadTarget, Uploader } from '../upload/uploader.ts';
import { type PushItem, exitCodeOfPush } from './push.ts';
import { exitCodeOfItem } from '../upload/tally.ts';
import type { UploadItem } from '../upload/report.ts';

export interface SeedOptions extends SynthesizeOptions, DeliveryOptions {}

export interface SeedNeeds {
  readonly context: Pick<Context, 'clock' | 'signal'>;
  readonly upload: UploadTarget;
  readonly records: Omit<DeliveryNeeds, 'report'>;
  readonly report: (item: SeedItem) => void;
  readonly progress?: ((progress: { day: number; days: number; date: string }) => void) | undefined;
}

/** What became of a recording, or of a day's record. */
export type SeedItem = UploadItem | PushItem;

/** How many recordings and records came to what, and the first and the last day. */
export interface SeedSummary {
  readonly from: string;
  readonly until: string;
  readonly recordings: number;
  readonly records: number;
  readonly outcomes: Readonly<Partial<Record<SeedItem['outcome'], number>>>;
}

export interface SeedReport {
  readonly summary: SeedSummary;
  readonly exitCode: ExitCode;
}

const KINDS = ['wellness', 'nutrition'] as const;

/** Days that are being sent, and how far that is. */
interface Batch {
  /** Days that were sent before. */
  readonly before: number;
  readonly dates: readonly string[];
  /** Recordings and records of these days, and how many of them are settled. */
  readonly items: number;
  done: number;
}

/** A day as it is sent. */
type SentDay = Pick<SyntheticDay, 'date' | RecordKind> & {
  readonly recordings: readonly Pick<SyntheticRecording, 'fileName' | 'bytes' | 'name'>[];
};

/** So many days are made, sent and forgotten at a time: memory does not grow with the number. */
const DAYS_AT_A_TIME = 14;

/**
 * Fills an account with a synthetic athlete's life, through the pipelines that everything else goes
 * through: what the ledger knows is not sent again.
 *
 * @throws SyncError `USAGE` for options that make no sense, `STORAGE`, `INTERRUPTED`
 */
export async function runSeed(options: SeedOptions, needs: SeedNeeds): Promise<SeedReport> {
  const uploader = new Uploader(
    needs.context,
    { force: options.force, anyType: false, dryRun: options.dryRun, metadata: { synthetic: true } },
    needs.upload,
  );
  const outcomes: Partial<Record<SeedItem['outcome'], number>> = {};
  const codes = new Set<ExitCode>();
  const counts = { recordings: 0, records: 0 };
  const dates: string[] = [];
  const breaker = new BatchBreaker();

  let batch: Batch = { before: 0, dates: [], items: 0, done: 0 };
  const report = (item: SeedItem, code: ExitCode) => {
    outcomes[item.outcome] = (outcomes[item.outcome] ?? 0) + 1;
    codes.add(code);
    needs.report(item);
    batch.done++;
    tellProgress();
  };
  const tellProgress = () => {
    const { before, dates, items, done } = batch;
    const index = Math.min(Math.floor((dates.length * done) / items), dates.length - 1);
    needs.progress?.({ day: before + index + 1, days: options.days, date: dates[index] ?? '' });
  };
  const sendRecordings = async (days: readonly SentDay[]) => {
    const recordings = days.flatMap((day) => day.recordings);
    await inParallel(recordings, options.jobs, async ({ fileName, bytes, name }) => {
      needs.context.signal.throwIfAborted();
      const item: UploadItem = breaker.openedBy
        ? { path: fileName, outcome: 'failed', ...breaker.openedBy }
        : await uploader.uploadBytes({ path: fileName, bytes, name });
      if (item.outcome === 'failed') breaker.failed(item);
      else if ('attempts' in item) breaker.answered();
      counts.recordings++;
      report(item, exitCodeOfItem(item));
    });
  };
  const sendRecords = async (kind: RecordKind, days: readonly SentDay[]) => {
    const text = JSON.stringify(days.map((day) => day[kind]));
    const prepared = await prepareInputs(
      kind,
      [{ name: 'seed', chunks: oneChunk(text) }],
      { zone: { name: options.zone, from: 'flag' }, strict: true, raw: false },
      needs.records.signal,
    );
    await deliverRecords(prepared.records, options, {
      ...needs.records,
      report: (item) => {
        counts.records++;
        report(item, exitCodeOfPush(item));
      },
    });
  };

  for (const days of inBatches(whatIsSent(synthesize(options)), DAYS_AT_A_TIME)) {
    needs.context.signal.throwIfAborted();
    const items = days.reduce((sum, day) => sum + day.recordings.length + KINDS.length, 0);
    batch = { before: dates.length, dates: days.map(({ date }) => date), items, done: 0 };
    tellProgress();
    dates.push(...batch.dates);
    await sendRecordings(days);
    await sendRecords('wellness', days);
    await sendRecords('nutrition', days);
  }
  const { recordings, records } = counts;
  const summary = {
    from: dates[0] ?? '',
    until: dates.at(-1) ?? '',
    recordings,
    records,
    outcomes,
  };
  return { summary, exitCode: worstExitCode(codes) };
}

/** What `--out` wrote. */
export interface SeedFiles {
  readonly dir: string;
  readonly recordings: number;
  readonly days: number;
}

/**
 * Writes the same life into a folder: a `.fit` file a recording, `wellness.json` and
 * `nutrition.json`, as `sync upload` and `sync push` take them.
 *
 * @throws SyncError `USAGE`, `STORAGE`
 */
export async function writeSeed(
  options: SynthesizeOptions,
  dir: string,
  signal: AbortSignal,
): Promise<SeedFiles> {
  makeNamedFolder(dir, '--out');
  let recordings = 0;
  try {
    const lists = await Promise.all(KINDS.map((kind) => open(join(dir, `${kind}.json`), 'w')));
    let day = 0;
    try {
      for (const made of synthesize(options)) {
        signal.throwIfAborted();
        for (const [index, kind] of KINDS.entries()) {
          await lists[index]?.write(`${day === 0 ? '[' : ','}\n${JSON.stringify(made[kind])}`);
        }
        for (const { fileName, bytes } of made.recordings) {
          await writeFile(join(dir, fileName), bytes);
          recordings++;
        }
        day++;
      }
      for (const list of lists) await list.write('\n]\n');
    } finally {
      for (const list of lists) await list.close();
    }
    return { dir, recordings, days: day };
  } catch (cause) {
    if (isAbort(cause) || cause instanceof SyncError) throw cause;
    throw new SyncError('STORAGE', `${dir} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** The days without all the samples that the recordings were made from: these are most of a day. */
function* whatIsSent(days: Iterable<SyntheticDay>): Generator<SentDay> {
  for (const { date, recordings, wellness, nutrition } of days) {
    yield {
      date,
      recordings: recordings.map(({ fileName, bytes, name }) => ({ fileName, bytes, name })),
      wellness,
      nutrition,
    };
  }
}

function* inBatches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

// eslint-disable-next-line @typescript-eslint/require-await -- an input's chunks are asynchronous
async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
