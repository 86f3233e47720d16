import type { SyncError } from '../base/errors.ts';
import type { NutritionItemRef } from '../api/client.ts';
import {
  type DayContent,
  EMPTY_DAY,
  type IntendedDay,
  type SentDay,
  type SentItem,
} from '../ledger/nutrition.ts';
import { type Outdated, type ShownItem, compareDay, withoutId } from './day-match.ts';
import { sameContent } from './day-plan.ts';
import { holdsItem, instantOf, itemIdentity, itemKey, sameInput } from './items.ts';
import { sameJson } from './digest.ts';
import { type Look, type Posted, type Tally, outgoing } from './nutrition-service.ts';
import {
  type DayNeeds,
  type DayOptions,
  type NutritionRecord,
  isEmpty,
  planDay,
} from './nutrition-plan.ts';
import * as words from './nutrition-words.ts';
import type { JsonObject, Warning } from './types.ts';

/**
 * Delivers a nutrition day so that each item is at the service exactly once, although no service says
 * if it replaces a day or adds to it. Unless it is known to replace, a day takes two steps: learn what
 * it holds, then send only what it lacks. The ledger holds the debt from before the first step until
 * the service has confirmed the second. So a request that may have been processed is never repeated:
 * the first step shows what became of it.
 */

/** The outcome of a nutrition day. */
export type DayOutcome =
  | { readonly outcome: 'pushed'; readonly attempts: number }
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'rejected';
      readonly status?: number;
      readonly message: string;
      readonly attempts: number;
    }
  | {
      readonly outcome: 'conflict';
      /** What the service holds, and should not. */
      readonly stored: readonly JsonObject[];
      /** What it should hold instead. */
      readonly intended: readonly JsonObject[];
      readonly message: string;
      readonly hint: string;
      readonly attempts: number;
    }
  /** A failure of the network or the service; the debt stays in the ledger. */
  | { readonly outcome: 'failed'; readonly failure: SyncError; readonly attempts: number }
  /** The service shows no items, so only a person can tell if the items arrived. */
  | { readonly outcome: 'unclear'; readonly count: number; readonly attempts: number }
  /** `--dry-run` */
  | {
      readonly outcome: 'would-push';
      readonly content: DayContent;
      /** How the day is looked at first, if it is. */
      readonly look: 'read' | 'empty-post' | undefined;
      /** Items that are removed then, if the service still shows them. */
      readonly removals: readonly Pick<NutritionItemRef, 'id' | 'meal'>[];
    };

/** Attempts to bring a day to what it should hold, each beginning with what the service shows. */
const MAX_ROUNDS = 5;

/** Pause before a look at a day whose last request may still be in progress behind a gateway (ms). */
const SETTLE_MS = 2_000;

/** @throws SyncError `STORAGE`, `INTERRUPTED` */
export async function deliverDay(
  record: NutritionRecord,
  options: DayOptions,
  needs: DayNeeds,
): Promise<DayOutcome> {
  const { date } = record;
  const { ledger, service } = needs;
  let known = ledger.nutrition.day(date);
  if (known.unclear && options.assumeArrived) {
    const content = known.intended ?? known.stored;
    if (!options.dryRun) ledger.nutrition.settle(date, content);
    known = { stored: content, intended: undefined, unclear: false };
  }
  if (known.unclear && !options.force) {
    return { outcome: 'unclear', count: known.intended?.items.length ?? 0, attempts: 0 };
  }
  const { content, gone, moved, partialTotals } = planDay(
    record,
    known.intended ?? known.stored,
    options,
    needs,
  );
  const isSettled = known.intended === undefined && sameContent(content, known.stored);
  if (moved.length > 0) needs.warn(words.movedNote(record, moved));
  // The platform may hold something else by now.
  const looksAnew = options.force || options.merge === 'replace-day';
  if (isSettled && (!looksAnew || isEmpty(content))) return { outcome: 'unchanged' };
  if (partialTotals.length > 0) needs.warn(words.partialTotalsNote(record, partialTotals));
  if (
    outgoing(content).items.length === 0 &&
    service.kind !== 'append' &&
    known.stored.items.length > 0
  ) {
    needs.warn(words.emptiesNote(record, date));
  }
  if (options.dryRun) {
    if (gone.length > 0 && !options.undo) needs.warn(words.goneNote(record, gone, true));
    const looksFirst = service.kind !== 'replace' && !service.isOpaque;
    const items = looksFirst
      ? outgoing(content).items.filter(
          ({ body }) => !known.stored.items.some((item) => sameInput(item.body, body)),
        )
      : outgoing(content).items;
    const by = (await service.canRead()) ? 'read' : 'empty-post';
    return {
      outcome: 'would-push',
      content: { ...content, items },
      look: looksFirst ? by : undefined,
      removals: looksFirst && service.canRemove ? removals(known.stored, content) : [],
    };
  }
  const before = [...(known.intended?.items ?? []), ...(known.intended?.maybe ?? [])];
  const maybe = before.filter(
    ({ body }) => !content.items.some((item) => sameInput(item.body, body)),
  );
  ledger.nutrition.intend(date, { ...content, maybe });
  return await new DayDelivery(record, content, { ...known, maybe, gone }, options, needs).run();
}

