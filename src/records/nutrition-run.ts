import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import { inParallel } from '../base/parallel.ts';
import { ENOUGH_FAULTS } from '../api/refusal.ts';
import type { DeliveryOptions, DeliveryTarget } from './deliver.ts';
import { emptyDay } from './merge.ts';
import type { DayOutcome, PreparedRecord, Warning } from './types.ts';
import type { ShownItem } from './nutrition/day-match.ts';
import { deliverDay, isRight } from './nutrition/delivery.ts';
import type { NutritionRecord } from './nutrition/plan.ts';
import { NutritionService } from './nutrition/service.ts';

/** Limits the days that one run looks at without the scope for reading. */
const MAX_LOOKS = 29;

/** The nutrition days of one run: which, and in which order they are looked at, sent and reviewed. */
export class NutritionRun {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DeliveryOptions;
  readonly #target: Omit<DeliveryTarget, 'report'>;
  readonly #service: NutritionService;
  readonly #byDate: ReadonlyMap<string, PreparedRecord>;
  readonly #listed = new Map<string, readonly ShownItem[]>();
  readonly #delivered = new Set<string>();
  #open: ReadonlySet<string> = new Set();
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

  /** Checks that an earlier run left a day unfinished. */
  isOpen(date: string): boolean {
    return this.#open.has(date);
  }

  /**
   * Lists the days to send, and the days of the last run, which another computer may have spoiled.
   *
   * @returns the days that are not finished, as records without new content.
   */
  async unfinished(): Promise<readonly PreparedRecord[]> {
    const { ledger } = this.#target;
    if (this.#options.dryRun) return [];
    await this.#list();
    const open = ledger.nutrition.dates('open');
    this.#open = new Set(open);
    if (this.#options.undo !== undefined) return [];
    const failed = ledger.failedDays('nutrition');
    return open.flatMap((date) => {
      // The service keeps failing on this day: only a command that names it sends it again.
      const isHopeless = (failed.get(date) ?? 0) >= ENOUGH_FAULTS;
      return this.#byDate.has(date) || isHopeless ? [] : [this.#recordOf(date)];
    });
  }

  async #list(): Promise<void> {
    const { ledger } = this.#target;
    const { nutrition } = ledger;
    const isChanged = ({ kind, date, digest }: PreparedRecord) =>
      this.#options.force || !ledger.isUnchanged(kind, date, digest);
    const changed = [...this.#byDate.values()].filter(isChanged).map(({ date }) => date);
    const fresh = nutrition.dates('fresh');
    const dates = new Set([...changed, ...fresh, ...nutrition.dates('open')]);
    const isToSend = (date: string) => changed.includes(date);
    const checked = await this.#look(dates, new Set(fresh.filter((date) => !isToSend(date))));
    for (const [date, isGood] of checked) nutrition.mark(date, isGood ? 'settled' : 'open');
  }

  /** Returns the days of this run that another computer's request has spoiled. */
  async spoiled(): Promise<readonly PreparedRecord[]> {
    this.#listed.clear();
    this.#isReview = true;
    const checked = await this.#look(this.#delivered, this.#delivered);
    const spoiled = [...checked].flatMap(([date, isGood]) => (isGood ? [] : [date]));
    for (const date of spoiled) this.#target.ledger.nutrition.mark(date, 'open');
    this.#open = new Set(spoiled);
    return spoiled.map((date) => this.#byDate.get(date) ?? this.#recordOf(date));
  }

  /**
   * Lists days for their delivery, if the login may. A failure is left to the days themselves.
   *
   * @returns of the days to check, which hold the intended items.
   */
  async #look(
    dates: ReadonlySet<string>,
    toCheck: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, boolean>> {
    const checked = new Map<string, boolean>();
    try {
      if (dates.size === 0) return checked;
      const canRead = await this.#service.canRead();
      const looked = canRead ? this.#service.list(dates) : this.#lookAt([...toCheck]);
      for (const [date, shown] of await looked) {
        this.#listed.set(date, shown);
        if (!toCheck.has(date)) continue;
        checked.set(date, await isRight(date, shown, { ...this.#target, service: this.#service }));
      }
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
    }
    return checked;
  }

  /**
   * Looks at sent days without the scope for reading, the newest first. On a platform that adds, a day
   * without items changes nothing, and the answer shows the day.
   */
  async #lookAt(dates: readonly string[]): Promise<ReadonlyMap<string, readonly ShownItem[]>> {
    const found = new Map<string, readonly ShownItem[]>();
    const [date, ...more] = dates.toSorted().reverse().slice(0, MAX_LOOKS);
    if (this.#isReview || date === undefined) return found;
    if ((await this.#service.kind(date)) !== 'adds') return found;
    await inParallel([date, ...more], this.#options.jobs, async (day) => {
      const { fields } = this.#target.ledger.nutrition.day(day);
      const posted = await this.#service.post(day, { items: [], fields }, 'always');
      if ('items' in posted && posted.items !== undefined) found.set(day, posted.items);
    });
    return found;
  }

  #recordOf(date: string): PreparedRecord {
    const { items } = this.#target.ledger.nutrition.day(date);
    return emptyDay(date, [...new Set(items.map(({ input }) => input))]);
  }

  /** Delivers a day, and confirms it in the ledger. @throws SyncError as {@link deliverDay} */
  async deliver(record: NutritionRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest, files } = record;
    const { ledger, url } = this.#target;
    const { dryRun, force, merge = 'same-input', undo, remember = false } = this.#options;
    const outcome = await deliverDay(
      this.#context,
      record,
      { merge, force, dryRun, undo, remember },
      {
        ...{ ledger, service: this.#service, run: this.#byDate, listed: this.#listed },
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
    if (word !== 'skipped' && word !== 'failed' && word !== 'rejected') this.#delivered.add(date);
    return outcome;
  }
}
