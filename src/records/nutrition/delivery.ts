import type { Context } from '../../base/context.ts';
import { SyncError, endsRun } from '../../base/errors.ts';
import type { DayContent, DayStatus, KnownDay, SentItem } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import { sameJson } from '../digest.ts';
import type { DayOutcome, PreparedRecord, Warning } from '../types.ts';
import {
  type Comparison,
  type ShownItem,
  compareDay,
  isOwn,
  isToSend,
  otherKey,
} from './day-match.ts';
import { isDropped, nutritionBody } from './day-plan.ts';
import { type DayOptions, type NutritionRecord, planDay } from './plan.ts';
import type { PlatformKind, NutritionService, Posted } from './service.ts';
import * as words from './words.ts';

/**
 * Delivers a nutrition day so that the platform holds each item once, whether it adds to a day that is sent
 * again or replaces it. The day is looked at, then the missing items are sent; a platform that replaces
 * gets the whole day. The ledger holds the day as open from before the first request until it is done, so
 * that a request that may have been processed is never repeated: the next look shows its effect.
 */

/** Limits the attempts to bring a day to its intended content. */
const MAX_ROUNDS = 5;

/** Pause after an unclear answer: a gateway may still be processing the request (ms). */
const SETTLE_MS = 2_000;

/** The run that a day belongs to. */
export interface DayTarget {
  readonly ledger: RecordLedger;
  readonly service: NutritionService;
  /** The other records of the run, by date. */
  readonly run: ReadonlyMap<string, PreparedRecord>;
  /** What a list at the start of the run showed; each is used once. */
  readonly listed: Map<string, readonly ShownItem[]>;
  /** The day was sent in this run already. */
  readonly isReview: boolean;
  readonly warn: (warning: Warning) => void;
  /** Where days go, for `--dry-run`. */
  readonly url: string;
}

/** Delivers one day. @throws SyncError of a failed request, `STORAGE`, `INTERRUPTED` */
export async function deliverDay(
  context: Pick<Context, 'clock' | 'signal'>,
  record: NutritionRecord,
  options: DayOptions,
  target: DayTarget,
): Promise<DayOutcome> {
  const { date } = record;
  const { ledger, warn } = target;
  const { status, ...before } = ledger.nutrition.day(date);
  const plan = planDay(record, before, options, ledger, target.run);
  const { items, fields, moved, partialTotals } = plan;
  if (moved.length > 0) warn(words.movedNote(record, moved));
  // The platform may hold something else by now.
  const looksAnew = (options.force || options.merge === 'replace-day') && items.length > 0;
  const versions = record.parts.map(({ input, asOf }) => [input, asOf] as const);
  const asOf = { ...before.asOf, ...Object.fromEntries(versions) };
  const day = { ...before, items, fields, asOf };
  if (isDone(day) && status !== 'open' && !looksAnew) {
    // Another input may hold an item now, or no longer.
    if (!options.dryRun) ledger.nutrition.put(date, day, status);
    const isUndone = record.parts.length > 0 && items.some(({ undone }) => undone === true);
    return isUndone ? UNDONE : UNCHANGED;
  }
  if (partialTotals.length > 0) warn(words.partialTotalsNote(record, partialTotals));
  if (options.dryRun) {
    const dropped = items.filter((item) => item.state === 'dropped');
    if (dropped.length > 0 && options.undo === undefined) {
      warn(words.goneNote(record, dropped, true));
    }
    const body = nutritionBody(date, contentOf(day, []));
    return { outcome: 'would-push', request: { method: 'POST', url: target.url, body } };
  }
  ledger.nutrition.put(date, day, 'open');
  const delivery = new DayDelivery(record, day, status !== 'settled', options, target);
  const restore = () => {
    if (!delivery.mayHaveChanged) ledger.nutrition.put(date, before, status);
  };
  try {
    const outcome = await delivery.run(context);
    if (!delivery.isFinished) restore();
    return outcome;
  } catch (error) {
    // The next run continues an interrupted day.
    if (!(error instanceof SyncError) || !endsRun(error.code)) restore();
    throw error;
  } finally {
    delivery.tell();
  }
}

const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;
const UNDONE = { outcome: 'skipped', reason: 'undone' } as const;