/** Items with an id that the day is to hold no longer, or in another version. */
function removals(
  { items }: DayContent,
  content: DayContent,
): readonly { readonly id: string; readonly meal: string }[] {
  return items.flatMap(({ id, meal, body, removed }) => {
    if (id === undefined || meal === undefined || removed === true) return [];
    const stays = content.items.some((item) => item.id === id && sameInput(item.body, body));
    return stays ? [] : [{ id, meal }];
  });
}

/** What the ledger knows of a day, beside what the day should hold. */
interface Past extends SentDay {
  readonly maybe: readonly SentItem[];
  /** Items that the input no longer has. */
  readonly gone: readonly SentItem[];
}

/** One day on its way. */
class DayDelivery {
  readonly #record: NutritionRecord;
  #content: DayContent;
  readonly #stored: DayContent;
  readonly #maybe: readonly SentItem[];
  readonly #gone: readonly SentItem[];
  readonly #tally: Tally = { attempts: 0 };
  /** The debt that this day had before. */
  readonly #before: IntendedDay | undefined;
  /** May a request of this run have changed the day? */
  #touched = false;
  /** Has an item been removed since the day's own fields were last sent? */
  #hasRemoved: boolean;
  readonly #options: DayOptions;
  readonly #needs: DayNeeds;
  /** Copies that this run itself may have caused. */
  #mayRemoveExtra: boolean;

  constructor(
    record: NutritionRecord,
    content: DayContent,
    { stored, intended, maybe, gone }: Past,
    options: DayOptions,
    needs: DayNeeds,
  ) {
    this.#maybe = maybe;
    this.#gone = options.undo ? [] : gone;
    this.#before = intended;
    this.#hasRemoved = intended !== undefined;
    this.#record = record;
    this.#content = content;
    this.#stored = stored;
    this.#options = options;
    this.#needs = needs;
    this.#mayRemoveExtra = options.force || options.undo;
  }

