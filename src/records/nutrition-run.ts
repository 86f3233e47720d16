import type { Context } from '../base/context.ts';
import { SyncError, endsRun } from '../base/errors.ts';
import { daysAfter } from '../base/time.ts';
import { ENOUGH_FAULTS } from '../api/refusal.ts';
import { emptyDay } from './prepared-record.ts';
import type {
  DayFoods,
  DayOutcome,
  MergeMode,
  NutritionPart,
  PreparedRecord,
  Rank,
  Warning,
} from './types.ts';
import { chooseFoods, chooseFields, programOf, rankBy } from './prefer.ts';
import { DayDelivery } from './nutrition/delivery.ts';
import type { ShownItem } from './nutrition/merge.ts';
import { type DayInputs, type MergePolicy, hasUndone, isHeld, oursOf } from './nutrition/ours.ts';
import { NutritionService, type NutritionTarget } from './nutrition/service.ts';

export interface DayOptions extends Pick<MergePolicy, 'force' | 'undo'> {
  /** `same-input` by default. */
  readonly merge?: MergeMode;
  /** Which of several programs counts on a day. */
  readonly rank?: Rank | undefined;
  readonly dryRun: boolean;
}

/** The nutrition days of one run: which, and in which order they are looked at, sent and reviewed. */
export class NutritionRun {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: DayOptions;
  readonly #target: NutritionTarget;
  readonly service: NutritionService;
  readonly #byDate: ReadonlyMap<string, PreparedRecord>;
  /** What the platform showed of days, and the ledger's day before that, as JSON. */
  readonly #listed = new Map<string, { shown: readonly ShownItem[]; before: string | undefined }>();
  readonly #delivered = new Set<string>();
  /** Days that wait for the neighbouring one. */
  readonly #waiting = new Set<string>();
  /** In the review, every day was sent before, and no item is known to have been there. */
  #reviewed: ReadonlySet<string> | undefined;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    records: readonly PreparedRecord[],
    options: DayOptions,
    target: NutritionTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.service = new NutritionService(context, target);
    this.#byDate = new Map(records.map((record) => [record.date, record]));
  }

  /** Checks that a day needs a look, even if its record is unchanged. */
  isDoubtful(date: string): boolean {
    const { status } = this.#target.ledger.nutrition.day(date);
    return status === 'open' || this.#listed.has(date);
  }

  /** Checks that a record came from the user, not from an earlier run. */
  isInput({ date }: { readonly date: string }): boolean {
    return this.#byDate.has(date);
  }

  /** Lists the days to send, and returns those of earlier runs that need a look: another computer may have spoiled them. */
  async further(): Promise<readonly PreparedRecord[]> {
    const { ledger } = this.#target;
    if (this.#options.dryRun) return [];
    const changed = [...this.#byDate.values()].filter((record) => this.#isChanged(record));
    const failed = ledger.failedDays('nutrition');
    // The service keeps failing on some days: only a command that names one sends it again.
    const open = ledger.nutrition
      .dates('open')
      .filter((date) => this.#byDate.has(date) || (failed.get(date) ?? 0) < ENOUGH_FAULTS);
    await this.#list([
      ...changed.map(({ date }) => date),
      ...open,
      ...ledger.nutrition.dates('fresh'),
    ]);
    if (this.#options.undo !== undefined) return [];
    const others = new Set([...open, ...this.#listed.keys()]);
    return [...others]
      .filter((date) => !this.#byDate.has(date))
      .map((date) => this.#recordOf(date));
  }

  #isChanged({ kind, date, digest }: PreparedRecord): boolean {
    return this.#options.force || !this.#target.ledger.isUnchanged(kind, date, digest);
  }

  /** Checks that an item leaves the day of a record for a neighbouring one, which has to hold it first. */
  waits(record: PreparedRecord): boolean {
    const { dryRun, undo, force, merge = 'same-input' } = this.#options;
    if (record.kind !== 'nutrition' || dryRun || undo !== undefined) return false;
    if (!this.#isChanged(record)) return false;
    const day = this.#dayOf(record.date);
    if (day.known.items.length === 0) return false;
    return oursOf(day, { force, merge }).waiting.length > 0;
  }

  /** Returns the days of this run to compare again: another computer's request may have spoiled them. */
  async toReview(): Promise<readonly PreparedRecord[]> {
    this.#listed.clear();
    this.#reviewed = new Set();
    await this.#list(this.#delivered);
    const dates = new Set([...this.#listed.keys(), ...this.#waiting]);
    this.#waiting.clear();
    return [...dates].map((date) => this.#byDate.get(date) ?? this.#recordOf(date));
  }

  /** Lists days, if the login may. A failure is left to the days themselves. */
  async #list(dates: Iterable<string>): Promise<void> {
    const { nutrition } = this.#target.ledger;
    const all = [...dates];
    try {
      if (all.length === 0 || !(await this.service.mayList())) return;
      const before = new Map(all.map((date) => [date, JSON.stringify(nutrition.day(date))]));
      const listed = await this.service.list(all);
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
  async deliver(record: PreparedRecord, warnings: Warning[]): Promise<DayOutcome> {
    const { kind, date, digest, files } = record;
    const { ledger } = this.#target;
    const { dryRun, undo } = this.#options;
    const delivery = this.#deliveryOf(record, warnings);
    if (delivery.ours.waiting.length > 0) this.#waiting.add(date);
    const outcome = await delivery.run();
    if (dryRun) return outcome;
    const { outcome: word } = outcome;
    if (word === 'pushed' || word === 'skipped' || word === 'undone') {
      const { day } = delivery;
      const isLeft = day.items.some(isHeld) || Object.keys(day.fields).length > 0;
      const isPartUndone = hasUndone(day);
      const sentFrom = word === 'pushed' && undo === undefined ? files : [];
      const undone = isPartUndone && !isLeft;
      // A day of which something was taken back, or waits for a neighbouring one, is compared item by item.
      const isAnew = isPartUndone || this.#waiting.has(date);
      const dropped = delivery.refused.left;
      ledger.confirm(kind, date, isAnew ? '' : digest, { sentFrom, dropped, undone });
      // Without a digest, an earlier run has forgotten the day, and this one only checks it.
      if ((undo !== undefined || digest === '') && !isLeft) {
        if (isPartUndone) ledger.forgetFiles(kind, date);
        else ledger.forget(kind, date);
      }
    }
    if (word !== 'skipped' && word !== 'invalid') this.#delivered.add(date);
    return outcome;
  }

  #deliveryOf(record: PreparedRecord, warnings: Warning[]): DayDelivery {
    const { kind, date, sources, programs } = record;
    // The user asked to replace or to force the days of the input only.
    const { force, merge = 'same-input' } = this.isInput(record) ? this.#options : { force: false };
    const isPart = (this.#target.ledger.find(kind, date)?.dropped ?? null) !== null;
    const isDoubtful = isPart || this.isDoubtful(date);
    const { shown, before } = this.#listed.get(date) ?? {};
    this.#listed.delete(date);
    const day = { ...this.#dayOf(date), ...this.#chosen(record, warnings) };
    return new DayDelivery(this.#context, this.service, {
      ...day,
      sources,
      programs,
      policy: { ...this.#options, force, merge, before: this.#reviewed },
      // Another run may have sent the day since.
      listed: shown && before === JSON.stringify(day.known) ? shown : undefined,
      isDoubtful,
      dryRun: this.#options.dryRun,
      warn: (warning) => {
        const isSaid = warnings.some(({ message }) => String(message) === String(warning.message));
        if (!isSaid) warnings.push(warning);
      },
    });
  }

  /** Chooses between the programs of a day's foods, also of those sent before. */
  #chosen(record: PreparedRecord, warnings: Warning[]): DayFoods {
    const { force, merge = 'same-input', undo, rank = rankBy() } = this.#options;
    const { parts, fields, programs } = record;
    if (merge !== 'same-input' || undo !== undefined) return { parts, fields };
    const known = this.#target.ledger.nutrition.day(record.date);
    const { asOf = {} } = known;
    const source = record.sources[0] ?? '';
    const warn = (note: Omit<Warning, 'source'>) => void warnings.push({ source, ...note });
    const isOld = ({ input, asOf: at = 0 }: NutritionPart) =>
      !force && input.kind === 'source' && at < (asOf[input.name] ?? 0);
    const old = parts.filter(isOld);
    for (const { input } of old) {
      const message = `an older file of ${input.name} than the one sent before: not sent. --force sends it`;
      warn({ message });
    }
    // A file of a program states items, or totals.
    const oldTotals = old.filter((part) => part.items === undefined);
    const without = new Set(oldTotals.map(({ input }) => programOf(input)));
    const kept = {
      parts: parts.filter((part) => !old.includes(part)),
      fields: Object.fromEntries(
        Object.entries(fields).filter(([name]) => !without.has(programs[name])),
      ),
      programs,
    };
    const chosen = chooseFoods(kept, known, rank, warn);
    return force ? chosen : chooseFields({ ...chosen, programs }, known, rank, warn);
  }

  /** Returns all that the inputs say of a day. */
  #dayOf(date: string): DayInputs {
    const { parts = [], fields = {}, zoneUsed = false } = this.#byDate.get(date) ?? {};
    return {
      date,
      zoneUsed,
      parts,
      fields,
      known: this.#target.ledger.nutrition.day(date),
      around: () => [daysAfter(date, -1), daysAfter(date, 1)].map((day) => this.#dayOf(day)),
    };
  }
}
