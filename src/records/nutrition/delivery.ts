import type { Context } from '../../base/context.ts';
import { SyncError, endsRun } from '../../base/errors.ts';
import type { LedgerDay, SentItem } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import type { Repeatable } from '../../api/retry.ts';
import { sameJson } from '../digest.ts';
import { MAX_INTEGER } from '../fields.ts';
import { leftNotes } from '../notes.ts';
import type { DayOutcome, JsonObject, PreparedRecord, Warning } from '../types.ts';
import { holdsItem } from './items.ts';
import { type Look, type Merge, type Removal, type ShownItem, copiesIn, merge } from './merge.ts';
import {
  type DayInputs,
  type Item,
  type MergePolicy,
  isHeld,
  isLeaving,
  isUndone,
  nutritionBody,
} from './ours.ts';
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

/** A day to deliver. Its body follows from the merge. */
export type NutritionRecord = Omit<PreparedRecord & { readonly kind: 'nutrition' }, 'body'>;

/** One day of a run. */
export interface DayJob {
  readonly record: NutritionRecord;
  readonly policy: MergePolicy;
  readonly ledger: RecordLedger;
  readonly service: NutritionService;
  readonly around: DayInputs['around'];
  /** What a list for the whole run showed. */
  readonly listed: readonly ShownItem[] | undefined;
  /** The day was sent in this run already. */
  readonly isReview: boolean;
  readonly warn: (warning: Warning) => void;
}

/** Merges a day that the platform does not show. */
export function mergeBlindly(
  known: LedgerDay,
  record: NutritionRecord,
  around: DayInputs['around'],
  policy: MergePolicy,
): Merge {
  return merge({ ...record, known, around, sources: [], isLater: false }, policy);
}

/** Checks that a day needs no request. */
export function isDone(day: Merge, { items, sentFields }: LedgerDay): boolean {
  const isSame =
    day.leaving.every((item) => items.includes(item)) &&
    day.leaving.length === items.filter(isLeaving).length;
  const isOpen = day.post.length > 0 || day.conflicts.length > 0;
  return isSame && !isOpen && sameJson(day.fields, sentFields);
}

/** Returns the items that a day should hold, in the version that stays. */
export function heldItems({ wanted }: Merge): readonly Item[] {
  return wanted.filter(isHeld).map((item) => ({ ...item, body: item.edited ?? item.body }));
}

/** Returns the outcome of a day with more calories than a platform can store. A stated total overrides the sum. */
export function excessOf(
  { date, sources: [source = ''] }: NutritionRecord,
  items: Bodies,
  fields: JsonObject,
): DayOutcome | undefined {
  const sum = items.reduce((total, { body }) => total + Number(body['calories'] ?? 0), 0);
  if ('calories' in fields || Math.round(sum) <= MAX_INTEGER) return undefined;
  const problem = `the items of ${date} add up to ${sum} kcal, and a platform stores at most ${MAX_INTEGER}`;
  const about = { field: 'calories', problem };
  return { outcome: 'invalid', source, ...about, problems: [about] };
}

/** Returns the outcome of a day without a request. */
export function unchangedDay(items: readonly SentItem[]): DayOutcome {
  return { outcome: 'skipped', reason: items.some(isUndone) ? 'undone' : 'unchanged' };
}

export class DayDelivery {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #job: DayJob;
  readonly #date: string;
  /** The row of the ledger. */
  #row: LedgerDay;
  /** Requests that were to change the day, with their repetitions; looks do not count. */
  #attempts = 0;
  /** What a list or an answer showed, in place of the next look. */
  #next: Look | undefined;
  #failure: SyncError | undefined;
  /** Fields that the platform refused; the day is sent again when it may take them. */
  left: readonly string[] = [];
  /** Nothing of the day is known to have arrived. */
  readonly #isNew: boolean;

