import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import type { SentItem } from '../ledger/nutrition.ts';
import type { RecordLedger } from '../ledger/records.ts';
import type { SentField } from '../ledger/wellness.ts';
import { inParallel } from '../base/parallel.ts';
import type { ServiceClient } from '../api/client.ts';
import { BatchBreaker, failureOf } from '../api/batch-breaker.ts';
import { ENOUGH_FAULTS, faultMessage, isAboutTheItem, isServiceFault } from '../api/refusal.ts';
import type { MergeMode } from './nutrition/day-plan.ts';
import { NutritionRun } from './nutrition-run.ts';
import type { NutritionMode } from './nutrition/service.ts';
import type {
  DayOutcome,
  JsonObject,
  PreparedRecord,
  RecordKind,
  RecordRequest,
  Warning,
} from './types.ts';
import { notKeptWarnings } from './wellness/answer.ts';

export interface DeliveryOptions {
  /** Send days that the service already has, and overwrite edits made there. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Requests in flight at once; one a date. */
  readonly jobs: number;
  /** What the service does with a nutrition day that is sent again (setting `nutritionDelivery`). */
  readonly nutrition: NutritionMode;
  /** How inputs join earlier ones; `same-input` by default. */
  readonly merge?: MergeMode;
  /** Remove the items that were sent from here and that this accepts, instead of sending. */
  readonly undo?: (item: SentItem) => boolean;
  /** Do not send the removed items again without `force`. */
  readonly remember?: boolean;
}

/** The service that records are sent to, and the ledger that records them. */
export interface DeliveryTarget {
  readonly ledger: RecordLedger;
  /** Called before the first request. */
  readonly client: () => Promise<ServiceClient>;
  /** Where records of a kind go, for `--dry-run`. */
  readonly url: (kind: RecordKind) => URL;
  readonly report: (item: RecordItem) => void;
}

/** The outcome of one day. */
export type RecordItem = {
  readonly kind: RecordKind;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Every input record that is in it. */
  readonly sources: readonly string[];
  readonly warnings: readonly Warning[];
  /** Did the zone decide about the date, or about an offset in the body? */
  readonly zoneUsed: boolean;
} & DayOutcome;

const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;

/** Poll interval for a day that another process is sending (ms). */
const BUSY_POLL_MS = 50;