/** Checks that nothing of a day has to be sent or removed. */
function isDone({ items, fields, sentFields }: KnownDay): boolean {
  const isOpen = ({ state }: SentItem) =>
    state === 'new' || state === 'unanswered' || state === 'dropped';
  return !items.some(isOpen) && sameJson(fields, sentFields);
}

/** Checks that nothing of a day is missing or surplus. */
export async function isRight(
  date: string,
  shown: readonly ShownItem[],
  { ledger, service }: Pick<DayTarget, 'ledger' | 'service'>,
): Promise<boolean> {
  const idsLast = (await service.kind(date)) === 'adds';
  const options = { source: service.source, idsLast, force: false, fresh: true };
  const { missing, surplus, removed, edited } = compareDay(
    ledger.nutrition.day(date),
    shown,
    options,
  );
  return missing.length + surplus.length + removed.length + edited.length === 0;
}

/** Returns what a day should hold, as a platform that replaces days gets it. */
function contentOf({ items, fields }: DayContent, others: readonly ShownItem[]): DayContent {
  const wanted = items.filter((item) => !isDropped(item) && item.state !== 'removed');
  const own = wanted.map((item) => ({ ...item, body: item.edited ?? item.body }));
  const theirs = others.map(({ body }) => ({ body: body, input: '' }));
  return { items: [...own, ...theirs], fields };
}

class DayDelivery {
  readonly #record: NutritionRecord;
  readonly #options: DayOptions;
  readonly #target: DayTarget;
  readonly #service: NutritionService;
  readonly #fresh: boolean;
  #day: KnownDay;
  #attempts = 0;
  #pauses = false;
  /** What an answer showed, in place of the next look. */
  #next: readonly ShownItem[] | undefined;
  #gone: readonly SentItem[] = [];
  readonly #notes: Warning[] = [];
  readonly #said = new Set<string>();
  /** A request of this run may have changed the day. */
  mayHaveChanged = false;
  isFinished = false;

  constructor(
    record: NutritionRecord,
    day: KnownDay,
    fresh: boolean,
    options: DayOptions,
    target: DayTarget,
  ) {
    this.#record = record;
    this.#day = day;
    this.#fresh = fresh;
    this.#options = options;
    this.#target = target;
    this.#service = target.service;
  }

  async run({ clock, signal }: Pick<Context, 'clock' | 'signal'>): Promise<DayOutcome> {
    const { date } = this.#record;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      if (this.#pauses) await clock.sleep(SETTLE_MS, signal);
      this.#pauses = false;
      const listed = this.#target.listed.get(date);
      this.#target.listed.delete(date);
      const shown = listed ?? this.#next ?? (await this.#look());
      this.#next = undefined;
      const adds = (await this.#service.kind(date)) === 'adds' && shown !== undefined;
      const outcome = adds
        ? await this.#add(shown, listed !== undefined)
        : await this.#replace(shown);
      if (outcome !== undefined) return outcome;
    }
    return this.#conflict({ ...words.unstableText(date), stored: [], intended: [] });
  }

