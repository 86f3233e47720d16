import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import { EMPTY_DAY, type SentItem } from '../ledger/nutrition.ts';
import type { RecordLedger } from '../ledger/records.ts';
import type { SentField } from '../ledger/wellness.ts';
import { inParallel } from '../base/parallel.ts';
import { type Text, phrase } from '../base/phrase.ts';
import {
  type NutritionItemRef,
  type ServiceClient,
  itemRemoval,
  nutritionDayUrl,
} from '../api/client.ts';
import { type Failure, BatchBreaker, failureOf } from '../api/batch-breaker.ts';
import { ENOUGH_FAULTS, faultMessage, isAboutTheItem, isServiceFault } from '../api/refusal.ts';
import { ELSEWHERE } from './nutrition/day-match.ts';
import type { MergeMode } from './nutrition/day-plan.ts';
import { nutritionBody } from './nutrition/day-plan.ts';
import { emptyDay } from './merge.ts';
import type { DayOutcome } from './nutrition/day-state.ts';
import { deliverDay } from './nutrition/delivery.ts';
import { pushAgain } from './nutrition/words.ts';
import type { NutritionRecord } from './nutrition/plan.ts';
import { type NutritionMode, NutritionService } from './nutrition/service.ts';
import type { JsonObject, PreparedRecord, RecordKind, Warning } from './types.ts';
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
  /** The user confirms that items without a clear answer arrived. */
  readonly assumeArrived?: boolean;
  /** Remove the items that were sent from here and that this accepts, instead of sending. */
  readonly undo?: (item: SentItem) => boolean;
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
} & (
  | { readonly outcome: 'pushed'; readonly attempts: number }
  | { readonly outcome: 'skipped'; readonly reason: 'unchanged' }
  | {
      readonly outcome: 'rejected';
      readonly status?: number;
      readonly message: string;
      readonly hint?: Text;
      readonly attempts: number;
    }
  | Extract<DayOutcome, { readonly outcome: 'conflict' }>
  | ({ readonly outcome: 'failed'; readonly attempts?: number } & Failure)
  /** `--dry-run`: the requests; `first` learns what the day holds. */
  | {
      readonly outcome: 'would-push';
      readonly first?: RecordRequest;
      /** Removals before it, if the service offers them. */
      readonly removals?: readonly RecordRequest[];
      readonly request: RecordRequest;
    }
);

export interface RecordRequest {
  readonly method: 'POST' | 'GET' | 'PATCH';
  readonly url: string;
  readonly body?: JsonObject;
}

type Outcome = RecordItem extends infer Item
  ? Item extends RecordItem
    ? Omit<Item, 'kind' | 'date' | 'sources' | 'warnings' | 'zoneUsed'>
    : never
  : never;

const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;

/** Poll interval for a day that another process is sending (ms). */
const BUSY_POLL_MS = 50;

