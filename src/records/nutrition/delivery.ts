import type { Context } from '../../base/context.ts';
import { SyncError, endsRun } from '../../base/errors.ts';
import type { DayItem, LedgerDay } from '../../ledger/nutrition.ts';
import type { RecordAnswer } from '../../api/client.ts';
import { documentItem } from '../../api/document-fields.ts';
import type { Repeatable } from '../../api/retry.ts';
import { sameJson } from '../digest.ts';
import { MAX_INTEGER } from '../fields.ts';
import { leftNotes } from '../notes.ts';
import type { DayOutcome, JsonObject, PreparedRecord, Warning } from '../types.ts';
import { type Look, type Plan, type Removal, type ShownItem, merge } from './merge.ts';
import {
  type DayInputs,
  type MergePolicy,
  type Ours,
  hasUndone,
  isHeld,
  isLeaving,
  isUndone,
  nutritionBody,
  oursOf,
  resends,
} from './ours.ts';
import type { NutritionService } from './service.ts';
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

/** A day to deliver. */
export interface DayJob extends DayInputs {
  /** As in `PreparedRecord`. */
  readonly sources: readonly string[];
  readonly programs: PreparedRecord['programs'];
  readonly policy: MergePolicy;
  /** What a list for the whole run showed. */
  readonly listed: readonly ShownItem[] | undefined;
  /** The platform may hold something else than the ledger knows. */
  readonly isDoubtful: boolean;
  readonly dryRun: boolean;
  readonly warn: (warning: Warning) => void;
}

export class DayDelivery {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #job: DayJob;
  readonly #service: NutritionService;
  readonly #date: string;
  /** What the day should hold, after the last request. */
  ours: Ours;
  /** The row of the ledger. */
  #row: LedgerDay;
  /** Requests that were to change the day, with their repetitions; looks do not count. */
  #attempts = 0;
  /** Ids of the items that the platform showed before the first request. */
  #before: ReadonlySet<string> = new Set();
  /** What a list or an answer showed, in place of the next look. */
  #next: Look | undefined;
  #failure: SyncError | undefined;
  /** What the last request left out since the platform refused it; the day is sent again when it may take that. */
  refused: Pick<RecordAnswer, 'left' | 'reason'> = { left: [] };
  /** Nothing of the day is known to have arrived. */
  readonly #isNew: boolean;
  /** An earlier run was to take the day back, and did not end. */
  readonly #endsUndo: boolean;

