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
import type { DayOutcome, JsonObject, Warning } from '../types.ts';
import {
  type Comparison,
  type ShownItem,
  compareDay,
  isOwn,
  isToSend,
  otherKey,
  withoutVersion,
} from './day-match.ts';
import { isDropped } from './day-plan.ts';
import { type DayOptions, type NutritionRecord, contentOf, excessOf, isDone } from './plan.ts';
import type { NutritionService } from './service.ts';
import * as words from './words.ts';

/**
 * Delivers a nutrition day so that the platform holds each item once, whether it adds to a day that is sent
 * again or replaces it. Each round looks at the day, sends the missing items, or removes the surplus ones, until
 * the day is right. A platform that replaces gets the whole day. The ledger holds the day as open from before
 * the first request that may change it until it is done: a request that may have been processed is never
 * repeated before the next look shows its effect. A changed item is added before its earlier version is
 * removed, so that a crash in between loses nothing. (An `update` by id would set unnamed macros to 0, and can
 * hit an equal food of the athlete.)
 */

/** Limits the attempts to bring a day to its intended content. */
const MAX_ROUNDS = 8;

/** Pause after an unclear answer: a gateway may still be processing the request (ms). */
const SETTLE_MS = 2_000;

/** One day of a run. */
export interface DayJob {
  readonly record: NutritionRecord;
  readonly options: DayOptions;
  readonly ledger: RecordLedger;
  readonly service: NutritionService;
  /** What a list for the whole run showed. */
  readonly listed: readonly ShownItem[] | undefined;
  /** The day was sent in this run already. */
  readonly isReview: boolean;
  readonly warn: (warning: Warning) => void;
}