  async run(): Promise<DayOutcome> {
    const { clock, signal } = this.#needs;
    let next: Step = 'again';
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      if (next === 'settle') await clock.sleep(SETTLE_MS, signal);
      const outcome = await this.#round(next);
      if (typeof outcome === 'object') return outcome;
      next = outcome;
    }
    return this.#unsettled(this.#failure);
  }

  async #round(step: Step): Promise<DayOutcome | Step> {
    const { service } = this.#needs;
    if (service.isSaidToReplace) return await this.#whole('always');
    if (service.isOpaque) return await this.#blind();
    if (service.refusesEmpty || (service.kind === 'replace' && step !== 'settle')) {
      return await this.#whole('unless-acted-on');
    }
    return await this.#twoSteps(step === 'empty-post' ? step : undefined);
  }

  /** The athlete's edits, and other devices' items, are known and kept. */
  #heeded = false;
  /** By their content: items that are sent as the athlete edited them. */
  readonly #asShown = new Map<string, SentItem>();
  readonly #said = new Set<string>();
  /** How often a day without items was refused. */
  #refusals = 0;
  /** Of the last request that may have been processed. */
  #failure: SyncError | undefined;

  #unsettled(failure: SyncError | undefined): DayOutcome {
    const { attempts } = this.#tally;
    if (!this.#touched) this.#restore();
    if (failure !== undefined) return { outcome: 'failed', failure, attempts };
    return {
      outcome: 'conflict',
      stored: [],
      intended: outgoing(this.#content).items.map(({ body }) => body),
      message: `${this.#record.date} changed at the service each time that it was looked at.`,
      hint: 'Wait until no other device sends this day, then run the same command again.',
      attempts,
    };
  }

  /** An item that is about to be removed from here was not removed by the athlete. */
  #forgetId(id: string | undefined): void {
    const { items, fields } = this.#content;
    if (id === undefined || !items.some((item) => item.id === id)) return;
    this.#content = {
      fields,
      items: items.map((item) => (item.id === id ? withoutId(item) : item)),
    };
    this.#needs.ledger.nutrition.intend(this.#record.date, {
      ...this.#content,
      maybe: this.#maybe,
    });
  }

  /** Reports something about the day, once. */
  #warn(warning: Warning): void {
    if (this.#said.has(warning.message)) return;
    this.#said.add(warning.message);
    this.#needs.warn(warning);
  }

  /** Nothing was sent: the day is as it was. */
  #restore(): void {
    const { nutrition } = this.#needs.ledger;
    nutrition.restore(this.#record.date);
    if (this.#before !== undefined) nutrition.intend(this.#record.date, this.#before);
  }

  async #post(content: DayContent, repeatable: 'always' | 'unless-acted-on'): Promise<Posted> {
    const { service } = this.#needs;
    const posted = await service.post(this.#record.date, content, repeatable, this.#tally);
    if (posted.kind === 'taken' || posted.kind === 'unclear') this.#touched = true;
    return posted;
  }

  async #look(by: 'empty-post' | undefined): Promise<Look> {
    const { service } = this.#needs;
    const { fields } = this.#content;
    const look = await service.look(this.#record.date, fields, this.#tally, by);
    if (look.kind === 'unclear' || (look.kind === 'shown' && look.by === 'empty-post')) {
      this.#touched = true;
    }
    return look;
  }

  /** Sends the whole day to a service that replaces days. */
  async #whole(repeatable: 'always' | 'unless-acted-on'): Promise<DayOutcome | Step> {
    const { service, ledger } = this.#needs;
    const { date } = this.#record;
    if (!service.isSaidToReplace && !this.#heeded && (await service.canRead())) {
      const look = await this.#look(undefined);
      if (look.kind === 'failed' || look.kind === 'unclear') return this.#unsettled(look.failure);
      if (look.kind === 'shown' && look.by === 'read') this.#heed(look.items);
    }
    const content = outgoing(this.#content);
    if (service.refusesEmpty) ledger.nutrition.markUnclear(date);
    const posted = await this.#post(
      {
        ...content,
        items: content.items.map((item) => this.#asShown.get(itemKey(item.body)) ?? item),
      },
      repeatable,
    );
    switch (posted.kind) {
      case 'failed':
        if (service.refusesEmpty) this.#restore();
        return this.#unsettled(posted.failure);
      case 'unclear':
        this.#failure = posted.failure;
        if (service.refusesEmpty) return this.#unclear(content.items);
        return repeatable === 'always' ? this.#unsettled(posted.failure) : 'settle';
      case 'rejected':
        if (this.#before !== undefined && service.kind === 'replace') {
          return await this.#putBack(posted, outgoing(this.#stored).items);
        }
        this.#restore();
        return this.#rejected(posted);
      case 'taken':
        break;
    }
    const { items } = posted;
    if (items === undefined) return this.#finish(content.items);
    const seen = this.#compare(items);
    if (seen.extra.length > 0 || seen.outdated.length > 0) {
      // It added to the day. What is there twice is there by this request.
      this.#learnKind('append');
      this.#mayRemoveExtra = true;
      if (!service.refusesEmpty) return 'empty-post';
      const rest = { stuck: seen.outdated, foreign: [], extra: seen.extra };
      return this.#finish(seen.present, rest);
    }
    if (this.#stored.items.some(({ id }) => id !== undefined) && !seen.knowsIds) {
      this.#learnKind('replace');
    } else {
      const proof = await this.#prove(seen.present);
      if (proof !== undefined) return proof;
    }
    return this.#finish([
      ...this.#adopt(seen.present, seen.missing, items, new Set()),
      ...seen.edited.map(({ item }) => item),
    ]);
  }

  /**
   * Before a whole day is sent: what the day is known to hold of the athlete's edits, and of what
   * another device sent, stays.
   */
  #heed(shown: readonly ShownItem[]): void {
    this.#heeded = true;
    const { present, edited, removed, adopted } = this.#compare(shown);
    const isOwn = this.#options.undo || this.#options.merge === 'replace-day';
    const gone = new Set(isOwn ? [] : removed.map(({ id }) => id));
    const items = this.#content.items.map((item): SentItem => {
      if (item.id !== undefined && gone.has(item.id)) return { ...item, removed: true };
      const isBack = present.some(({ body }) => sameInput(body, item.body));
      return item.removed === true && isBack ? withoutId(item) : item;
    });
    const others = isOwn ? [] : adopted.map(withoutId);
    for (const { item, shown: there } of edited) {
      this.#asShown.set(itemKey(item.body), { ...item, body: there.body });
    }
    this.#content = { ...this.#content, items: [...items, ...others] };
    this.#needs.ledger.nutrition.intend(this.#record.date, {
      ...this.#content,
      maybe: this.#maybe,
    });
    if (edited.length > 0) this.#warn(words.editedNote(this.#record, edited));
    const news = removed.filter((item) => gone.has(item.id) && !this.#wasRemoved(item));
    if (news.length > 0) this.#warn(words.removedNote(this.#record, news));
  }

  /** Did an earlier run find out that the athlete removed it? */
  #wasRemoved({ id }: SentItem): boolean {
    return this.#stored.items.some((item) => item.id === id && item.removed === true);
  }

  /** Learns what the day holds, then sends what it lacks. */
  async #twoSteps(by: 'empty-post' | undefined): Promise<DayOutcome | Step> {
    const { service } = this.#needs;
    const { date } = this.#record;
    const { fields } = this.#content;
    const look = await this.#look(by);
    switch (look.kind) {
      case 'failed':
      case 'unclear':
        return this.#unsettled(look.failure);
      case 'opaque':
        service.learnOpaque();
        this.#warn(words.opaqueNote(this.#record, 'not-shown'));
        return 'again';
      case 'refused': {
        // One refusal may be a proxy's, and on a service that appends the whole day would be doubled.
        if (service.kind === 'append') {
          this.#restore();
          return this.#rejected(look);
        }
        if (++this.#refusals < 2) return 'again';
        // If the day itself is refused too, it was not the empty list.
        service.refusesEmpty = true;
        const outcome = await this.#whole('unless-acted-on');
        service.refusesEmpty = typeof outcome !== 'object' || outcome.outcome !== 'rejected';
        if (service.refusesEmpty) this.#warn(words.opaqueNote(this.#record, 'refused'));
        return outcome;
      }
      case 'shown':
        break;
    }
    let seen = this.#compare(look.items);
    if (this.#options.merge === 'replace-day' && seen.removed.length > 0) {
      // The input decides what the day holds: what the athlete removed is sent again.
      for (const { id } of seen.removed) this.#forgetId(id);
      seen = this.#compare(look.items);
    }
    const emptied = look.by === 'empty-post';
    const holdsOurs = seen.knowsIds || seen.present.length > 0;
    if (emptied && holdsOurs) this.#learnKind('append');
    if (emptied && !holdsOurs && hasIds(this.#stored) && service.kind === 'append') {
      service.forgetKind();
    }

    const removed = new Set<string | undefined>();
    const stuck: Outdated[] = [];
    const surplus = this.#mayRemoveExtra ? seen.extra.map((shown) => ({ shown })) : [];
    for (const item of [...seen.outdated, ...surplus]) {
      this.#forgetId(item.shown.id);
      const removal = await service.remove(date, item.shown, this.#tally);
      // A failed removal may have been processed.
      if (typeof removal === 'object' || removal === 'removed') this.#touched = true;
      if (typeof removal === 'object') return this.#unsettled(removal.failure);
      if (removal === 'changed') return 'again';
      if (removal === 'removed') removed.add(item.shown.id);
      // A service that replaces days needs no removal; an empty day shows which kind this is.
      else if (look.by === 'read' && service.kind !== 'append') return 'empty-post';
      else stuck.push(item);
    }
    const conflicts = {
      stuck: service.canRemove ? stuck : [...stuck, ...seen.foreign],
      foreign: service.canRemove ? seen.foreign : [],
      extra: this.#mayRemoveExtra ? [] : seen.extra,
    };
    const held = new Set(stuck.flatMap(({ next }) => (next === undefined ? [] : [next])));
    const missing = seen.missing.filter((item) => !held.has(item));
    if (seen.edited.length > 0) this.#warn(words.editedNote(this.#record, seen.edited));
    const newlyRemoved = seen.removed.filter((item) => !this.#wasRemoved(item));
    if (newlyRemoved.length > 0) this.#warn(words.removedNote(this.#record, newlyRemoved));
    const rest = [
      ...seen.edited.map(({ item }) => item),
      ...seen.removed,
      ...(this.#options.undo ? [] : seen.adopted),
      ...this.#stored.items.filter(
        ({ id }) => id !== undefined && stuck.some(({ shown }) => shown.id === id),
      ),
    ];
    /** Did an interrupted run remove an item, and not send what was to take its place? */
    const isRemovedBefore = ({ id, body }: SentItem) =>
      this.#before !== undefined &&
      !this.#content.items.some((item) => item.id === id) &&
      !look.items.some((item) => item.id === id || itemIdentity(item.body) === itemIdentity(body));
    // Removing an item, perhaps in an earlier round or run, makes the service work out the day's own
    // fields anew.
    this.#hasRemoved ||= removed.size > 0;
    const fieldsWait =
      (this.#hasRemoved && Object.keys(fields).length > 0) ||
      (look.by === 'read' && !sameJson(fields, this.#stored.fields));
    if (missing.length === 0 && !fieldsWait)
      return this.#finish([...seen.present, ...rest], conflicts);

    const posted = await this.#post({ items: missing, fields }, 'unless-acted-on');
    switch (posted.kind) {
      case 'failed':
        return this.#unsettled(posted.failure);
      case 'unclear':
        this.#failure = posted.failure;
        return 'settle';
      case 'rejected':
        return await this.#putBack(
          posted,
          emptied && !holdsOurs
            ? outgoing(this.#stored).items
            : this.#stored.items.filter(
                (item) => item.id !== undefined && (removed.has(item.id) || isRemovedBefore(item)),
              ),
        );
      case 'taken':
        break;
    }
    if (posted.items === undefined) {
      return this.#finish([...seen.present, ...missing, ...rest], conflicts);
    }
    const { items } = posted;
    const isThere = (item: Pick<ShownItem, 'id' | 'body'>) =>
      items.some(({ id, body }) =>
        item.id === undefined ? holdsItem(body, item.body) : id === item.id,
      );
    const own = items.find(({ id }) => !look.items.some((item) => item.id === id))?.source;
    if (own !== undefined) service.learnSource(own);
    const others = [...seen.edited, ...seen.foreign].map(({ shown }) => shown);
    const stayed = [...seen.present, ...this.#compare(look.items).adopted, ...others];
    if (stayed.length > 0) {
      if (!stayed.some(isThere)) {
        this.#learnKind('replace');
        this.#heed(look.items);
        return 'again';
      }
      this.#learnKind('append');
    }
    const after = compareDay(items, [...seen.present, ...missing], {
      stored: { items: seen.present, fields: {} },
      maybe: [],
      source: service.source,
      force: false,
    });
    const before = new Set(look.items.map(({ id }) => id));
    const present = this.#adopt(after.present, after.missing, items, before);
    const proof = await this.#prove(
      present.filter((item) => missing.some(({ body }) => sameInput(body, item.body))),
    );
    if (proof === 'again' && look.by === 'read') this.#heed(look.items);
    if (proof !== undefined) return proof;
    const extra = after.extra.filter(({ id }) => !stuck.some(({ shown }) => shown.id === id));
    return this.#finish([...present, ...rest], { ...conflicts, extra });
  }

  /**
   * Sends a day to a service whose answers show no items: whole, as the interface says, or only what
   * the ledger does not know to be there if the user says that it appends.
   */
  async #blind(): Promise<DayOutcome | Step> {
    const { service, ledger } = this.#needs;
    const { date } = this.#record;
    const { items, fields } = outgoing(this.#content);
    const left = [...this.#stored.items];
    const known = items.filter((item) => {
      const found = left.findIndex(({ body }) => sameInput(body, item.body));
      if (found !== -1) left.splice(found, 1);
      return found !== -1;
    });
    const appends = service.kind === 'append';
    const stale = appends
      ? left.map((item): Outdated => {
          const next = items.find(({ body }) => itemIdentity(item.body) === itemIdentity(body));
          return { shown: { body: item.body }, ...(next === undefined ? {} : { next }) };
        })
      : [];
    const held = new Set(stale.map(({ next }) => next));
    const news = appends ? items.filter((item) => !known.includes(item) && !held.has(item)) : items;
    const fieldsWait = !sameJson(fields, this.#stored.fields);
    const conflicts = { stuck: stale, foreign: [], extra: [] };
    const after = [...(appends ? known : []), ...news, ...(appends ? left : [])];
    if (appends && news.length === 0 && !fieldsWait) return this.#finish(after, conflicts);
    if (news.length > 0) ledger.nutrition.markUnclear(date);
    const repeatable = news.length > 0 ? 'unless-acted-on' : 'always';
    const posted = await this.#post({ items: news, fields }, repeatable);
    switch (posted.kind) {
      case 'taken':
        return this.#finish(after, conflicts);
      case 'rejected':
        this.#restore();
        return this.#rejected(posted);
      case 'failed':
        this.#restore();
        return this.#unsettled(posted.failure);
      case 'unclear':
        return this.#unclear(news);
    }
  }

  #unclear(items: readonly SentItem[]): DayOutcome {
    return { outcome: 'unclear', count: items.length, attempts: this.#tally.attempts };
  }

  /**
   * Finds out what kind of service this is, once a run: items that an empty day does not take away
   * were added. They are sent again if it did.
   *
   * @param delivered what the last request added to the day.
   * @returns undefined if nothing more has to be sent.
   */
  async #prove(delivered: readonly SentItem[]): Promise<DayOutcome | Step | undefined> {
    const { service, moreFollow } = this.#needs;
    if (service.isConfirmed || delivered.length === 0) return undefined;
    if (service.kind !== undefined && !moreFollow) return undefined;
    if (service.isSaidToReplace) return undefined;
    const look = await this.#look('empty-post');
    // The day may be empty now: the debt stays.
    if (look.kind === 'failed' || look.kind === 'unclear') return this.#unsettled(look.failure);
    if (look.kind !== 'shown') return undefined;
    const isThere = delivered.some((item) =>
      look.items.some(({ body }) => holdsItem(body, item.body)),
    );
    this.#learnKind(isThere ? 'append' : 'replace');
    return isThere ? undefined : 'again';
  }

  /**
   * Puts back what this run took away, by the first step or by removing items: the second step was
   * refused.
   */
  async #putBack(
    rejected: Extract<Posted, { kind: 'rejected' }>,
    taken: readonly SentItem[],
  ): Promise<DayOutcome> {
    const { service, ledger } = this.#needs;
    const { date } = this.#record;
    ledger.nutrition.intend(date, { ...this.#stored, maybe: [] });
    if (taken.length === 0) {
      ledger.nutrition.settle(date, this.#stored);
      return this.#rejected(rejected);
    }
    const lost = taken.map(withoutId);
    const content = { items: lost, fields: this.#stored.fields };
    const posted = await this.#post(content, 'unless-acted-on');
    // The debt stays: the next run puts it back.
    if (posted.kind !== 'taken') return this.#rejected(rejected);
    const { present, missing } = compareDay(posted.items ?? [], lost, {
      stored: EMPTY_DAY,
      maybe: [],
      source: service.source,
      force: false,
    });
    const kept = this.#stored.items.filter((item) => !taken.includes(item));
    ledger.nutrition.settle(date, { ...this.#stored, items: [...kept, ...present, ...missing] });
    return this.#rejected(rejected);
  }

  #rejected({ status, message }: { status?: number; message: string }): DayOutcome {
    const { attempts } = this.#tally;
    return { outcome: 'rejected', message, attempts, ...(status === undefined ? {} : { status }) };
  }

  #compare(shown: readonly ShownItem[], wanted: readonly SentItem[] = this.#content.items) {
    const { source } = this.#needs.service;
    const force = this.#options.force || this.#options.undo;
    return compareDay(shown, wanted, { stored: this.#stored, maybe: this.#maybe, source, force });
  }

  #learnKind(kind: 'replace' | 'append'): void {
    const { service } = this.#needs;
    const before = service.contradicted;
    service.learnKind(kind);
    const setting = service.contradicted;
    if (before === undefined && setting !== undefined) {
      this.#warn(words.contradictedNote(this.#record, setting, kind));
    }
  }

  /**
   * Gives ids to items that the service stored with other values than were sent.
   *
   * @param before ids that were there before the request.
   */
  #adopt(
    present: readonly SentItem[],
    notFound: readonly SentItem[],
    shown: readonly ShownItem[],
    before: ReadonlySet<string | undefined>,
  ): readonly SentItem[] {
    const { service } = this.#needs;
    const taken = new Set([...before, ...present.map(({ id }) => id)]);
    const own = shown.find(
      ({ id, source }) =>
        source !== undefined &&
        id !== undefined &&
        !before.has(id) &&
        present.some((item) => item.id === id),
    );
    if (own?.source !== undefined) service.learnSource(own.source);
    const missing: SentItem[] = [];
    const adapted = notFound.map((item) => {
      const at = instantOf(item.body);
      const found = shown.find(
        ({ id, body }) => id !== undefined && !taken.has(id) && instantOf(body) === at,
      );
      if (found?.id === undefined) {
        missing.push(item);
        return item;
      }
      taken.add(found.id);
      this.#warn(words.adaptedNote(this.#record, item, found));
      return { ...item, id: found.id };
    });
    if (missing.length > 0) this.#warn(words.notShownNote(this.#record, missing));
    return [...present, ...adapted];
  }

  #finish(
    items: readonly SentItem[],
    conflicts: words.Conflicts = { stuck: [], foreign: [], extra: [] },
  ): DayOutcome {
    const { ledger } = this.#needs;
    const { date } = this.#record;
    const { attempts } = this.#tally;
    const removed = this.#content.items.filter(
      (item) => item.removed === true && !items.some(({ id }) => id === item.id),
    );
    ledger.nutrition.settle(date, { items: [...items, ...removed], fields: this.#content.fields });
    const { stuck, foreign, extra } = conflicts;
    const gone = this.#gone.filter(
      ({ id, body }) =>
        !stuck.some(({ shown }) =>
          id === undefined ? holdsItem(shown.body, body) : shown.id === id,
        ),
    );
    if (gone.length > 0) this.#warn(words.goneNote(this.#record, gone, false));
    const wrong = [...stuck, ...foreign];
    if (wrong.length === 0 && extra.length === 0) return { outcome: 'pushed', attempts };
    return {
      outcome: 'conflict',
      stored: [...wrong.map((item) => item.shown.body), ...extra.map(({ body }) => body)],
      intended: wrong.flatMap(({ next }) => (next === undefined ? [] : [next.body])),
      ...words.conflictText(date, conflicts),
      attempts,
    };
  }
}

/** What comes next: another round, one after a pause, or one that begins with an empty day. */
type Step = 'again' | 'settle' | 'empty-post';

function hasIds({ items }: DayContent): boolean {
  return items.some(({ id, removed }) => id !== undefined && removed !== true);
}
