import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExitCode, SyncError, isAbort, messageOf, worstExitCode } from '../../base/errors.ts';
import { makeNamedFolder, storageError } from '../../system/storage.ts';
import { inParallel } from '../../base/parallel.ts';
import {
  type DeliveryOptions,
  type DeliveryTarget,
  deliverRecords,
} from '../../records/deliver.ts';
import { prepareInputs } from '../../records/prepare.ts';
import type { RecordKind } from '../../records/types.ts';
import {
  type SynthesizeOptions,
  type SyntheticDay,
  type SyntheticRecording,
  synthesize,
} from '../../seed/synthesize.ts';
import type { Context } from '../../base/context.ts';
import { BatchBreaker } from '../../api/batch-breaker.ts';
import { type UploadTarget, Uploader } from '../../upload/uploader.ts';
import { exitCodeOfItem } from '../../upload/tally.ts';
import type { UploadItem } from '../../upload/report.ts';
import { type PushItem, exitCodeOfPush } from '../../app/day-words.ts';

export interface FillOptions extends SynthesizeOptions, DeliveryOptions {}

/** The service that data are sent to, and the ledger that records them. */
export interface FillTarget {
  readonly upload: UploadTarget;
  readonly records: Omit<DeliveryTarget, 'report'>;
  readonly report: (item: SeedItem) => void;
  readonly progress: (progress: { day: number; days: number; date: string }) => void;
}

/** The outcome of a recording, or of a day's record. */
export type SeedItem = UploadItem | PushItem;

/** Counts recordings and records by their outcome; with the first and the last day. */
export interface SeedSummary {
  readonly from: string;
  readonly until: string;
  readonly recordings: number;
  readonly records: number;
  readonly outcomes: Readonly<Partial<Record<SeedItem['outcome'], number>>>;
}

const KINDS = ['wellness', 'nutrition'] as const;

/** Days that are made, sent and dropped at a time: bounds the memory. */
const DAYS_AT_A_TIME = 14;

/** A day without the samples of its recordings, which are most of its size. */
type SentDay = Pick<SyntheticDay, 'date' | RecordKind> & {
  readonly recordings: readonly Pick<SyntheticRecording, 'fileName' | 'bytes' | 'name'>[];
};

/** The days that are being sent. */
interface Batch {
  /** Days that were sent before. */
  readonly before: number;
  readonly dates: readonly string[];
  /** Recordings and records of these days, and the number of them that have an outcome. */
  readonly items: number;
  done: number;
}

/**
 * Fills one account with a synthetic athlete's data. It uses the pipelines of `sync upload` and
 * `sync push`: nothing that the ledger knows is sent again.
 */