  constructor(context: Pick<Context, 'clock' | 'signal'>, service: NutritionService, job: DayJob) {
    this.#context = context;
    this.#service = service;
    this.#job = job;
    const { date, known, listed } = job;
    this.#date = date;
    this.ours = oursOf(job, job.policy);
    this.#next = listed && { items: listed, isListed: true };
    const versions = job.parts
      .filter(({ input }) => input.kind === 'source')
      .map(({ input, asOf }) => [input.name, asOf] as const);
    const stated = Object.entries(job.programs).filter(([name]) => name in job.fields);
    this.#row = {
      ...known,
      asOf: { ...known.asOf, ...Object.fromEntries(versions) },
      programs: { ...known.programs, ...Object.fromEntries(stated) },
    };
    const { items, sentFields, status } = known;
    const isSure = items.length > 0 && Boolean(service.ledger.find('nutrition', date)?.digest);
    const isUnsure = items.every(({ state }) => state === 'unsure');
    this.#isNew = !isSure && isUnsure && sameJson(sentFields, {});
    this.#endsUndo = status === 'open' && isUndoneDay(known);
  }

  /** The day, as the ledger has it. */
  get day(): LedgerDay {
    return this.#row;
  }

  /** Delivers the day. @throws SyncError of a failed request, `STORAGE`, `INTERRUPTED` */
  async run(): Promise<DayOutcome> {
    const outcome = this.#outcomeWithoutRequest();
    if (outcome !== undefined) return outcome;
    try {
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        const outcome = await this.#round();
        if (outcome === undefined) continue;
        if (outcome.outcome === 'pushed') this.#sayUndone();
        for (const note of leftNotes(this.#job, this.refused)) this.#job.warn(note);
        return outcome;
      }
    } catch (error) {
      if (!(error instanceof SyncError) || endsRun(error.code)) throw error;
      throw error.with({ details: { attempts: this.#attempts } });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#conflict(words.unstableText(this.#date));
  }

  /** Decides what needs no look at the platform. */
  #outcomeWithoutRequest(): DayOutcome | undefined {
    const { policy, isDoubtful, dryRun, warn } = this.#job;
    const { elsewhere, waiting, partialTotals, fields } = this.ours;
    this.#say('elsewhere', elsewhere);
    this.#say('moved', waiting);
    const plan = this.#merge();
    const excess = this.#excess(plan);
    if (excess !== undefined) return excess;
    const isAsked = policy.force || resends(policy);
    const looksAnew = isAsked && plan.keep.length + plan.post.length > 0;
    if (this.#isDone(plan) && !isDoubtful && !looksAnew) {
      // Another input may hold an item now, or no longer.
      if (!dryRun) this.#put(this.#row.status, plan, plan.keep);
      return this.#unchanged();
    }
    if (partialTotals.length > 0)
      warn(words.dayNote(this.#job, 'partialTotals', partialTotals.join(', ')));
    if (!dryRun) return undefined;
    if (this.#service.knownKind === 'interface') {
      const refusal = this.#refusalToReplace(plan);
      if (refusal !== undefined) return refusal;
      if (this.#isNew) warn(words.dayNote(this.#job, 'unseen'));
    }
    this.#noteGone(plan.remove);
    const body = nutritionBody(this.#date, wholeList(plan), fields);
    return {
      outcome: 'would-push',
      request: { method: 'POST', url: this.#service.url.href, body },
    };
  }

  /** @returns undefined if another look has to follow */
  async #round(): Promise<DayOutcome | undefined> {
    const { policy, warn } = this.#job;
    const service = this.#service;
    const isAdding = await this.#isAdding();
    if (await service.takeOverruled()) warn(words.dayNote(this.#job, 'overruled'));
    if (!isAdding) return await this.#replace(this.#merge());
    const look = this.#next ?? (await service.look(this.#date, this.ours.fields));
    this.#next = undefined;
    if (!(await this.#isAdding())) return undefined;
    const plan = this.#merge(look);
    if (look === undefined) {
      const isFirst = this.#row.items.length === 0;
      const adds = await service.addsUnseen();
      if (isFirst || (adds && plan.post.length > 0)) {
        return (await this.#send(plan)) && isFirst ? this.#finish(plan) : undefined;
      }
      // Nothing needs to be sent, and reading cannot show more.
      const text = words.unseenText(this.#date, adds);
      return this.#isDone(plan) ? this.#finish(plan) : this.#conflict(text);
    }
    if (plan.source !== undefined) service.noteSource(plan.source);
    for (const note of words.newsNotes(this.#job, plan.news)) warn(note);
    if (policy.merge === 'replace-day') this.#say('others', plan.others);
    return this.#excess(plan, plan.others) ?? (await this.#add(look, plan));
  }

  /** Checks that the platform adds to a day, as Coach Watts does. */
  async #isAdding(): Promise<boolean> {
    return (await this.#service.kind(this.#date)) === 'coach-watts';
  }

  /** @param theirs what the platform shows; undefined if that is nothing */
  #merge(theirs?: Look): Plan {
    if (theirs !== undefined && this.#attempts === 0)
      this.#before = new Set(theirs.items.flatMap(({ id = [] }) => id));
    return merge(this.#row, this.ours.items, theirs, this.#service.sources, this.#policy);
  }

  get #policy(): MergePolicy {
    const { policy } = this.#job;
    return this.#attempts === 0 ? policy : { ...policy, before: policy.before ?? this.#before };
  }

  /** Checks that a day needs no request. */
  #isDone({ post, remove, conflicts, news }: Plan): boolean {
    const isChanged = [post, remove, conflicts, news].some((list) => list.length > 0);
    return !isChanged && this.#hasFields();
  }

  /** Checks that the platform has the day's own fields. */
  #hasFields(): boolean {
    return sameJson(this.ours.fields, this.#row.sentFields);
  }

  /** Returns the outcome of a day with more calories than a platform can store. A stated total overrides the sum. */
  #excess(plan: Plan, others: Bodies = []): DayOutcome | undefined {
    const [source = ''] = this.#job.sources;
    const all = [...heldItems(plan), ...others];
    const sum = all.reduce((total, { body }) => total + Number(body['calories'] ?? 0), 0);
    if ('calories' in this.ours.fields || Math.round(sum) <= MAX_INTEGER) return undefined;
    const problem = `the items of ${this.#date} add up to ${sum} kcal, and a platform stores at most ${MAX_INTEGER}`;
    const about = { field: 'calories', problem };
    return { outcome: 'invalid', source, ...about, problems: [about] };
  }

  /** Sends the missing items to Coach Watts, then removes the surplus ones. */
  async #add(look: Look, plan: Plan): Promise<DayOutcome | undefined> {
    const isComplete = plan.post.length === 0 && this.#hasFields();
    if (!isComplete && !(await this.#send(plan))) return undefined;
    if (plan.remove.length === 0) return this.#finish(plan);
    // A removal follows a look at once.
    if (look.isListed === true) return undefined;
    const stuck = await this.#remove(plan);
    if (stuck === undefined) return undefined;
    // The platform has recalculated the day's own fields.
    const isRestored = stuck.length > 0 || sameJson(this.ours.fields, {});
    if (!isRestored && !(await this.#send({ ...plan, post: [] }))) return undefined;
    return this.#finish(plan, stuck);
  }

  /**
   * Sends items to Coach Watts.
   *
   * @returns false if the day has to be compared again: the answer shows it, or is unclear
   */
  async #send(plan: Plan): Promise<boolean> {
    const { post } = plan;
    try {
      const posted = await this.#post(plan, post, post.length > 0 ? 'unless-acted-on' : 'always');
      if (posted.items !== undefined || !(await this.#isAdding())) return false;
      if (posted.json === undefined) return true;
      // Coach Watts gives no such answer, so it confirms nothing.
      this.#failure = new SyncError('SERVICE_ANSWER', words.unclearText(this.#date));
    } catch (error) {
      if (!isUnclear(error) || endsRun(error.code)) throw error;
      this.#failure = error;
    }
    await this.#context.clock.sleep(SETTLE_MS, this.#context.signal);
    return false;
  }

  /** Refuses a day whose earlier items are not known here, and would be lost. */
  #refusalToReplace(plan: Plan): DayOutcome | undefined {
    const { merge } = this.#job.policy;
    const own = heldItems(plan);
    if (this.#isNew && merge === 'add' && own.length > 0)
      return this.#conflict(words.addText(this.#date), [], own);
    const isOfOther = this.#service.ledger.nutrition.isOfOtherToken(this.#date);
    return isOfOther && merge !== 'replace-day'
      ? this.#conflict(words.otherTokenText(this.#date), [], own)
      : undefined;
  }

  /**
   * Sends the whole day to a platform that replaces it. An empty list goes out only if the last own item leaves, since
   * it would erase what others wrote.
   *
   * @returns undefined if the answer proves that the platform adds to days: then it is the next look
   */
  async #replace(plan: Plan): Promise<DayOutcome | undefined> {
    const { warn } = this.#job;
    const service = this.#service;
    const { nutrition } = service.ledger;
    const refusal = this.#refusalToReplace(plan);
    if (refusal !== undefined) return refusal;
    const list = wholeList(plan);
    const sent = [...plan.keep, ...plan.post].map((item) => withState(item, 'base'));
    if (list !== undefined || !this.#hasFields()) {
      const whole = { ...plan, keep: plan.keep.map((item) => withState(item, 'unsure')) };
      await this.#post(whole, list, await service.repeatable());
      if (await this.#isAdding()) {
        if (this.refused.left.length > 0) this.#completeItems(plan);
        return undefined;
      }
      const answer = this.#next && this.#merge(this.#next);
      if (answer?.remove.some(({ why }) => why === 'copy') === true) {
        service.ledger.platform.note('nutrition', 'adds');
        return undefined;
      }
      const left = answer?.remove.map(({ shown }) => shown) ?? [];
      if (left.length > 0) return this.#finish({ ...plan, keep: sent, post: [] }, left);
    }
    nutrition.forgetOtherTokens(this.#date);
    this.#noteGone(plan.remove);
    const items = sent.filter((item) => !isLeaving(item) || isUndone(item));
    const outcome = this.#finish({ ...plan, keep: items, post: [] });
    if (outcome.outcome !== 'pushed' || !this.#isNew) return outcome;
    warn(words.dayNote(this.#job, 'unseen'));
    return { ...outcome, unseen: true };
  }

  /** Counts the items that were sent without refused fields as earlier versions: the platform takes the whole ones. */
  #completeItems(plan: Plan): void {
    const sent = this.#row.items.map((item) =>
      item.state === 'unsure' ? { ...item, body: documentItem(item.body) } : item,
    );
    this.#put('open', plan, sent);
    this.ours = oursOf({ ...this.#job, known: this.#row }, this.#job.policy);
  }

  /** Sends items with the day's fields; without a list, the fields alone. @throws SyncError as the service does */
  async #post(plan: Plan, items: Bodies | undefined, repeatable: Repeatable) {
    const { fields } = this.ours;
    const before = this.#row;
    const posted = plan.post.map((item) => withState(item, 'unsure'));
    this.#put('open', plan, [...plan.keep, ...posted]);
    try {
      const body = nutritionBody(this.#date, items, fields);
      const answer = await this.#counted(this.#service.post(body, repeatable));
      this.refused = answer;
      if (answer.items !== undefined) this.#next = { items: answer.items, isAnswer: true };
      const taken = Object.entries(fields).filter(([name]) => !answer.left.includes(name));
      this.#row = { ...this.#row, sentFields: Object.fromEntries(taken) };
      return answer;
    } catch (error) {
      if (!isUnclear(error)) this.#service.ledger.nutrition.put(this.#date, before);
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
  async #remove(plan: Plan): Promise<readonly ShownItem[] | undefined> {
    const stuck: ShownItem[] = [];
    const removed: Removal[] = [];
    try {
      for (const each of plan.remove) {
        this.#put('open', plan, this.#itemsAfter(plan), {});
        const { status } = await this.#counted(this.#service.remove(this.#date, each.shown));
        // The day changed in the meantime.
        if (status === 409) return undefined;
        if (status < 300) removed.push(each);
        else stuck.push(each.shown);
      }
      return stuck;
    } finally {
      this.#noteGone(removed);
    }
  }

  /** @param stuck surplus items that cannot be removed from here */
  #finish(plan: Plan, stuck: readonly ShownItem[] = []): DayOutcome {
    const { before, undo } = this.#policy;
    const attempts = this.#attempts;
    const isStuck = stuck.length > 0;
    const isSettled = before === undefined || this.#service.canList !== true;
    const items = this.#itemsAfter(plan);
    this.#put(isStuck ? 'open' : isSettled ? 'settled' : 'fresh', plan, items);
    const { conflicts } = plan;
    if (isStuck || conflicts.length > 0) {
      const theirs = conflicts.flatMap(({ edited }) => (edited ? [{ body: edited }] : []));
      const text = words.conflictText(this.#date, stuck, conflicts);
      return this.#conflict(text, [...stuck, ...theirs], conflicts);
    }
    if (undo?.remember === true && attempts > 0) return { outcome: 'undone', attempts };
    const isUnchanged = attempts === 0 || (this.#endsUndo && isUndoneDay(this.#row));
    return isUnchanged ? this.#unchanged() : { outcome: 'pushed', attempts };
  }

  /** Returns the items of a day after its requests. No answer has shown the posted ones. */
  #itemsAfter({ post, keep }: Plan): readonly DayItem[] {
    return post.length === 0 ? keep : this.ours.items;
  }

  /** Returns the outcome of a day without a request. */
  #unchanged(): DayOutcome {
    const isBack = this.ours.undone.length > 0 || this.#undoneFields.length > 0;
    const isTakenBack = this.#policy.undo === undefined ? isBack : hasUndone(this.#row);
    return { outcome: 'skipped', reason: isTakenBack ? 'undone' : 'unchanged' };
  }

  /** The fields of the inputs that the user has taken back. */
  get #undoneFields(): readonly string[] {
    return Object.keys(this.#job.fields).filter((name) => name in this.ours.undoneFields);
  }

  #sayUndone(): void {
    this.#say('undone', this.ours.undone);
    const fields = this.#undoneFields;
    if (fields.length > 0) this.#job.warn(words.dayNote(this.#job, 'undone', fields.join(', ')));
  }

  #noteGone(removed: readonly Removal[]): void {
    const gone = removed.filter(({ why }) => why === 'gone').map(({ shown }) => shown);
    this.#say(this.#job.dryRun ? 'goneLater' : 'gone', gone);
  }

  #say(what: words.ItemNote, items: Bodies): void {
    for (const note of words.itemNotes(this.#job, what, items)) this.#job.warn(note);
  }

  #conflict(text: words.ConflictText, stored: Bodies = [], intended: Bodies = []): DayOutcome {
    const bodies = (items: Bodies) => items.map(({ body }) => body);
    const lists = { stored: bodies(stored), intended: bodies(intended) };
    return { outcome: 'conflict', ...text, ...lists, attempts: this.#attempts };
  }

  /** Writes the day to the ledger. */
  #put(
    status: LedgerDay['status'],
    { seen: others }: Plan,
    items: readonly DayItem[],
    sentFields = this.#row.sentFields,
  ): void {
    this.ours = { ...this.ours, items };
    const { fields, undoneFields: undone } = this.ours;
    const sent = items.filter(({ state }) => state !== undefined);
    this.#row = { ...this.#row, items: sent, fields, undone, others, sentFields, status };
    this.#service.ledger.nutrition.put(this.#date, this.#row);
  }
}

/** Checks that the user took back all that is known of a day. */
function isUndoneDay(day: LedgerDay): boolean {
  return hasUndone(day) && day.items.every(isUndone) && sameJson(day.fields, {});
}

/** Returns the items that a day should hold, in the version that stays. */
function heldItems({ keep, post }: Plan): readonly DayItem[] {
  return [...keep.filter(isHeld), ...post].map((item) =>
    item.edited === undefined ? item : { ...item, body: item.edited },
  );
}

/** Returns all items of a day; undefined if the day has none, and none leaves it. */
function wholeList(plan: Plan): readonly DayItem[] | undefined {
  const items = heldItems(plan);
  return items.length > 0 || plan.remove.length > 0 ? items : undefined;
}

/** Returns an item of the day in another state, unless it is not to be sent. */
function withState(item: DayItem, state: 'unsure' | 'base'): DayItem {
  return isLeaving(item) || item.state === 'away' ? item : { ...item, state };
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