/** Returns the outcome of a day without a request. */
export function atRest({ items }: DayContent): DayOutcome {
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

export class DayDelivery {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #job: DayJob;
  readonly #date: string;
  /** The row of the ledger. */
  #stored: LedgerDay;
  #day: LedgerDay;
  /** Requests that were to change the day, with their repetitions; looks do not count. */
  #attempts = 0;
  /** What a list or an answer showed, in place of the next look. */
  #next: Look | undefined;
  #gone: readonly SentItem[] = [];
  #failure: SyncError | undefined;
  /** The request may have erased foods of others. */
  #isUnseen = false;

  /** @param known the row of the ledger; `day`: its intended state */
  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    job: DayJob,
    known: LedgerDay,
    day: LedgerDay,
  ) {
    this.#context = context;
    this.#job = job;
    this.#date = job.record.date;
    this.#next = job.listed && { items: job.listed, isListed: true };
    this.#stored = known;
    this.#day = day;
  }

  /** Delivers the day. @throws SyncError of a failed request, `STORAGE`, `INTERRUPTED` */
  async run(): Promise<DayOutcome> {
    try {
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        const outcome = await this.#round();
        if (outcome !== undefined) return outcome;
      }
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      throw error.with({ details: { attempts: this.#attempts } });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#conflict(words.unstableText(this.#date));
  }

  /** @returns undefined if another look has to follow */
  async #round(): Promise<DayOutcome | undefined> {
    const look = await this.#look();
    const adds = (await this.#job.service.kind(this.#date)) === 'adds';
    if (look === undefined) {
      const isUnsent = this.#stored.items.length === 0;
      if (!adds || isUnsent) return await this.#replace();
      // Nothing needs to be sent, and reading cannot show more.
      return isDone(this.#day) ? this.#finish() : this.#conflict(words.unseenText(this.#date));
    }
    const seen = this.#compare(look);
    const held = contentOf(this.#day, [...seen.others, ...seen.foods]);
    const excess = excessOf(this.#job.record, held);
    if (excess !== undefined) return excess;
    return adds ? await this.#add(look, seen) : await this.#replace(look, seen);
  }

  async #look(): Promise<Look | undefined> {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    const items = await this.#job.service.look(this.#date, this.#day.fields);
    return items && { items };
  }

  /** Compares the day with a look, and takes over its findings. */
  #compare({ items: shown, isAnswer = false }: Look): Comparison {
    const { record, service, options, isReview } = this.#job;
    const idsLast = service.adds;
    const seen = compareDay(this.#day, shown, {
      source: service.source,
      idsLast,
      isAnswer,
      force: options.force,
      resends: options.merge === 'replace-day',
      isFirst: this.#attempts === 0 && !isReview,
      isUndone: isReview && options.undo !== undefined,
      isSettled: this.#stored.status === 'settled',
    });
    this.#day = { ...this.#day, items: seen.items, others: seen.others.map(otherKey), idsLast };
    this.#gone = seen.gone;
    for (const note of words.newsNotes(record, seen.news)) this.#job.warn(note);
    return seen;
  }

  /** Sends the missing items to a platform that adds, then removes the surplus ones. */
  async #add(look: Look, { surplus }: Comparison): Promise<DayOutcome | undefined> {
    const { fields } = this.#day;
    const items = this.#day.items.filter(isToSend);
    const isComplete = items.length === 0 && sameJson(fields, this.#day.sentFields);
    if (!isComplete && !(await this.#send({ items, fields }, look))) return undefined;
    if (surplus.length === 0) return this.#finish();
    // A removal follows a look at once.
    if (look.isListed === true) return undefined;
    const stuck = await this.#remove(surplus);
    if (stuck === undefined) return undefined;
    if (stuck.length === 0) this.#noteGone();
    // The platform has recalculated the day's own fields.
    const isRestored = stuck.length > 0 || sameJson(fields, {});
    if (!isRestored && !(await this.#send({ items: [], fields }, look))) return undefined;
    return this.#finish(stuck);
  }

  /** Sends the whole day to a platform that replaces it, unless that is there already. */
  async #replace(look?: Look, seen?: Comparison): Promise<DayOutcome | undefined> {
    const { record, options } = this.#job;
    const { items, fields, sentFields } = this.#day;
    if (seen !== undefined) {
      const isComplete = !items.some(isToSend) && sameJson(fields, sentFields);
      // The answer to the whole day shows no more than the request held.
      if (look?.isAnswer === true || (isComplete && seen.surplus.length === 0)) {
        return this.#finish();
      }
      const { foods } = seen;
      if (foods.length > 0 && !options.force) {
        // A replacement would erase what others wrote.
        const intended = contentOf(this.#day, []).items;
        const isUndo = options.undo !== undefined;
        return this.#conflict(words.foodsText(this.#date, foods, isUndo), foods, intended);
      }
      if (foods.length > 0) this.#job.warn(words.erasedNote(record, foods));
    }
    this.#isUnseen = seen === undefined;
    if (seen === undefined)
      this.#gone = withoutVersion(items.filter(isDropped), items.filter(isToSend));
    const isSent = await this.#send(contentOf(this.#day, seen?.others ?? []), look);
    return isSent ? this.#finish() : undefined;
  }

  /**
   * Sends a part of the day, or all of it.
   *
   * @returns false if the day has to be compared again: the answer shows it, or is unclear
   */
  async #send(content: DayContent, look?: Look): Promise<boolean> {
    const { service, ledger } = this.#job;
    const { adds } = service;
    const before = this.#stored;
    const items = this.#day.items.map((item): SentItem =>
      isToSend(item) ? { ...item, state: 'unanswered' } : item,
    );
    this.#put('open', { items });
    try {
      const repeatable = adds && content.items.length > 0 ? 'unless-acted-on' : 'always';
      const posted = await this.#counted(service.post(this.#date, content, repeatable));
      this.#day = { ...this.#day, sentFields: content.fields };
      if (posted.items !== undefined) {
        this.#next = await this.#learn(look?.items ?? [], posted.items, content.items.length);
        return false;
      }
      this.#day = { ...this.#day, items: items.map((item) => passed(item, 'unanswered', 'fresh')) };
      return true;
    } catch (error) {
      if (!isUnclear(error)) ledger.nutrition.put(this.#date, before);
      if (!isUnclear(error) || !adds || endsRun(error.code)) throw error;
      this.#failure = error;
    }
    await this.#context.clock.sleep(SETTLE_MS, this.#context.signal);
    return false;
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
    const { service } = this.#job;
    service.learnSource(before, after);
    const isOurs = (item: ShownItem) => isOwn(item, service.source);
    if (!service.adds && after.filter(isOurs).length > sent) {
      service.learnKind('adds');
      return { items: after };
    }
    const ids = new Set(after.map(({ id }) => id));
    const lost = before.filter((item) => isOurs(item) && !ids.has(item.id));
    const isDoubtful = service.adds && lost.length > 0;
    if (!isDoubtful || (await service.askAgain(this.#date)) === 'adds') {
      return { items: after, isAnswer: true };
    }
    return { items: [...after, ...lost] };
  }

  /**
   * Removes items from a platform that adds.
   *
   * @returns items that cannot be removed from here; undefined if the day must be compared again
   */
  async #remove(surplus: readonly ShownItem[]): Promise<readonly ShownItem[] | undefined> {
    const { service } = this.#job;
    const stuck: ShownItem[] = [];
    for (const item of surplus) {
      this.#put('open', { sentFields: {} });
      const { removal } = await this.#counted(service.remove(this.#date, item));
      if (removal === 'changed') return undefined;
      const isKindInDoubt = removal === 'no-route' && service.isStated;
      if (isKindInDoubt && (await service.askAgain(this.#date)) === 'replaces') return undefined;
      if (removal === 'no-route') stuck.push(item);
    }
    return stuck;
  }

  /** @param stuck surplus items that cannot be removed from here */
  #finish(stuck: readonly ShownItem[] = []): DayOutcome {
    const { record, options, service, isReview } = this.#job;
    const attempts = this.#attempts;
    const isStuck = stuck.length > 0;
    // Without reading, no look at a platform that replaces days can tell who removed an item.
    const isUnclear = service.canList !== true && !service.adds;
    const items = this.#day.items.map((item): SentItem => {
      const { state, ...held } = item;
      if (state === 'fresh' && isUnclear) return held;
      return isStuck ? item : passed(item, 'dropped', 'gone');
    });
    const isSettled = (attempts === 0 && !isReview) || service.canList !== true;
    this.#put(isSettled ? 'settled' : 'fresh', { items });
    if (!isStuck) this.#noteGone();
    const contested = items.filter(({ state, edited }) => state === 'new' && edited);
    if (isStuck || contested.length > 0) {
      const theirs = contested.flatMap(({ edited }) => (edited ? [{ body: edited }] : []));
      const text = words.conflictText(this.#date, stuck, contested);
      return this.#conflict(text, [...stuck, ...theirs], contested);
    }
    if (attempts === 0) return atRest(this.#day);
    if (options.remember) return { outcome: 'undone', attempts };
    if (!this.#isUnseen || service.adds) return { outcome: 'pushed', attempts };
    if (!service.saidUnseen) this.#job.warn(words.unseenNote(record));
    service.saidUnseen = true;
    return { outcome: 'pushed', attempts, unseen: true };
  }

  #noteGone(): void {
    const { record, options } = this.#job;
    if (this.#gone.length === 0 || options.undo !== undefined) return;
    this.#job.warn(words.goneNote(record, this.#gone, false));
  }

  #conflict(text: words.ConflictText, stored: Bodies = [], intended: Bodies = []): DayOutcome {
    const bodies = (items: Bodies) => items.map(({ body }) => body);
    const lists = { stored: bodies(stored), intended: bodies(intended) };
    return { outcome: 'conflict', ...text, ...lists, attempts: this.#attempts };
  }

  /** Changes the day, and writes it to the ledger. */
  #put(status: DayStatus, change: Partial<LedgerDay>): void {
    this.#day = { ...this.#day, ...change, status };
    this.#job.ledger.nutrition.put(this.#date, this.#day);
    this.#stored = this.#day;
  }
}

type Bodies = readonly { readonly body: JsonObject }[];

/** Returns an item with another state, if it has the first. */
function passed(item: SentItem, from: ItemState, to: ItemState): SentItem {
  return item.state === from ? { ...item, state: to } : item;
}

/** Checks that the service may have acted on a request that failed, or on an earlier try of it. */
function isUnclear(error: unknown): error is SyncError {
  if (!(error instanceof SyncError)) return false;
  const { delivery, attempts } = error.details;
  const mayHaveActed =
    Number(attempts) > 1 || error.code === 'SERVICE_ANSWER' || endsRun(error.code);
  return delivery === 'unknown' || (mayHaveActed && delivery !== 'not-sent');
}