  constructor(context: Pick<Context, 'clock' | 'signal'>, job: DayJob, row: LedgerDay) {
    this.#context = context;
    this.#job = job;
    this.#date = job.record.date;
    this.#next = job.listed && { items: job.listed, isListed: true };
    this.#row = row;
    const { items, sentFields } = row;
    const isSure = items.length > 0 && Boolean(job.ledger.find('nutrition', this.#date)?.digest);
    const isUnsure = items.every(({ state }) => state === 'unsure');
    this.#isNew = !isSure && isUnsure && sameJson(sentFields, {});
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
    if (kind === 'interface') return await this.#replace(this.#merge());
    const look = await this.#look();
    if (look !== undefined) {
      const day = this.#merge(look);
      if (day.source !== undefined) service.noteSource(day.source);
      for (const note of words.newsNotes(record, day.news)) this.#job.warn(note);
      const isReplaced = this.#job.policy.merge === 'replace-day';
      if (isReplaced && day.others.length > 0) this.#job.warn(words.othersNote(record, day.others));
      const excess = excessOf(record, [...heldItems(day), ...day.others], day.fields);
      return excess ?? (await this.#add(look, day));
    }
    if ((await service.kind(this.#date)) === 'interface') return undefined;
    const day = this.#merge();
    if (this.#row.items.length === 0) {
      return (await this.#send(day)) ? this.#finish(day) : undefined;
    }
    // Nothing needs to be sent, and reading cannot show more.
    const isFinished = isDone(day, this.#row);
    return isFinished ? this.#finish(day) : this.#conflict(words.unseenText(this.#date));
  }

  async #look(): Promise<Look | undefined> {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    const { fields } = this.#merge();
    const items = await this.#job.service.look(this.#date, fields);
    return items && { items };
  }

  #merge(theirs?: Look): Merge {
    const { record, around, service, isReview } = this.#job;
    const isLater = this.#attempts === 0 && !isReview;
    const { sources } = service;
    const day = { ...record, known: this.#row, around, theirs, sources, isLater };
    const resends = isLater && this.#job.policy.merge === 'replace-day';
    return merge(day, { ...this.#job.policy, resends });
  }

  /** Sends the missing items to Coach Watts, then removes the surplus ones. */
  async #add(look: Look, day: Merge): Promise<DayOutcome | undefined> {
    const isComplete = day.post.length === 0 && sameJson(day.fields, this.#row.sentFields);
    if (!isComplete && !(await this.#send(day))) return undefined;
    if (day.remove.length === 0) return this.#finish(day);
    // A removal follows a look at once.
    if (look.isListed === true) return undefined;
    const stuck = await this.#remove(day);
    if (stuck === undefined) return undefined;
    // The platform has recalculated the day's own fields.
    const isRestored = stuck.length > 0 || sameJson(day.fields, {});
    if (!isRestored && !(await this.#send({ ...day, post: [] }))) return undefined;
    return this.#finish(day, stuck);
  }

  /**
   * Sends items to Coach Watts.
   *
   * @returns false if the day has to be compared again: the answer shows it, or is unclear
   */
  async #send(day: Merge): Promise<boolean> {
    const { post } = day;
    try {
      const posted = await this.#post(day, post, post.length > 0 ? 'unless-acted-on' : 'always');
      if (posted.items !== undefined || posted.kind === 'interface') return false;
      if (!posted.isUnclear) return true;
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
  async #replace(day: Merge): Promise<DayOutcome | undefined> {
    const { policy, service, ledger } = this.#job;
    const own = heldItems(day);
    if (this.#isNew && policy.merge === 'add' && own.length > 0) {
      return { outcome: 'rejected', ...words.addText(this.#date), attempts: 0 };
    }
    const isOfOther = ledger.nutrition.isOfOtherToken(this.#date);
    if (isOfOther && policy.merge !== 'replace-day') {
      return { outcome: 'rejected', ...words.otherTokenText(this.#date), attempts: 0 };
    }
    const { items, sentFields, status } = this.#row;
    // An interrupted undo sends no fields.
    const isUndoing = status === 'open' && sameJson(this.#row.fields, {});
    const isOut = (item: SentItem) =>
      !items.includes(item) || (isUndone(item) ? isUndoing : status === 'open');
    const leaving = day.leaving.filter(isOut);
    if (service.adds) return await this.#sendUnsent(day, leaving);
    const hasItems = own.length > 0 || leaving.length > 0;
    if (!hasItems && sameJson(day.fields, sentFields)) return this.#replaced(day);
    const sent = {
      ...day,
      keep: day.keep.map((item) => (isHeld(item) ? { ...item, state: 'unsure' as const } : item)),
    };
    const posted = await this.#post(sent, hasItems ? own : undefined, 'always');
    if (posted.kind === 'coach-watts') return undefined;
    const copies = copiesIn(posted.items ?? [], own);
    if (copies.length === 0) return this.#replaced(day);
    service.noteAdds();
    return this.#conflict(words.addsText(this.#date, copies), copies, own);
  }

  /**
   * Sends the items that were never sent to a platform that should replace a day and adds to it. A repetition would double the
   * day, so it stays a conflict until an answer shows each item once.
   */
  async #sendUnsent(day: Merge, leaving: readonly SentItem[]): Promise<DayOutcome | undefined> {
    const own = heldItems(day);
    const isOpen = this.#row.status === 'open' || leaving.length > 0;
    const isComplete = day.post.length === 0 && sameJson(day.fields, this.#row.sentFields);
    const posted = isComplete ? undefined : await this.#post(day, day.post, 'unless-acted-on');
    if (posted?.kind === 'coach-watts') return undefined;
    const shown = posted?.items ?? [];
    const surplus = copiesIn(shown, own);
    const isThere = ({ body }: Item) => shown.some((item) => holdsItem(item.body, body));
    const isRight =
      posted?.items !== undefined &&
      surplus.length === 0 &&
      own.every(isThere) &&
      !leaving.some(isThere);
    if (isRight || (posted?.items === undefined && !isOpen)) return this.#replaced(day);
    return this.#conflict(words.addsText(this.#date, surplus), surplus, own);
  }

  /** Ends the delivery of a day to a platform that has replaced it. */
  #replaced(day: Merge): DayOutcome {
    const { record, policy } = this.#job;
    const attempts = this.#attempts;
    const endsUndo = day.wanted.length === 0 && day.leaving.every(isUndone);
    const items = [...day.wanted, ...day.leaving.filter(isUndone)].map((item): SentItem => ({
      ...item,
      state: item.state === 'away' ? 'away' : 'base',
    }));
    this.#put('settled', day, { items });
    this.#job.ledger.nutrition.forgetOtherTokens(this.#date);
    this.#noteGone(day.remove);
    if (attempts === 0) return unchangedDay(items);
    if (policy.remember) return { outcome: 'undone', attempts };
    if (items.length > 0 && endsUndo) return unchangedDay(items);
    if (!this.#isNew) return { outcome: 'pushed', attempts };
    this.#job.warn(words.unseenNote(record));
    return { outcome: 'pushed', attempts, unseen: true };
  }

  /** Sends items with the day's fields; without a list, the fields alone. @throws SyncError as the service does */
  async #post(day: Merge, items: Bodies | undefined, repeatable: Repeatable): Promise<PostAnswer> {
    const { service, ledger, record } = this.#job;
    const { fields } = day;
    const before = this.#row;
    const posted = day.post.map((item): SentItem => ({ ...item, state: 'unsure' }));
    this.#put('open', day, { items: [...day.keep, ...posted] });
    try {
      const body = nutritionBody(this.#date, items, fields);
      const answer = await this.#counted(service.post(body, repeatable));
      for (const note of leftNotes(record, answer)) this.#job.warn(note);
      this.left = answer.left;
      if (answer.items !== undefined) this.#next = { items: answer.items, isAnswer: true };
      const taken = Object.entries(fields).filter(([name]) => !answer.left.includes(name));
      this.#row = { ...this.#row, sentFields: Object.fromEntries(taken) };
      return answer;
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
  async #remove(day: Merge): Promise<readonly ShownItem[] | undefined> {
    const { service } = this.#job;
    const stuck: ShownItem[] = [];
    const removed: Removal[] = [];
    try {
      for (const each of day.remove) {
        this.#put('open', day, { sentFields: {} });
        const { removal } = await this.#counted(service.remove(this.#date, each.shown));
        if (removal === 'changed') return undefined;
        if (removal === 'no-route') stuck.push(each.shown);
        else removed.push(each);
      }
      return stuck;
    } finally {
      this.#noteGone(removed);
    }
  }

  /** @param stuck surplus items that cannot be removed from here */
  #finish(day: Merge, stuck: readonly ShownItem[] = []): DayOutcome {
    const { policy, service, isReview } = this.#job;
    const attempts = this.#attempts;
    const isStuck = stuck.length > 0;
    const isSettled = (attempts === 0 && !isReview) || service.canList !== true;
    // The answer has not shown the posted items.
    const items = day.post.length === 0 ? day.keep : this.#row.items;
    this.#put(isStuck ? 'open' : isSettled ? 'settled' : 'fresh', day, { items });
    const { conflicts } = day;
    if (isStuck || conflicts.length > 0) {
      const theirs = conflicts.flatMap(({ edited }) => (edited ? [{ body: edited }] : []));
      const text = words.conflictText(this.#date, stuck, conflicts);
      return this.#conflict(text, [...stuck, ...theirs], conflicts);
    }
    if (attempts === 0) return unchangedDay(items);
    if (policy.remember) return { outcome: 'undone', attempts };
    return { outcome: 'pushed', attempts };
  }

  #noteGone(removed: readonly Removal[]): void {
    const gone = removed.filter(({ isGone }) => isGone).map(({ shown }) => shown);
    if (gone.length > 0) this.#job.warn(words.goneNote(this.#job.record, gone, false));
  }

  #conflict(text: words.ConflictText, stored: Bodies = [], intended: Bodies = []): DayOutcome {
    const bodies = (items: Bodies) => items.map(({ body }) => body);
    const lists = { stored: bodies(stored), intended: bodies(intended) };
    return { outcome: 'conflict', ...text, ...lists, attempts: this.#attempts };
  }

  /** Writes the day to the ledger. */
  #put(status: LedgerDay['status'], day: Merge, change: Partial<LedgerDay> = {}): void {
    const { keep: items, fields, seen: others } = day;
    this.#row = { ...this.#row, items, fields, others, ...change, status };
    this.#job.ledger.nutrition.put(this.#date, this.#row);
  }
}

type Bodies = readonly { readonly body: JsonObject }[];

/** Checks that the service may have acted on a request that failed, or on an earlier try of it. */
function isUnclear(error: unknown): error is SyncError {
  if (!(error instanceof SyncError)) return false;
  const { delivery, attempts } = error.details;
  const mayHaveActed =
    Number(attempts) > 1 || error.code === 'SERVICE_ANSWER' || endsRun(error.code);
  return delivery === 'unknown' || (mayHaveActed && delivery !== 'not-sent');
}