/**
 * Delivers one record a date, several dates at once. A failed date does not stop the others; a dead
 * login, or a service that does not answer, ends the run early. Every record is reported once.
 * Nutrition is sent one day at a time until an answer shows how the service treats a day. Days that an
 * earlier run left unfinished are included.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function deliverRecords(
  context: Pick<Context, 'clock' | 'signal'>,
  records: readonly PreparedRecord[],
  options: DeliveryOptions,
  target: DeliveryTarget,
): Promise<void> {
  const run = new Run(context, records, options, target);
  let next = 0;
  while (next < run.records.length && !run.isSettled) {
    await run.deliver(next++);
  }
  const rest = run.records.slice(next).map((_, index) => next + index);
  await inParallel(rest, options.jobs, (index) => run.deliver(index));
}

class Run {
  readonly records: readonly PreparedRecord[];
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DeliveryOptions;
  readonly #target: DeliveryTarget;
  readonly #breaker = new BatchBreaker();
  readonly #service: NutritionService;
  readonly #byDate: ReadonlyMap<string, PreparedRecord>;
  readonly #leftInPlace = new Set<string>();

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DeliveryOptions,
    target: DeliveryTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#service = new NutritionService(context, options.nutrition, target);
    this.#byDate = new Map(records.map((record) => [record.date, record]));
    const [first] = records;
    const all = first?.kind === 'nutrition' ? [...records, ...this.#unfinished()] : records;
    // Days on which the service failed are sent last, so that they do not delay the others.
    const failed = first === undefined ? new Map() : target.ledger.failedDays(first.kind);
    this.records = [
      ...all.filter(({ date }) => !failed.has(date)),
      ...all.filter(({ date }) => failed.has(date)),
    ];
  }

  /** Days may be sent in parallel. */
  get isSettled(): boolean {
    const [first] = this.records;
    return first?.kind !== 'nutrition' || this.#options.dryRun || this.#service.isConfirmed;
  }

  /** Returns the days that an earlier run has not finished, as records without new content. */
  #unfinished(): readonly PreparedRecord[] {
    const { ledger } = this.#target;
    if (this.#options.dryRun || this.#options.undo !== undefined) return [];
    const failed = ledger.failedDays('nutrition');
    return ledger.nutrition.debts().flatMap((date) => {
      // The service keeps failing on this day: only a command that names it sends it again.
      if ((failed.get(date) ?? 0) >= ENOUGH_FAULTS) return [];
      const { intended = EMPTY_DAY, unclear } = ledger.nutrition.day(date);
      if (this.#byDate.has(date) || unclear) return [];
      return [emptyDay(date, [...new Set(intended.items.map(({ input }) => input))])];
    });
  }

  async deliver(index: number): Promise<void> {
    const { signal } = this.#context;
    const record = this.records[index];
    if (record === undefined) return;
    signal.throwIfAborted();
    const warnings: Warning[] = [];
    const outcome: Outcome = this.#breaker.openedBy
      ? { outcome: 'failed', ...this.#breaker.openedBy }
      : await this.#claimed(record, index, warnings);
    const { kind, date, sources, zoneUsed } = record;
    this.#target.report({
      kind,
      date,
      sources,
      zoneUsed,
      warnings: [...record.warnings, ...warnings],
      ...outcome,
    });
  }

  /** Forgets the files of a day after an undo, unless items of other inputs are left. */
  #forgetFiles({ kind, date }: PreparedRecord): void {
    const { ledger } = this.#target;
    const { items } = ledger.nutrition.day(date).stored;
    if (items.every(({ input }) => input === ELSEWHERE)) ledger.forgetFiles(kind, date);
  }

  async #claimed(record: PreparedRecord, index: number, warnings: Warning[]): Promise<Outcome> {
    const { kind, date, digest } = record;
    const { clock, signal } = this.#context;
    const { ledger } = this.#target;
    const { dryRun } = this.#options;
    // These options send a day even if the ledger says that it is unchanged.
    const anew =
      this.#options.force ||
      this.#options.undo !== undefined ||
      this.#options.merge === 'replace-day';
    if (dryRun) {
      if (!anew && ledger.isUnchanged(kind, date, digest)) return UNCHANGED;
      return kind === 'wellness'
        ? { outcome: 'would-push', request: this.#request(kind, record.body) }
        : await this.#nutrition(record, index, warnings);
    }
    for (;;) {
      const claim = ledger.claim(kind, date, digest, anew);
      if (claim === 'unchanged') return UNCHANGED;
      if (claim === 'yours') break;
      await clock.sleep(BUSY_POLL_MS, signal);
    }
    try {
      return kind === 'wellness'
        ? await this.#wellness(record, warnings)
        : await this.#nutrition(record, index, warnings);
    } finally {
      ledger.release(kind, date);
    }
  }

  async #wellness(record: PreparedRecord, warnings: Warning[]): Promise<Outcome> {
    const { kind, date, body, digest } = record;
    const { ledger } = this.#target;
    try {
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
    } catch (error) {
      return await this.#failed(record, error);
    }
  }

  async #nutrition(record: NutritionRecord, index: number, warnings: Warning[]): Promise<Outcome> {
    const { kind, date, digest } = record;
    const { ledger } = this.#target;
    const { dryRun, force, merge, assumeArrived, undo } = this.#options;
    const day = await deliverDay(
      this.#context,
      record,
      {
        merge: merge ?? 'same-input',
        force,
        dryRun,
        assumeArrived: assumeArrived ?? false,
        undo,
      },
      {
        ledger,
        service: this.#service,
        run: this.#byDate,
        leftInPlace: this.#leftInPlace,
        moreFollow: index + 1 < this.records.length,
        warn: (warning) => warnings.push(warning),
      },
    );
    switch (day.outcome) {
      case 'pushed':
        this.#breaker.answered();
        if (undo === undefined) ledger.confirm(kind, date, digest, { sentFrom: record.files });
        else {
          ledger.confirm(kind, date, digest);
          this.#forgetFiles(record);
        }
        return day;
      case 'unchanged':
        if (!dryRun) ledger.confirm(kind, date, digest);
        return UNCHANGED;
      case 'rejected':
      case 'conflict':
        this.#breaker.answered();
        return day;
      case 'failed':
        return await this.#failed(record, day.failure, day.attempts);
      case 'unclear':
        return { ...arrivalUnknown(date, day.count), attempts: day.attempts };
      case 'would-push': {
        const request = this.#request(kind, nutritionBody(date, day.content));
        if (day.look === undefined) return { outcome: 'would-push', request };
        const first =
          day.look === 'read'
            ? ({ method: 'GET', url: nutritionDayUrl(this.#target.url(kind), date).href } as const)
            : this.#request(kind, nutritionBody(date, { ...day.content, items: [] }));
        // If there is nothing to add, the empty day is the only request.
        if (day.look === 'empty-post' && day.content.items.length === 0) {
          return { outcome: 'would-push', request: first };
        }
        const removals = day.removals.map(({ id, meal }) => this.#removal({ date, id, meal }));
        return {
          outcome: 'would-push',
          first,
          ...(removals.length === 0 ? {} : { removals }),
          request,
        };
      }
    }
  }

  #removal(item: NutritionItemRef): RecordRequest {
    const { url, body } = itemRemoval(this.#target.url('nutrition'), item);
    return { method: 'PATCH', url: url.href, body };
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
  async #failed(record: PreparedRecord, error: unknown, tries?: number): Promise<Outcome> {
    if (!(error instanceof SyncError)) throw error;
    if (endsRun(error.code)) throw error;
    const { status, attempts: counted } = error.details;
    const attempts = tries ?? (typeof counted === 'number' ? counted : 0);
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

function arrivalUnknown(date: string, count: number): Failure & { readonly outcome: 'failed' } {
  const items = count === 1 ? 'an item was' : `${count} items were`;
  return {
    outcome: 'failed',
    code: 'FATE_UNKNOWN',
    message: `No answer came after ${items} sent, and this service does not show what a day holds.`,
    hint: phrase`Look at ${date} in the platform. If the items are there, run ${pushAgain('--assume-arrived')} with the same file; if not, with --force.`,
  };
}

function alwaysFails(date: string, runs: number) {
  return {
    outcome: 'rejected',
    status: 500,
    message: faultMessage(`the record of ${date}`, runs),
    hint: 'Check its fields. It is tried again with each run, after all others.',
  } as const;
}
