import type { Context } from '../../base/context.ts';
import { SyncError, endsRun } from '../../base/errors.ts';
import type {
  DayContent,
  DayStatus,
  ItemState,
  LedgerDay,
  SentItem,
} from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import { sameJson } from '../digest.ts';
import type { DayOutcome, JsonObject, PreparedRecord, Warning } from '../types.ts';
import {
  type Comparison,
  type ShownItem,
  compareDay,
  isOwn,
  isToSend,
  otherKey,
} from './day-match.ts';
import { nutritionBody } from './day-plan.ts';
import {
  type DayOptions,
  type NutritionRecord,
  contentOf,
  excessOf,
  isDone,
  planDay,
} from './plan.ts';
import type { NutritionService } from './service.ts';
import * as words from './words.ts';

/**
 * Delivers a nutrition day so that the platform holds each item once, whether it adds to a day that is sent
 * again or replaces it. Each round looks at the day, sends the missing items, or removes the surplus ones, until
 * the day is right. A platform that replaces gets the whole day. The ledger holds the day as open from before
 * the first request that may change it until it is done: a request that may have been processed is never
 * repeated before the next look shows its effect. A changed item is added before its earlier version is
 * removed, so that a crash in between loses nothing, unless the platform cannot store the sum of both. (An
 * `update` by id would set unnamed macros to 0, and can hit an equal food of the athlete.)
 */

/** Limits the attempts to bring a day to its intended content. */
const MAX_ROUNDS = 8;

/** Pause after an unclear answer: a gateway may still be processing the request (ms). */
const SETTLE_MS = 2_000;

/** The run that a day belongs to. */
export interface DayTarget {
  readonly ledger: RecordLedger;
  readonly service: NutritionService;
  /** The other records of the run, by date. */
  readonly run: ReadonlyMap<string, PreparedRecord>;
  /** What a list of the run showed; each is used once. */
  readonly listed: Map<string, readonly ShownItem[]>;
  /** Look at the day, even if no item is missing: another computer may have spoiled it. */
  readonly isDoubtful: boolean;
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
  const known = ledger.nutrition.day(date);
  const plan = planDay(record, known, options, ledger, target.run);
  const { items, fields, moved, partialTotals } = plan;
  if (moved.length > 0) warn(words.movedNote(record, moved));
  const versions = record.parts.map(({ input, asOf }) => [input, asOf] as const);
  const asOf = { ...known.asOf, ...Object.fromEntries(versions) };
  const day = { ...known, items, fields, asOf };
  const excess = excessOf(record, contentOf(day, []));
  if (excess !== undefined) return excess;
  // The platform may hold something else by now.
  const isDoubtful = known.status === 'open' || target.isDoubtful;
  const looksAnew = (options.force || options.merge === 'replace-day') && items.length > 0;
  if (isDone(day) && !isDoubtful && !looksAnew) {
    // Another input may hold an item now, or no longer.
    if (!options.dryRun) ledger.nutrition.put(date, day);
    return atRest(day);
  }
  if (partialTotals.length > 0) warn(words.partialTotalsNote(record, partialTotals));
  if (!options.dryRun)
    return await new DayDelivery(record, known, day, options, target).run(context);
  const dropped = items.filter((item) => item.state === 'dropped');
  if (dropped.length > 0 && options.undo === undefined) warn(words.goneNote(record, dropped, true));
  const body = nutritionBody(date, contentOf(day, []));
  return { outcome: 'would-push', request: { method: 'POST', url: target.url, body } };
}

/** Returns the outcome of a day without a request. */
function atRest({ items }: DayContent): DayOutcome {
  const isUndone = items.some(({ undone }) => undone === true);
  return { outcome: 'skipped', reason: isUndone ? 'undone' : 'unchanged' };
}

/** What a look at a day showed. */
interface Look {
  readonly items: readonly ShownItem[];
  /** From a list for the whole run: the day may have changed since. */
  readonly isListed?: boolean;
  /** From the answer to a request of this delivery. */
  readonly isAnswer?: boolean;
}