/**
 * Delivers one record a date, several dates at once. A failed date does not stop the others; a dead
 * login, or a service that does not answer, ends the run early. Every record is reported once. Nutrition
 * days that an earlier run left unfinished are included.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function deliverRecords(
  context: Pick<Context, 'clock' | 'signal'>,
  records: readonly PreparedRecord[],
  options: DeliveryOptions,
  target: DeliveryTarget,
): Promise<void> {
  const run = new DayQueue(context, records, options, target);
  const all = await run.records();
  await inParallel(all, options.jobs, (record) => run.deliver(record));
  await run.review();
}

class DayQueue {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DeliveryOptions;
  readonly #target: DeliveryTarget;
  readonly #breaker = new BatchBreaker();
  readonly #nutrition: NutritionRun;
  readonly #records: readonly PreparedRecord[];

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DeliveryOptions,
    target: DeliveryTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    // What `--add` left on a day, a run without it removes: the two differ.
    this.#records =
      options.merge === 'add'
        ? records.map((record) => ({ ...record, digest: `${record.digest} add` }))
        : records;
    this.#nutrition = new NutritionRun(context, this.#records, options, target);
  }

  /** Returns the records of the run. Days on which the service failed come last, so that they delay no others. */
  async records(): Promise<readonly PreparedRecord[]> {
    const [first] = this.#records;
    if (first === undefined) return [];
    const all =
      first.kind === 'nutrition'
        ? [...this.#records, ...(await this.#nutrition.unfinished())]
        : this.#records;
    const failed = this.#target.ledger.failedDays(first.kind);
    const isFailed = ({ date }: PreparedRecord) => failed.has(date);
    return [...all.filter((record) => !isFailed(record)), ...all.filter(isFailed)];
  }

  async deliver(record: PreparedRecord): Promise<void> {
    const { signal } = this.#context;
    signal.throwIfAborted();
    const warnings: Warning[] = [];
    const outcome: DayOutcome = this.#breaker.openedBy
      ? { outcome: 'failed', ...this.#breaker.openedBy }
      : await this.#claimed(record, warnings);
    const { kind, date, sources, zoneUsed } = record;
    const about = { kind, date, sources, zoneUsed, warnings: [...record.warnings, ...warnings] };
    this.#target.report({ ...about, ...outcome });
  }

  /** Corrects the nutrition days of this run that another computer's request has spoiled meanwhile. */
  async review(): Promise<void> {
    if (this.#breaker.openedBy !== undefined) return;
    for (const record of await this.#nutrition.spoiled()) await this.#claimed(record, []);
  }

  async #claimed(record: PreparedRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest } = record;
    const { clock, signal } = this.#context;
    const { ledger } = this.#target;
    const { dryRun } = this.#options;
    // These options send a day even if the ledger says that it is unchanged.
    const anew =
      this.#options.force ||
      this.#options.undo !== undefined ||
      this.#options.merge === 'replace-day' ||
      (kind === 'nutrition' && this.#nutrition.isOpen(date));
    if (!anew && ledger.isUnchanged(kind, date, digest)) return UNCHANGED;
    if (dryRun) {
      return kind === 'wellness'
        ? { outcome: 'would-push', request: this.#request(kind, record.body) }
        : await this.#nutrition.deliver(record, warnings);
    }
    try {
      // Without a login nothing begins, and the ledger must not say so.
      await this.#target.client();
    } catch (error) {
      return await this.#failed(record, error);
    }
    for (;;) {
      const claim = ledger.claim(kind, date, digest, anew);
      if (claim === 'unchanged') return UNCHANGED;
      if (claim === 'yours') break;
      await clock.sleep(BUSY_POLL_MS, signal);
    }
    try {
      if (kind === 'wellness') return await this.#wellness(record, warnings);
      const outcome = await this.#nutrition.deliver(record, warnings);
      this.#breaker.answered();
      return outcome;
    } catch (error) {
      return await this.#failed(record, error);
    } finally {
      ledger.release(kind, date);
    }
  }

  async #wellness(record: PreparedRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, body, digest } = record;
    const { ledger } = this.#target;
    const client = await this.#target.client();
    const answer = await client.push(kind, body, 'always', this.#context.signal);
    this.#breaker.answered();
    const { attempts } = answer;
    if (answer.outcome === 'rejected') {
      return { outcome: 'rejected', message: answer.message, attempts };
    }
    const { dropped, notes } = notKeptWarnings(record, answer.data);
    warnings.push(...notes);
    const kept = Object.keys(body).filter((name) => !dropped.includes(name));
    if (answer.data !== undefined) ledger.wellness.noteAnswer(kept, dropped);
    ledger.wellness.noteSent(date, sentFields(record, dropped));
    // What the service dropped is not delivered: the day is sent again when the service may know it.
    ledger.confirm(kind, date, digest, { sentFrom: record.files, dropped });
    return { outcome: 'pushed', attempts };
  }

  #request(kind: RecordKind, body: JsonObject): RecordRequest {
    return { method: 'POST', url: this.#target.url(kind).href, body };
  }

  #well: Promise<boolean> | undefined;

  /** Checks, once a run, that the service answers a request unrelated to the record. */
  #isServiceWell(): Promise<boolean> {
    const ask = async () => {
      const client = await this.#target.client();
      await client.userinfo(this.#context.signal);
      return true;
    };
    return (this.#well ??= ask().catch(() => false));
  }

  /** Turns a failure of a record or the service into an outcome; any other ends the run. */
  async #failed(record: PreparedRecord, error: unknown): Promise<DayOutcome> {
    if (!(error instanceof SyncError)) throw error;
    if (endsRun(error.code)) throw error;
    const { status, attempts: counted } = error.details;
    const attempts = typeof counted === 'number' ? counted : 0;
    if (isAboutTheItem(error)) {
      this.#breaker.answered();
      const known = typeof status === 'number' ? { status } : {};
      return { outcome: 'rejected', message: error.message, attempts, ...known };
    }
    if (isServiceFault(error) && (await this.#isServiceWell())) {
      const { kind, date, digest } = record;
      const runs = digest === '' ? 0 : this.#target.ledger.countFailure(kind, date, digest);
      if (runs >= ENOUGH_FAULTS) return { ...alwaysFails(date, runs), attempts };
      this.#breaker.answered();
      return { outcome: 'failed', ...failureOf(error), attempts };
    }
    this.#breaker.failed(failureOf(error));
    return { outcome: 'failed', ...failureOf(error), attempts };
  }
}

/** Returns the numbers of a record that the service took. */
function sentFields(
  { body, files }: PreparedRecord,
  dropped: readonly string[],
): Record<string, SentField> {
  const origin = files.every((file) => /\.fit$/i.test(file)) ? 'device' : 'other';
  const sent: Record<string, SentField> = {};
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === 'number' && !dropped.includes(name)) sent[name] = { value, origin };
  }
  return sent;
}

function alwaysFails(date: string, runs: number) {
  return {
    outcome: 'rejected',
    status: 500,
    message: faultMessage(`the record of ${date}`, runs),
    hint: 'Check its fields. It is tried again with each run, after all others.',
  } as const;
}