export class AccountFiller {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: FillOptions;
  readonly #target: FillTarget;
  readonly #uploader: Uploader;
  readonly #breaker = new BatchBreaker();
  readonly #outcomes: Partial<Record<SeedItem['outcome'], number>> = {};
  readonly #codes = new Set<ExitCode>();
  readonly #dates: string[] = [];
  #recordings = 0;
  #records = 0;
  #batch: Batch = { before: 0, dates: [], items: 0, done: 0 };

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: FillOptions,
    target: FillTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    const { force, dryRun } = options;
    const metadata = { synthetic: true };
    this.#uploader = new Uploader(
      context,
      { force, anyType: false, dryRun, metadata },
      target.upload,
    );
  }

  get summary(): SeedSummary {
    return {
      from: this.#dates[0] ?? '',
      until: this.#dates.at(-1) ?? '',
      recordings: this.#recordings,
      records: this.#records,
      outcomes: this.#outcomes,
    };
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }

  /** Makes and sends all days. @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED` */
  async run(): Promise<void> {
    for (const days of inBatches(sentDays(synthesize(this.#options)), DAYS_AT_A_TIME)) {
      this.#context.signal.throwIfAborted();
      const dates = days.map(({ date }) => date);
      const items = days.reduce(
        (sum, day) => sum + day.recordings.length + KINDS.filter((kind) => day[kind]).length,
        0,
      );
      this.#batch = { before: this.#dates.length, dates, items, done: 0 };
      this.#showProgress();
      this.#dates.push(...dates);
      await this.#sendRecordings(days);
      for (const kind of KINDS) await this.#sendRecords(kind, days);
    }
  }

  async #sendRecordings(days: readonly SentDay[]): Promise<void> {
    const recordings = days.flatMap((day) => day.recordings);
    await inParallel(recordings, this.#options.jobs, async ({ fileName, bytes, name }) => {
      this.#context.signal.throwIfAborted();
      const { openedBy } = this.#breaker;
      const item: UploadItem = openedBy
        ? { path: fileName, outcome: 'failed', ...openedBy }
        : await this.#uploader.uploadBytes({ path: fileName, bytes, name });
      if (item.outcome === 'failed') this.#breaker.failed(item);
      else if ('attempts' in item) this.#breaker.answered();
      this.#recordings++;
      this.#report(item, exitCodeOfItem(item));
    });
  }

  async #sendRecords(kind: RecordKind, days: readonly SentDay[]): Promise<void> {
    const text = JSON.stringify(days.flatMap((day) => day[kind] ?? []));
    const prepared = await prepareInputs(
      kind,
      [{ name: 'seed', chunks: oneChunk(text) }],
      // The seed's own offsets count, whichever zone data it has.
      { zone: { name: this.#options.zone, from: 'profile' }, strict: true, raw: false },
      this.#context.signal,
    );
    await deliverRecords(this.#context, prepared.records, this.#options, {
      ...this.#target.records,
      report: (item) => {
        this.#records++;
        this.#report(item, exitCodeOfPush(item));
      },
    });
  }

  #report(item: SeedItem, code: ExitCode): void {
    this.#outcomes[item.outcome] = (this.#outcomes[item.outcome] ?? 0) + 1;
    this.#codes.add(code);
    this.#target.report(item);
    this.#batch.done++;
    this.#showProgress();
  }

  #showProgress(): void {
    const { before, dates, items, done } = this.#batch;
    const index = Math.min(Math.floor((dates.length * done) / items), dates.length - 1);
    const { days } = this.#options;
    this.#target.progress({ day: before + index + 1, days, date: dates[index] ?? '' });
  }
}

/** The files that `--out` wrote. */
export interface SeedFiles {
  readonly dir: string;
  readonly recordings: number;
  readonly days: number;
}

/**
 * Writes the same data into a folder, as `sync upload` and `sync push` read it: a `.fit` file for each
 * recording, `wellness.json` and `nutrition.json`.
 *
 * @throws SyncError `USAGE`, `STORAGE`
 */
export async function writeSeedFiles(
  options: SynthesizeOptions,
  dir: string,
  signal: AbortSignal,
): Promise<SeedFiles> {
  makeNamedFolder(dir, '--out');
  let recordings = 0;
  try {
    const lists = await Promise.all(KINDS.map((kind) => open(join(dir, `${kind}.json`), 'w')));
    const separators = KINDS.map(() => '[');
    let day = 0;
    try {
      for (const made of synthesize(options)) {
        signal.throwIfAborted();
        for (const [index, kind] of KINDS.entries()) {
          if (made[kind] === null) continue;
          await lists[index]?.write(`${separators[index]}\n${JSON.stringify(made[kind])}`);
          separators[index] = ',';
        }
        for (const { fileName, bytes } of made.recordings) {
          await writeFile(join(dir, fileName), bytes);
          recordings++;
        }
        day++;
      }
      for (const [index, list] of lists.entries()) {
        await list.write(separators[index] === ',' ? '\n]\n' : '[]\n');
      }
    } finally {
      for (const list of lists) await list.close();
    }
    return { dir, recordings, days: day };
  } catch (cause) {
    if (isAbort(cause) || cause instanceof SyncError) throw cause;
    throw storageError(dir, cause, undefined, {
      message: `${dir} cannot be written: ${messageOf(cause)}`,
    });
  }
}

function* sentDays(days: Iterable<SyntheticDay>): Generator<SentDay> {
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
