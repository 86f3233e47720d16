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
import type { Repeatable } from '../../api/retry.ts';
import { sameJson } from '../digest.ts';
import { leftNotes } from '../notes.ts';
import type { DayOutcome, JsonObject, Warning } from '../types.ts';
import {
  type Comparison,
  type ShownItem,
  compareDay,
  copiesIn,
  isPending,
  isToSend,
  otherKey,
  withoutVersion,
} from './day-match.ts';
import { isDropped, nutritionBody, statedItem } from './day-plan.ts';
import { holdsItem } from './items.ts';
import { type DayOptions, type NutritionRecord, excessOf, isDone, wantedItems } from './plan.ts';
import type { NutritionService, PostAnswer } from './service.ts';
import * as words from './words.ts';

/**
 * Delivers a nutrition day so that the platform holds each item once. A platform of the interface replaces a day that
 * is sent again, so it gets the whole day. Coach Watts adds to it: each round looks at the day, sends the missing
 * items, or removes the surplus ones, until the day is right. The ledger holds the day as open from before
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
  /** Fields that the platform refused; the day is sent again when it may take them. */
  left: readonly string[] = [];
  /** Nothing of the day is known to have arrived. */
  readonly #isNew: boolean;

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
    this.#isNew = known.items.every(isPending) && sameJson(known.sentFields, {});
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
    const { record, service } = this.#job;
    const kind = await service.kind(this.#date);
    if (service.takeOverruled()) this.#job.warn(words.overruledNote(record));
    if (kind === 'interface') return await this.#replace();
    const look = await this.#look();
    if (look !== undefined) {
      const seen = this.#compare(look);
      const held = [...wantedItems(this.#day), ...seen.others, ...seen.foods];
      const excess = excessOf(record, { items: held, fields: this.#day.fields });
      return excess ?? (await this.#add(look, seen));
    }
    if ((await service.kind(this.#date)) === 'interface') return undefined;
    if (this.#stored.items.length === 0) {
      return (await this.#send(wantedItems(this.#day))) ? this.#finish() : undefined;
    }
    // Nothing needs to be sent, and reading cannot show more.
    return isDone(this.#day) ? this.#finish() : this.#conflict(words.unseenText(this.#date));
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
    const seen = compareDay(this.#day, shown, {
      sources: service.sources,
      isAnswer,
      force: options.force,
      resends: options.merge === 'replace-day',
      isFirst: this.#attempts === 0 && !isReview,
      isUndone: isReview && options.undo !== undefined,
      isSettled: this.#stored.status === 'settled',
    });
    this.#day = { ...this.#day, items: seen.items, others: seen.others.map(otherKey) };
    this.#gone = seen.gone;
    for (const note of words.newsNotes(record, seen.news)) this.#job.warn(note);
    return seen;
  }

  /** Sends the missing items to Coach Watts, then removes the surplus ones. */
  async #add(look: Look, { surplus }: Comparison): Promise<DayOutcome | undefined> {
    const { fields } = this.#day;
    const items = this.#day.items.filter(isToSend);
    const isComplete = items.length === 0 && sameJson(fields, this.#day.sentFields);
    if (!isComplete && !(await this.#send(items, look))) return undefined;
    if (surplus.length === 0) return this.#finish();
    // A removal follows a look at once.
    if (look.isListed === true) return undefined;
    const stuck = await this.#remove(surplus);
    if (stuck === undefined) return undefined;
    if (stuck.length === 0) this.#noteGone();
    // The platform has recalculated the day's own fields.
    const isRestored = stuck.length > 0 || sameJson(fields, {});
    if (!isRestored && !(await this.#send([], look))) return undefined;
    return this.#finish(stuck);
  }

  /**
   * Sends items to Coach Watts.
   *
   * @returns false if the day has to be compared again: the answer shows it, or is unclear
   */
  async #send(items: Bodies, look?: Look): Promise<boolean> {
    try {
      const posted = await this.#post(items, items.length > 0 ? 'unless-acted-on' : 'always');
      if (posted.items !== undefined) this.#learn(posted, look?.items);
      if (posted.items !== undefined || posted.kind === 'interface') return false;
      if (!posted.isUnclear) {
        const taken = (item: SentItem) => passed(item, 'unanswered', 'fresh');
        this.#day = { ...this.#day, items: this.#day.items.map(taken) };
        return true;
      }
      this.#failure = new SyncError('SERVICE_ANSWER', words.unclearText(this.#date));
    } catch (error) {
      if (!isUnclear(error) || endsRun(error.code)) throw error;
      this.#failure = error;
    }
    await this.#context.clock.sleep(SETTLE_MS, this.#context.signal);
    return false;
  }

  /**
   * Sends the whole day to a platform that replaces it. An empty list goes out only if the last own item leaves, since
   * it would erase what others wrote.
   */
  async #replace(): Promise<DayOutcome | undefined> {
    const { options, service, ledger } = this.#job;
    const own = wantedItems(this.#day);
    if (this.#isNew && options.merge === 'add' && own.length > 0) {
      return { outcome: 'rejected', ...words.addText(this.#date), attempts: 0 };
    }
    const isOfOther = ledger.nutrition.isOfOtherToken(this.#date);
    if (isOfOther && options.merge !== 'replace-day') {
      return { outcome: 'rejected', ...words.otherTokenText(this.#date), attempts: 0 };
    }
    if (service.adds) return await this.#sendUnsent();
    const { items, fields, sentFields } = this.#day;
    const leaving = items.filter(({ state }) => state === 'dropped');
    // What an interrupted undo takes back needs no note.
    const dropped = leaving.filter(({ undone }) => undone !== true);
    this.#gone = withoutVersion(dropped, items.filter(isToSend));
    const hasItems = own.length > 0 || leaving.length > 0;
    if (!hasItems && sameJson(fields, sentFields)) return this.#replaced();
    const posted = await this.#post(hasItems ? own : undefined, 'always');
    if (posted.kind === 'coach-watts') {
      this.#learn(posted);
      return undefined;
    }
    const copies = copiesIn(posted.items ?? [], own);
    if (copies.length === 0) return this.#replaced();
    service.noteAdds();
    return this.#conflict(words.addsText(this.#date, copies), copies, own);
  }

  /**
   * Sends the items that were never sent to a platform that should replace a day and adds to it. A repetition would double the
   * day, so it stays a conflict until an answer shows each item once.
   */
  async #sendUnsent(): Promise<DayOutcome | undefined> {
    const { items, fields, sentFields } = this.#day;
    const own = wantedItems(this.#day);
    const unsent = items.filter(({ state }) => state === 'new');
    const unsure = items.filter(({ state }) => state === 'unanswered' || state === 'dropped');
    const isOpen = this.#stored.status === 'open' || unsure.length > 0;
    const isComplete = unsent.length === 0 && sameJson(fields, sentFields);
    const posted = isComplete ? undefined : await this.#post(unsent, 'unless-acted-on');
    if (posted?.kind === 'coach-watts') {
      this.#learn(posted);
      return undefined;
    }
    const shown = posted?.items ?? [];
    const surplus = copiesIn(shown, own);
    const isRight =
      posted?.items !== undefined &&
      surplus.length === 0 &&
      own.every(({ body }) => shown.some((item) => holdsItem(item.body, body))) &&
      !unsure.some(
        ({ state, body }) =>
          state === 'dropped' && shown.some((item) => holdsItem(item.body, body)),
      );
    if (isRight || (posted?.items === undefined && !isOpen)) return this.#replaced();
    return this.#conflict(words.addsText(this.#date, surplus), surplus, own);
  }

  /** Takes an answer of Coach Watts for the next look. @param before what the day held before the request */
  #learn({ items = [] }: PostAnswer, before: readonly ShownItem[] = []): void {
    this.#job.service.learnSource(before, items);
    this.#next = { items, isAnswer: true };
  }

  /** Ends the delivery of a day to a platform that has replaced it. */
  #replaced(): DayOutcome {
    const { record, options } = this.#job;
    const attempts = this.#attempts;
    const endsUndo = this.#day.items.every((item) => isDropped(item) && item.undone === true);
    const items = this.#day.items.flatMap((item): SentItem[] => {
      // Items that the user took back stay away.
      if (isDropped(item)) return item.undone === true ? [{ ...item, state: 'gone' }] : [];
      return [isPending(item) ? statedItem(item) : item];
    });
    this.#put('settled', { items });
    this.#job.ledger.nutrition.forgetOtherTokens(this.#date);
    this.#noteGone();
    if (attempts === 0) return atRest(this.#day);
    if (options.remember) return { outcome: 'undone', attempts };
    if (items.length > 0 && endsUndo) return atRest(this.#day);
    if (!this.#isNew) return { outcome: 'pushed', attempts };
    this.#job.warn(words.unseenNote(record));
    return { outcome: 'pushed', attempts, unseen: true };
  }

  /** Sends items with the day's fields; without a list, the fields alone. @throws SyncError as the service does */
  async #post(items: Bodies | undefined, repeatable: Repeatable): Promise<PostAnswer> {
    const { service, ledger } = this.#job;
    const { fields } = this.#day;
    const before = this.#stored;
    const sent = this.#day.items.map((item): SentItem =>
      isToSend(item) ? { ...item, state: 'unanswered' } : item,
    );
    this.#put('open', { items: sent });
    try {
      const body = nutritionBody(this.#date, { items, fields });
      const posted = await this.#counted(service.post(body, repeatable));
      for (const note of leftNotes(this.#job.record, posted)) this.#job.warn(note);
      this.left = posted.left;
      const taken = Object.entries(fields).filter(([name]) => !posted.left.includes(name));
      this.#day = { ...this.#day, sentFields: Object.fromEntries(taken) };
      return posted;
    } catch (error) {
      if (!isUnclear(error)) ledger.nutrition.put(this.#date, before);
      throw error;
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

  /**
   * Removes items from Coach Watts.
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
      if (removal === 'no-route') stuck.push(item);
    }
    return stuck;
  }

  /** @param stuck surplus items that cannot be removed from here */
  #finish(stuck: readonly ShownItem[] = []): DayOutcome {
    const { options, service, isReview } = this.#job;
    const attempts = this.#attempts;
    const isStuck = stuck.length > 0;
    const items = this.#day.items.map((item) => (isStuck ? item : passed(item, 'dropped', 'gone')));
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
    return { outcome: 'pushed', attempts };
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
