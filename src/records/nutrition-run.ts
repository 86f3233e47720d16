import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import { ENOUGH_FAULTS } from '../api/refusal.ts';
import { emptyDay } from './prepared-record.ts';
import type { DayOutcome, PreparedRecord, Warning } from './types.ts';
import { type ShownItem, isToSend, withoutVersion } from './nutrition/day-match.ts';
import { nutritionBody } from './nutrition/day-plan.ts';
import { DayDelivery, atRest } from './nutrition/delivery.ts';
import {
  type DayOptions,
  type NutritionRecord,
  excessOf,
  isDone,
  planDay,
  wantedItems,
} from './nutrition/plan.ts';
import { NutritionService, type NutritionTarget } from './nutrition/service.ts';
import * as words from './nutrition/words.ts';

/** The nutrition days of one run: which, and in which order they are looked at, sent and reviewed. */
export class NutritionRun {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DayOptions;
  readonly #target: NutritionTarget;
  readonly #service: NutritionService;
  readonly #byDate: ReadonlyMap<string, PreparedRecord>;
  /** What the platform showed of days, and the ledger's day before that, as JSON. */
  readonly #listed = new Map<string, { shown: readonly ShownItem[]; before: string | undefined }>();
  readonly #delivered = new Set<string>();
  /** Fields of each day that the platform refused. */
  readonly #left = new Map<string, readonly string[]>();
  #unfinished: ReadonlySet<string> = new Set();
  #isReview = false;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DayOptions,
    target: NutritionTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#service = new NutritionService(context, target);
    this.#byDate = new Map(records.map((record) => [record.date, record]));
  }

  /** Checks that a day needs a look, even if its record is unchanged. */
  isDoubtful(date: string): boolean {
    return this.#unfinished.has(date) || this.#listed.has(date);
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
    this.#unfinished = new Set(open);
    await this.#list([...changed, ...open, ...ledger.nutrition.dates('fresh')]);
    if (this.#options.undo !== undefined) return [];
    const others = new Set([...open, ...this.#listed.keys()]);
    return [...others]
      .filter((date) => !this.#byDate.has(date))
      .map((date) => this.#recordOf(date));
  }

  /** Returns the days of this run to compare again: another computer's request may have spoiled them. */
  async toReview(): Promise<readonly PreparedRecord[]> {
    this.#listed.clear();
    this.#isReview = true;
    await this.#list(this.#delivered);
    return [...this.#listed.keys()].map((date) => this.#byDate.get(date) ?? this.#recordOf(date));
  }

  /** Lists days, if the login may. A failure is left to the days themselves. */
  async #list(dates: Iterable<string>): Promise<void> {
    const { nutrition } = this.#target.ledger;
    const before = new Map([...dates].map((date) => [date, JSON.stringify(nutrition.day(date))]));
    try {
      const listed = await this.#service.list(before.keys());
      for (const [date, shown] of listed) {
        this.#listed.set(date, { shown, before: before.get(date) });
      }
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
    }
  }

  #recordOf(date: string): PreparedRecord {
    const { ledger } = this.#target;
    const { items } = ledger.nutrition.day(date);
    const known = ledger.find('nutrition', date);
    const digest = known?.state === 'confirmed' ? known.digest : '';
    const inputs = items.flatMap((item) => item.inputs.map(({ name }) => name));
    return { ...emptyDay(date, [...new Set(inputs)]), digest };
  }

  /** Delivers a day, and confirms it in the ledger. @throws SyncError as {@link DayDelivery.run} */
  async deliver(record: NutritionRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest, files } = record;
    const { ledger } = this.#target;
    const { dryRun, undo } = this.#options;
    const outcome = await this.#deliverDay(record, warnings);
    if (dryRun) return outcome;
    const { outcome: word } = outcome;
    if (word === 'pushed' || word === 'skipped' || word === 'undone') {
      const { items } = ledger.nutrition.day(date);
      const isLeft = items.some(({ state }) => state !== 'gone' && state !== 'removed');
      const isUndone = items.some(({ undone }) => undone === true);
      const sentFrom = word === 'pushed' && undo === undefined ? files : [];
      // A day with items that were taken back is compared item by item.
      const dropped = this.#left.get(date) ?? [];
      const undone = isUndone && !isLeft;
      ledger.confirm(kind, date, isUndone ? '' : digest, { sentFrom, dropped, undone });
      if (undo !== undefined && !isLeft) {
        if (isUndone) ledger.forgetFiles(kind, date);
        else ledger.forget(kind, date);
      }
    }
    if (word !== 'skipped' && word !== 'invalid') this.#delivered.add(date);
    return outcome;
  }

  async #deliverDay(record: NutritionRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, parts } = record;
    const { ledger, url } = this.#target;
    const { dryRun, undo } = this.#options;
    // The user asked to replace or to force the days of the input only.
    const { force, merge = 'same-input' } = this.isInput(record) ? this.#options : { force: false };
    const options = { ...this.#options, force, merge };
    const warn = (warning: Warning) => {
      const isSaid = warnings.some(({ message }) => String(message) === String(warning.message));
      if (!isSaid) warnings.push(warning);
    };
    const known = ledger.nutrition.day(date);
    const planned = planDay(record, known, options, ledger, this.#byDate);
    const { moved, partialTotals, ...plan } = planned;
    if (moved.length > 0) warn(words.movedNote(record, moved));
    const versions = parts
      .filter(({ input }) => input.kind === 'source')
      .map(({ input, asOf }) => [input.name, asOf] as const);
    const day = { ...known, ...plan, asOf: { ...known.asOf, ...Object.fromEntries(versions) } };
    const content = { items: wantedItems(day), fields: day.fields };
    const excess = excessOf(record, content);
    if (excess !== undefined) return excess;
    // The platform may hold something else by now.
    const isPart = (ledger.find(kind, date)?.dropped ?? null) !== null;
    const isDoubtful = known.status === 'open' || isPart || this.isDoubtful(date);
    const looksAnew = (force || merge === 'replace-day') && day.items.length > 0;
    if (isDone(day) && !isDoubtful && !looksAnew) {
      // Another input may hold an item now, or no longer.
      if (!dryRun) ledger.nutrition.put(date, day);
      return atRest(day);
    }
    if (partialTotals.length > 0) warn(words.partialTotalsNote(record, partialTotals));
    if (dryRun) {
      const dropped = day.items.filter(({ state }) => state === 'dropped');
      const gone = withoutVersion(dropped, day.items.filter(isToSend));
      if (gone.length > 0 && undo === undefined) warn(words.goneNote(record, gone, true));
      const body = nutritionBody(date, content);
      return { outcome: 'would-push', request: { method: 'POST', url: url(kind).href, body } };
    }
    const { shown, before } = this.#listed.get(date) ?? {};
    this.#listed.delete(date);
    // Another run may have sent the day since.
    const listed = before === JSON.stringify(known) ? shown : undefined;
    const [service, isReview] = [this.#service, this.#isReview];
    const job = { record, options, ledger, service, listed, isReview, warn };
    const delivery = new DayDelivery(this.#context, job, known, day);
    try {
      return await delivery.run();
    } finally {
      this.#left.set(date, delivery.left);
    }
  }
}