  /** Reports what the looks at the day found. */
  tell(): void {
    for (const note of this.#notes) this.#warn(note);
  }

  async #look(): Promise<readonly ShownItem[] | undefined> {
    const { date } = this.#record;
    const read = (await this.#service.canRead())
      ? (await this.#service.list([date])).get(date)
      : undefined;
    if (read !== undefined || (await this.#service.kind(date)) !== 'adds') return read;
    return await this.#service.look(date, this.#day.fields);
  }

  /** Sends missing items to a platform that adds, then removes surplus ones. */
  async #add(shown: readonly ShownItem[], isListed: boolean): Promise<DayOutcome | undefined> {
    const { date } = this.#record;
    let seen = this.#compare(shown);
    // A removal follows a look at once.
    if (isListed && seen.surplus.length > 0) return undefined;
    this.#take(seen);
    const { fields } = this.#day;
    if (seen.missing.length > 0 || !sameJson(fields, this.#day.sentFields)) {
      const content = { items: seen.missing, fields };
      const posted = await this.#send(content, 'unless-acted-on');
      if (posted === undefined || 'outcome' in posted) return posted;
      if (posted.items !== undefined) {
        this.#service.learnSource(shown, posted.items);
        if (await this.#isReplaced(shown, posted.items)) return undefined;
        seen = this.#compare(posted.items, true);
        this.#take(seen);
      }
    }
    const stuck: ShownItem[] = [];
    if (seen.surplus.length > 0) this.#put('open');
    for (const item of seen.surplus) {
      this.mayHaveChanged = true;
      this.#attempts++;
      const removal = await this.#service.remove(date, item);
      if (removal === 'changed') return undefined;
      if (removal === 'no-route') stuck.push(item);
      // The platform recalculates the day's own fields.
      else this.#day = { ...this.#day, sentFields: {} };
    }
    if (!sameJson(this.#day.fields, this.#day.sentFields)) {
      const again = await this.#send({ items: [], fields }, 'always');
      if (again === undefined || 'outcome' in again) return again;
    }
    return this.#finish(seen, stuck);
  }

  /** Sends the whole day to a platform that replaces days. @param shown undefined: it cannot be seen */
  async #replace(shown: readonly ShownItem[] | undefined): Promise<DayOutcome | undefined> {
    const seen = shown && this.#compare(shown);
    if (seen !== undefined) {
      this.#take(seen);
      const { fields, sentFields } = this.#day;
      const isSame = seen.missing.length + seen.surplus.length === 0;
      if (isSame && sameJson(fields, sentFields)) return this.#finish(seen, []);
      if (seen.foods.length > 0) {
        if (!this.#options.force) return this.#keepFoods(seen.foods);
        this.#warn(words.erasedNote(this.#record, seen.foods));
      }
    }
    const content = contentOf(this.#day, seen?.others ?? []);
    const posted = await this.#send(content, 'always');
    if (posted === undefined || 'outcome' in posted) return posted;
    let after = seen;
    if (posted.items !== undefined) {
      this.#service.learnSource(shown ?? [], posted.items);
      const own = posted.items.filter((item) => isOwn(item, this.#service.source));
      if (own.length > content.items.length) {
        this.#learn('adds');
        this.#next = posted.items;
        return undefined;
      }
      after = this.#compare(posted.items, true);
      this.#take(after);
    }
    return this.#finish(after, [], shown === undefined);
  }

  /**
   * Sends a part of the day, or all of it.
   *
   * @returns undefined if the answer is unclear and the next look shows its effect.
   */
  async #send(
    content: DayContent,
    repeatable: 'always' | 'unless-acted-on',
  ): Promise<Extract<Posted, { items: unknown }> | DayOutcome | undefined> {
    const items = this.#day.items.map((item): SentItem =>
      isToSend(item) ? { ...item, state: 'unanswered' } : item,
    );
    this.#day = { ...this.#day, items };
    this.#put('open');
    const before = this.mayHaveChanged;
    this.mayHaveChanged = true;
    try {
      const posted = await this.#service.post(this.#record.date, content, repeatable);
      this.#attempts += posted.attempts;
      if ('rejected' in posted) {
        const { rejected: message } = posted;
        this.mayHaveChanged = before;
        return { outcome: 'rejected', message, attempts: this.#attempts };
      }
      this.#day = { ...this.#day, sentFields: content.fields };
      if (posted.items === undefined) this.#day = { ...this.#day, items: items.flatMap(asTaken) };
      return posted;
    } catch (error) {
      if (!isUnclear(error)) this.mayHaveChanged = before;
      if (!isUnclear(error) || repeatable === 'always' || endsRun(error.code)) throw error;
      const { attempts } = error.details;
      if (typeof attempts === 'number') this.#attempts += attempts;
      this.#pauses = true;
      this.#failure = error;
      return undefined;
    }
  }

  #failure: SyncError | undefined;

  /** Checks if a platform that was taken to add has replaced the day: then its earlier items are missing. */
  async #isReplaced(before: readonly ShownItem[], after: readonly ShownItem[]): Promise<boolean> {
    const ids = new Set(after.map(({ id }) => id));
    const own = before.filter((item) => isOwn(item, this.#service.source));
    const lost = own.filter(({ id }) => !ids.has(id));
    if (lost.length === 0 || (await this.#service.askAgain(this.#record.date)) === 'adds') {
      return false;
    }
    this.#learn('replaces');
    this.#next = [...after, ...lost];
    return true;
  }

  #learn(kind: PlatformKind): void {
    const setting = this.#service.learnKind(kind);
    if (setting !== undefined) this.#warn(words.contradictedNote(this.#record, setting, kind));
  }

  #compare(shown: readonly ShownItem[], isAnswer = false): Comparison {
    const { source } = this.#service;
    const { force, undo, merge } = this.#options;
    return compareDay(this.#day, shown, {
      source,
      idsLast: this.#service.adds,
      force: force || undo !== undefined,
      resends: merge === 'replace-day',
      fresh: this.#fresh,
      isFirst: this.#attempts === 0 && !this.#target.isReview,
      isAnswer,
    });
  }

  /** Takes over what a comparison found. */
  #take(seen: Comparison): void {
    const others = seen.others.map(otherKey);
    const { adds: idsLast } = this.#service;
    this.#day = { ...this.#day, items: seen.items, others, idsLast };
    if (this.#gone.length === 0) this.#gone = seen.gone;
    this.#notes.push(...words.newsNotes(this.#record, seen));
  }

  /** Ends without a request: a replacement would erase what others wrote. */
  #keepFoods(foods: readonly ShownItem[]): DayOutcome {
    const intended = contentOf(this.#day, []).items.map(({ body }) => body);
    const stored = foods.map(({ body }) => body);
    return this.#conflict({ ...words.foodsText(this.#record.date, foods), stored, intended });
  }

  #finish(seen: Comparison | undefined, stuck: readonly ShownItem[], unseen = false): DayOutcome {
    const { date } = this.#record;
    const items = stuck.length > 0 ? this.#day.items : this.#day.items.map(asGone);
    this.#day = { ...this.#day, items };
    // Without the scope for reading, no look at a replaced day is possible.
    this.#put(unseen ? 'settled' : 'fresh');
    this.isFinished = true;
    if (this.#gone.length > 0 && this.#options.undo === undefined && stuck.length === 0) {
      this.#warn(words.goneNote(this.#record, this.#gone, false));
    }
    const contested = this.#day.items.filter(({ state, edited }) => state === 'new' && edited);
    if (stuck.length > 0 || contested.length > 0) {
      return this.#conflict({
        ...words.conflictText(date, stuck, contested),
        stored: [...stuck, ...(seen?.contested ?? []).map(({ shown }) => shown)].map(
          ({ body }) => body,
        ),
        intended: contested.map(({ body }) => body),
      });
    }
    if (this.#attempts === 0) return UNCHANGED;
    if (this.#options.remember) return { outcome: 'undone', attempts: this.#attempts };
    if (!unseen) return { outcome: 'pushed', attempts: this.#attempts };
    if (!this.#service.saidUnseen) this.#warn(words.unseenNote(this.#record));
    this.#service.saidUnseen = true;
    return { outcome: 'pushed', attempts: this.#attempts, unseen: true };
  }

  #conflict(
    about: Omit<Extract<DayOutcome, { outcome: 'conflict' }>, 'outcome' | 'attempts'>,
  ): DayOutcome {
    if (this.#failure !== undefined && !this.isFinished) throw this.#failure;
    return { outcome: 'conflict', ...about, attempts: this.#attempts };
  }

  #put(status: DayStatus): void {
    this.#target.ledger.nutrition.put(this.#record.date, this.#day, status);
  }

  /** Warns of something about the day, once. */
  #warn(warning: Warning): void {
    if (this.#said.has(String(warning.message))) return;
    this.#said.add(String(warning.message));
    this.#target.warn(warning);
  }
}

/** Returns an item after a request that was taken, without an answer that shows it. */
function asTaken({ state, ...item }: SentItem): SentItem[] {
  if (state === 'unanswered') return [{ ...item, state: 'fresh' }];
  return state === 'dropped' ? [] : [state === undefined ? item : { ...item, state }];
}

function asGone(item: SentItem): SentItem {
  return item.state === 'dropped' ? { ...item, state: 'gone' } : item;
}

/** Checks that the service may have acted on a request that failed. */
function isUnclear(error: unknown): error is SyncError {
  if (!(error instanceof SyncError)) return false;
  const { delivery } = error.details;
  const mayHaveActed = error.code === 'SERVICE_ANSWER' || endsRun(error.code);
  return delivery === 'unknown' || (mayHaveActed && delivery !== 'not-sent');
}
