import { BatchBreaker } from '../../api/batch-breaker.ts';
import { type PushItem, exitCodeOfPush } from '../../app/words/days.ts';
import type { Context } from '../../base/context.ts';
import { ExitCode, worstExitCode } from '../../base/errors.ts';
import { inParallel } from '../../base/parallel.ts';
import { type DeliveryOptions, deliverRecords } from '../../records/deliver.ts';
import type { RecordKind } from '../../records/types.ts';
import {
  type Fault,
  type SynthesizeOptions,
  type SyntheticDay,
  type SyntheticRecording,
  synthesize,
} from '../../seed/synthesize.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { Targets } from '../../app/ledger.ts';
import { exitCodeOfItem } from '../../upload/tally.ts';
import { Uploader } from '../../upload/uploader.ts';
import { KINDS, inBatches, recordsOf } from './days.ts';

export interface FillOptions extends SynthesizeOptions, DeliveryOptions {}

/** The service that data are sent to, and the ledger that records them. */
export interface FillTarget extends Targets {
  readonly report: (item: SeedItem) => void;
  readonly progress: (progress: { day: number; days: number; date: string }) => void;
}

/** The outcome of a day's record, or of a recording, which may have an intended fault. */
export type SeedItem = (UploadItem & { readonly fault?: Fault }) | PushItem;

/** Counts recordings and records by their outcome; with the first and the last day. */
export interface SeedSummary {
  readonly from: string;
  readonly until: string;
  readonly recordings: number;
  readonly records: number;
  /** Recordings that are broken on purpose, and not sent. */
  readonly broken: number;
  readonly outcomes: Readonly<Partial<Record<SeedItem['outcome'], number>>>;
}

/** A day without the samples of its recordings, which are most of its size. */
type SentDay = Pick<SyntheticDay, 'date' | RecordKind> & {
  readonly recordings: readonly Omit<SyntheticRecording, 'truth'>[];
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
  #broken = 0;
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
      broken: this.#broken,
      outcomes: this.#outcomes,
    };
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }

  /** Makes and sends all days. @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED` */
  async run(): Promise<void> {
    for (const days of inBatches(synthesize(this.#options), toSend)) {
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
    await inParallel(recordings, this.#options.jobs, async (recording) => {
      this.#context.signal.throwIfAborted();
      const { fileName, bytes, name, fault } = recording;
      const { openedBy } = this.#breaker;
      const item: UploadItem = openedBy
        ? { path: fileName, outcome: 'failed', ...openedBy }
        : await this.#uploader.uploadBytes({ path: fileName, bytes, name });
      if (item.outcome === 'failed') this.#breaker.failed(item);
      else if ('attempts' in item) this.#breaker.answered();
      this.#recordings++;
      const isBroken = fault === 'broken' && item.outcome === 'invalid';
      if (isBroken) this.#broken++;
      this.#report(
        fault === undefined ? item : { ...item, fault },
        isBroken ? ExitCode.ok : exitCodeOfItem(item),
      );
    });
  }

  async #sendRecords(kind: RecordKind, days: readonly SentDay[]): Promise<void> {
    const records = await recordsOf(kind, days, this.#options, this.#context);
    await deliverRecords(this.#context, records, this.#options, {
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

function toSend({ date, recordings, wellness, nutrition }: SyntheticDay): SentDay {
  return {
    date,
    recordings: recordings.map(({ fileName, bytes, name, fault }) => ({
      ...{ fileName, bytes, name },
      ...(fault === undefined ? {} : { fault }),
    })),
    wellness,
    nutrition,
  };
}