class DayDelivery {
  readonly #record: NutritionRecord;
  readonly #options: DayOptions;
  readonly #target: DayTarget;
  readonly #service: NutritionService;
  /** The row of the ledger. */
  #stored: LedgerDay;
  #day: LedgerDay;
  /** Requests that were to change the day, with their repetitions; looks do not count. */
  #attempts = 0;
  /** What an answer showed, in place of the next look. */
  #next: Look | undefined;
  #gone: readonly SentItem[] = [];
  readonly #said = new Set<string>();
  #failure: SyncError | undefined;
  /** The request may have erased foods of others. */
  #isUnseen = false;

  constructor(
    record: NutritionRecord,
    known: LedgerDay,
    day: LedgerDay,
    options: DayOptions,
    target: DayTarget,
  ) {
    this.#record = record;
    this.#stored = known;
    this.#day = day;
    this.#options = options;
    this.#target = target;
    this.#service = target.service;
  }

  async run(context: Pick<Context, 'clock' | 'signal'>): Promise<DayOutcome> {
    try {
      return await this.#rounds(context);
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      throw error.with({ details: { attempts: this.#attempts } });
    }
  }

  async #rounds({ clock, signal }: Pick<Context, 'clock' | 'signal'>): Promise<DayOutcome> {
    const { date } = this.#record;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const look = await this.#look();
      const adds = (await this.#service.kind(date)) === 'adds';
      if (adds && look === undefined) {
        // Nothing has to be sent, and no look can show more.
        return isDone(this.#day) ? this.#finish([]) : this.#conflict(words.unseenText(date));
      }
      const seen = look && this.#compare(look);
      const surplus = seen?.surplus ?? [];
      const missing = this.#day.items.filter(isToSend);
      const left = look?.items.filter((item) => !surplus.includes(item)) ?? [];
      const after = adds
        ? { items: [...left, ...missing], fields: this.#day.fields }
        : contentOf(this.#day, seen?.others ?? []);
      const excess = excessOf(this.#record, after);
      if (excess !== undefined) return excess;
      const meanwhile = { ...after, items: [...surplus, ...after.items] };
      if (adds && excessOf(this.#record, meanwhile) !== undefined) {
        const stuck = look?.isListed === true ? [] : await this.#remove(surplus);
        if (stuck === 'changed' || stuck.length === 0) continue;
        return this.#finish(stuck);
      }
      const posted = await this.#sendMissing(look, seen, adds);
      if (posted === 'unclear') await clock.sleep(SETTLE_MS, signal);
      else if (typeof posted === 'object') return posted;
      else if (posted === 'shown') continue;
      else if (!adds || surplus.length === 0) return this.#finish([]);
      // A removal follows a look at once.
      else if (look?.isListed !== true) {
        const stuck = await this.#remove(surplus);
        if (stuck !== 'changed' && (await this.#restoreFields())) return this.#finish(stuck);
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#conflict(words.unstableText(date));
  }

  async #look(): Promise<Look | undefined> {
    const { date } = this.#record;
    const { listed } = this.#target;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    const fromList = listed.get(date);
    listed.delete(date);
    if (fromList !== undefined) return { items: fromList, isListed: true };
    const read = (await this.#service.list([date])).get(date);
    if (read !== undefined) return { items: read };
    if ((await this.#service.kind(date)) !== 'adds') return undefined;
    const hasRow = this.#stored.status === 'fresh';
    const items = await this.#service.look(date, this.#day.fields, hasRow);
    return items && { items };
  }

  /** Compares the day with a look, and takes over its findings. */
  #compare({ items: shown, isAnswer = false }: Look): Comparison {
    const { source, adds: idsLast } = this.#service;
    const { force, merge } = this.#options;
    const seen = compareDay(this.#day, shown, {
      ...{ source, idsLast, isAnswer, force },
      resends: merge === 'replace-day',
      fresh: this.#stored.status !== 'settled',
      isFirst: this.#attempts === 0 && !this.#target.isReview,
    });
    this.#day = { ...this.#day, items: seen.items, others: seen.others.map(otherKey), idsLast };
    if (this.#gone.length === 0) this.#gone = seen.gone;
    for (const note of words.newsNotes(this.#record, seen.news)) this.#warn(note);
    return seen;
  }

  /**
   * Sends what the day lacks: to a platform that adds the missing items, to any other the whole day.
   *
   * @returns as {@link #send}; undefined if nothing had to be sent
   */
  async #sendMissing(look: Look | undefined, seen: Comparison | undefined, adds: boolean) {
    const { fields, sentFields } = this.#day;
    const items = this.#day.items.filter(isToSend);
    const isSame = items.length === 0 && sameJson(fields, sentFields);
    if (adds) return isSame ? undefined : await this.#send({ items, fields }, look);
    if (seen !== undefined) {
      // The answer to the whole day shows no more than the request held.
      if (look?.isAnswer === true || (isSame && seen.surplus.length === 0)) return undefined;
      const foods = look?.items.filter((item) => !isOwn(item, this.#service.source)) ?? [];
      if (foods.length > 0 && !this.#options.force) {
        // A replacement would erase what others wrote.
        const intended = contentOf(this.#day, []).items;
        return this.#conflict(words.foodsText(this.#record.date, foods), foods, intended);
      }
      if (foods.length > 0) this.#warn(words.erasedNote(this.#record, foods));
    }
    this.#isUnseen = seen === undefined;
    return await this.#send(contentOf(this.#day, seen?.others ?? []), look);
  }

  /**
   * Sends a part of the day, or all of it.
   *
   * @returns `shown` if the answer shows the day; `taken` if it does not; `unclear` if a look has to show
   *   whether the platform took it.
   */
  async #send(content: DayContent, look?: Look): Promise<'shown' | 'taken' | 'unclear'> {
    const { adds } = this.#service;
    const before = this.#stored;
    const sent = this.#day.items.map((item): SentItem =>
      isToSend(item) ? { ...item, state: 'unanswered' } : item,
    );
    this.#put('open', { items: sent });
    try {
      const repeatable = adds && content.items.length > 0 ? 'unless-acted-on' : 'always';
      const posted = await this.#counted(
        this.#service.post(this.#record.date, content, repeatable),
      );
      this.#day = { ...this.#day, sentFields: content.fields };
      if (posted.items !== undefined) {
        this.#next = await this.#learn(look?.items ?? [], posted.items, content.items.length);
        return 'shown';
      }
      this.#day = { ...this.#day, items: sent.map((item) => passed(item, 'unanswered', 'fresh')) };
      return 'taken';
    } catch (error) {
      if (!isUnclear(error)) this.#target.ledger.nutrition.put(this.#record.date, before);
      if (!isUnclear(error) || !adds || endsRun(error.code)) throw error;
      this.#failure = error;
      return 'unclear';
    }
  }

  async #counted<T extends { readonly attempts: number }>(request: Promise<T>): Promise<T> {
    try {
      const done = await request;
      this.#attempts += done.attempts;
      return done;
    } catch (error) {
      if (error instanceof SyncError) this.#attempts += Number(error.details['attempts'] ?? 0);
      throw error;
    }
  }

  /** Learns from an answer if the platform adds or replaces. @returns what to compare next */
  async #learn(
    before: readonly ShownItem[],
    after: readonly ShownItem[],
    sent: number,
  ): Promise<Look> {
    this.#service.learnSource(before, after);
    const isOurs = (item: ShownItem) => isOwn(item, this.#service.source);
    if (!this.#service.adds && after.filter(isOurs).length > sent) {
      this.#service.learnKind('adds');
      return { items: after };
    }
    const ids = new Set(after.map(({ id }) => id));
    const lost = before.filter((item) => isOurs(item) && !ids.has(item.id));
    const isDoubtful = this.#service.adds && lost.length > 0;
    if (!isDoubtful || (await this.#service.askAgain(this.#record.date)) === 'adds') {
      return { items: after, isAnswer: true };
    }
    this.#service.learnKind('replaces');
    return { items: [...after, ...lost] };
  }

  /** Removes items from a platform that adds. @returns those that cannot be removed from here */
  async #remove(surplus: readonly ShownItem[]): Promise<readonly ShownItem[] | 'changed'> {
    const stuck: ShownItem[] = [];
    for (const item of surplus) {
      this.#put('open', { sentFields: {} });
      const { removal } = await this.#counted(this.#service.remove(this.#record.date, item));
      if (removal === 'changed') return 'changed';
      const isKindInDoubt = removal === 'no-route' && this.#service.isStated;
      if (isKindInDoubt && (await this.#service.askAgain(this.#record.date)) === 'replaces') {
        return 'changed';
      }
      if (removal === 'no-route') stuck.push(item);
    }
    return stuck;
  }

  /** Sends the day's own fields again, which the platform has recalculated. @returns false if it is unclear */
  async #restoreFields(): Promise<boolean> {
    const { fields } = this.#day;
    return sameJson(fields, {}) || (await this.#send({ items: [], fields })) !== 'unclear';
  }

  /** @param stuck surplus items that cannot be removed from here */
  #finish(stuck: readonly ShownItem[]): DayOutcome {
    const unseen = this.#isUnseen && !this.#service.adds;
    const items = this.#day.items.map((item) =>
      stuck.length > 0 ? item : passed(item, 'dropped', 'gone'),
    );
    const isSettled = unseen || (this.#attempts === 0 && !this.#target.isReview);
    // Without the scope for reading, no look at a replaced day is possible.
    this.#put(isSettled ? 'settled' : 'fresh', { items });
    if (this.#gone.length > 0 && this.#options.undo === undefined && stuck.length === 0) {
      this.#warn(words.goneNote(this.#record, this.#gone, false));
    }
    const contested = items.filter(({ state, edited }) => state === 'new' && edited);
    if (stuck.length > 0 || contested.length > 0) {
      const theirs = contested.flatMap(({ edited }) => (edited ? [{ body: edited }] : []));
      const text = words.conflictText(this.#record.date, stuck, contested);
      return this.#conflict(text, [...stuck, ...theirs], contested);
    }
    if (this.#attempts === 0) return atRest(this.#day);
    if (this.#options.remember) return { outcome: 'undone', attempts: this.#attempts };
    if (!unseen) return { outcome: 'pushed', attempts: this.#attempts };
    if (!this.#service.saidUnseen) this.#warn(words.unseenNote(this.#record));
    this.#service.saidUnseen = true;
    return { outcome: 'pushed', attempts: this.#attempts, unseen: true };
  }

  #conflict(text: words.ConflictText, stored: Bodies = [], intended: Bodies = []): DayOutcome {
    const bodies = (items: Bodies) => items.map(({ body }) => body);
    const lists = { stored: bodies(stored), intended: bodies(intended) };
    return { outcome: 'conflict', ...text, ...lists, attempts: this.#attempts };
  }

  /** Changes the day, and writes it to the ledger. */
  #put(status: DayStatus, change: Partial<LedgerDay>): void {
    this.#day = { ...this.#day, ...change, status };
    this.#target.ledger.nutrition.put(this.#record.date, this.#day);
    this.#stored = this.#day;
  }

  /** Warns of something about the day, once. */
  #warn(warning: Warning): void {
    if (this.#said.has(String(warning.message))) return;
    this.#said.add(String(warning.message));
    this.#target.warn(warning);
  }
}

type Bodies = readonly { readonly body: JsonObject }[];

/** Returns an item with another state, if it has the first. */
function passed(item: SentItem, from: ItemState, to: ItemState): SentItem {
  return item.state === from ? { ...item, state: to } : item;
}

/** Checks that the service may have acted on a request that failed. */
function isUnclear(error: unknown): error is SyncError {
  if (!(error instanceof SyncError)) return false;
  const { delivery } = error.details;
  const mayHaveActed = error.code === 'SERVICE_ANSWER' || endsRun(error.code);
  return delivery === 'unknown' || (mayHaveActed && delivery !== 'not-sent');
}
