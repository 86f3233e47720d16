import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import { ENOUGH_FAULTS } from '../api/refusal.ts';
import type { DeliveryOptions, DeliveryTarget } from './deliver.ts';
import { emptyDay } from './prepared-record.ts';
import type { DayOutcome, PreparedRecord, Warning } from './types.ts';
import type { ShownItem } from './nutrition/day-match.ts';
import { deliverDay } from './nutrition/delivery.ts';
import type { NutritionRecord } from './nutrition/plan.ts';
import { NutritionService } from './nutrition/service.ts';

/** Limits the sent days that one run looks at without the scope for reading. */
const MAX_LOOKS = 29;

/** The options for days of earlier runs. */
const AS_SENT = { force: false, merge: 'same-input' } as const;

/** The nutrition days of one run: which, and in which order they are looked at, sent and reviewed. */
export class NutritionRun {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DeliveryOptions;
  readonly #target: Omit<DeliveryTarget, 'report'>;
  readonly #service: NutritionService;
  readonly #byDate: ReadonlyMap<string, PreparedRecord>;
  readonly #listed = new Map<string, readonly ShownItem[]>();
  readonly #delivered = new Set<string>();
  /** Days that are unfinished, or that another computer may have spoiled. */
  #doubtful: ReadonlySet<string> = new Set();
  #isReview = false;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DeliveryOptions,
    target: Omit<DeliveryTarget, 'report'>,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#service = new NutritionService(context, options.nutrition, target);
    this.#byDate = new Map(records.map((record) => [record.date, record]));
  }

  /** Checks that a day needs a look, even if its record is unchanged. */
  isDoubtful(date: string): boolean {
    return this.#doubtful.has(date);
  }

  /** Checks that a record came from the user, not from an earlier run. */
  isInput({ date }: { readonly date: string }): boolean {
    return this.#byDate.has(date);
  }

  /**
   * Lists the days to send, and those of the last run, which another computer may have spoiled.
   *
   * @returns the days that need a look, as records without new content.
   */
  async unfinished(): Promise<readonly PreparedRecord[]> {
    const { ledger } = this.#target;
    if (this.#options.dryRun) return [];
    const isChanged = ({ kind, date, digest }: PreparedRecord) =>
      this.#options.force || !ledger.isUnchanged(kind, date, digest);
    const changed = [...this.#byDate.values()].filter(isChanged).map(({ date }) => date);
    const failed = ledger.failedDays('nutrition');
    // The service keeps failing on some days: only a command that names one sends it again.
    const open = ledger.nutrition
      .dates('open')
      .filter((date) => this.#byDate.has(date) || (failed.get(date) ?? 0) < ENOUGH_FAULTS);
    const fresh = ledger.nutrition.dates('fresh').filter((date) => !changed.includes(date));
    const seen = await this.#look([...changed, ...open], fresh);
    this.#doubtful = new Set([...open, ...seen]);
    if (this.#options.undo !== undefined) return [];
    return [...this.#doubtful].flatMap((date) =>
      this.#byDate.has(date) ? [] : [this.#recordOf(date)],
    );
  }

  /** Returns the days of this run to compare again: another computer's request may have spoiled them. */
  async toReview(): Promise<readonly PreparedRecord[]> {
    this.#listed.clear();
    this.#isReview = true;
    if (this.#delivered.size === 0 || !(await this.#service.canRead())) return [];
    this.#doubtful = new Set(await this.#look([], [...this.#delivered]));
    return [...this.#doubtful].map((date) => this.#byDate.get(date) ?? this.#recordOf(date));
  }

  /**
   * Lists days, if the login may. A failure is left to the days themselves.
   *
   * @param toCheck sent days. Without the scope, each costs a request, and a platform that replaces days
   *   shows none.
   * @returns those of `toCheck` that can be compared now
   */
  async #look(toSend: readonly string[], toCheck: readonly string[]): Promise<readonly string[]> {
    try {
      if (await this.#service.canRead()) {
        const listed = await this.#service.list(new Set([...toSend, ...toCheck]));
        for (const [date, shown] of listed) this.#listed.set(date, shown);
        return toCheck.filter((date) => listed.has(date));
      }
      const newest = toCheck.toSorted().reverse().slice(0, MAX_LOOKS);
      const [date] = newest;
      return date !== undefined && (await this.#service.kind(date)) === 'adds' ? newest : [];
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      return [];
    }
  }

  #recordOf(date: string): PreparedRecord {
    const { ledger } = this.#target;
    const { items } = ledger.nutrition.day(date);
    const known = ledger.find('nutrition', date);
    const digest = known?.state === 'confirmed' ? known.digest : '';
    return { ...emptyDay(date, [...new Set(items.map(({ input }) => input))]), digest };
  }

  /** Delivers a day, and confirms it in the ledger. @throws SyncError as {@link deliverDay} */
  async deliver(record: NutritionRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest, files } = record;
    const { ledger, url } = this.#target;
    const { dryRun, undo, remember = false } = this.#options;
    // The user asked to replace or to force the days of the input only.
    const { force, merge = 'same-input' } = this.isInput(record) ? this.#options : AS_SENT;
    const outcome = await deliverDay(
      this.#context,
      record,
      { merge, force, dryRun, undo, remember },
      {
        ...{ ledger, service: this.#service, run: this.#byDate, listed: this.#listed },
        isDoubtful: this.#doubtful.has(date) || this.#listed.has(date),
        isReview: this.#isReview,
        warn: (warning) => warnings.push(warning),
        url: url(kind).href,
      },
    );
    if (dryRun) return outcome;
    const { outcome: word } = outcome;
    if (word === 'pushed' || word === 'skipped' || word === 'undone') {
      const { items } = ledger.nutrition.day(date);
      const isLeft = items.some(({ state }) => state !== 'gone' && state !== 'removed');
      const isUndone = items.some(({ undone }) => undone === true);
      const sentFrom = word === 'pushed' && undo === undefined ? files : [];
      // A day with items that were taken back is compared item by item.
      ledger.confirm(kind, date, isUndone ? '' : digest, { sentFrom, undone: isUndone && !isLeft });
      if (undo !== undefined && !isLeft) ledger.forgetFiles(kind, date);
    }
    if (word !== 'skipped' && word !== 'invalid') this.#delivered.add(date);
    return outcome;
  }
}
