import type { Text } from '../../base/phrase.ts';
import type { SyncError } from '../../base/errors.ts';
import type { NutritionItemRef } from '../../api/client.ts';
import {
  type DayContent,
  EMPTY_DAY,
  type IntendedDay,
  type SentDay,
  type SentItem,
} from '../../ledger/nutrition.ts';
import { type Comparison, type ShownItem, compareDay, withoutId } from './day-match.ts';
import { holdsItem, instantOf, itemKey, itemSet } from './items.ts';
import type { DayOptions, DayTarget, NutritionRecord } from './plan.ts';
import { type Look, type NutritionService, type Posted, type Tally, outgoing } from './service.ts';
import * as words from './words.ts';
import type { JsonObject, Warning } from '../types.ts';

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
      /** Items that the service holds, and should not. */
      readonly stored: readonly JsonObject[];
      /** Items that it should hold instead. */
      readonly intended: readonly JsonObject[];
      readonly message: string;
      readonly hint: Text;
      readonly attempts: number;
    }
  /** The network or the service failed; the debt stays in the ledger. */
  | { readonly outcome: 'failed'; readonly failure: SyncError; readonly attempts: number }
  /** The service shows no items, so only a person can tell if the items arrived. */
  | { readonly outcome: 'unclear'; readonly count: number; readonly attempts: number }
  /** `--dry-run` */
  | {
      readonly outcome: 'would-push';
      readonly content: DayContent;
      /** How sync would first learn what the day holds, if it would. */
      readonly look: 'read' | 'empty-post' | undefined;
      /** Items that it would then remove, if the service still shows them. */
      readonly removals: readonly Pick<NutritionItemRef, 'id' | 'meal'>[];
    };

/** The next attempt at a day that has no outcome yet. */
export type NextStep =
  | 'retry'
  /** Its last request may still be in progress behind a gateway. */
  | 'retry-after-pause'
  /** The day is looked at by sending one without items. */
  | 'retry-with-empty-day';

/** What the ledger knows of a day, apart from what the day should hold. */
export interface Past extends SentDay {
  readonly maybe: readonly SentItem[];
  /** Items that the input no longer has. */
  readonly gone: readonly SentItem[];
}

/**
 * The state of one nutrition day during its delivery, and the steps that the ways of sending it share.
 */
export class DayState {
  readonly record: NutritionRecord;
  readonly options: DayOptions;
  readonly target: DayTarget;
  readonly service: NutritionService;
  /** What the day should hold. */
  content: DayContent;
  /** What the service confirmed before this run. */
  readonly stored: DayContent;
  /** Items of earlier intentions, which the service may hold. */
  readonly maybe: readonly SentItem[];
  readonly gone: readonly SentItem[];
  /** The debt that an earlier run left. */
  readonly earlierDebt: IntendedDay | undefined;
  readonly tally: Tally = { attempts: 0 };
  /** A request of this run may have changed the day. */
  mayHaveChanged = false;
  /** An item has been removed since the day's own fields were last sent. */
  hasRemoved: boolean;
  /** Copies may be removed: this run itself may have caused them, or the user asks for it. */
  mayRemoveExtra: boolean;
  /** The athlete's edits, and other devices' items, are known and kept. */
  keepsEdits = false;
  /** The items that the athlete edited, as the platform shows them, by the key of our version. */
  readonly editedBodies = new Map<string, SentItem>();
  /** How often the service refused a day without items. */
  refusedEmptyDays = 0;
  /** The failure of the last request that may have been processed. */
  lastFailure: SyncError | undefined;
  readonly #said = new Set<string>();

  constructor(
    record: NutritionRecord,
    content: DayContent,
    { stored, intended, maybe, gone }: Past,
    options: DayOptions,
    target: DayTarget,
  ) {
    this.record = record;
    this.options = options;
    this.target = target;
    this.service = target.service;
    this.content = content;
    this.stored = stored;
    this.maybe = maybe;
    this.gone = options.undo === undefined ? gone : [];
    this.earlierDebt = intended;
    this.hasRemoved = intended !== undefined;
    this.mayRemoveExtra = options.force || options.undo !== undefined;
  }

  /** Warns of something about the day, once. */
  warn(warning: Warning): void {
    if (this.#said.has(String(warning.message))) return;
    this.#said.add(String(warning.message));
    this.target.warn(warning);
  }

  /** Sends a day. */
  async post(content: DayContent, repeatable: 'always' | 'unless-acted-on'): Promise<Posted> {
    const { service } = this.target;
    const posted = await service.post(this.record.date, content, repeatable, this.tally);
    if (posted.kind === 'taken' || posted.kind === 'unclear') this.mayHaveChanged = true;
    return posted;
  }

  /** Learns what the day holds. */
  async look(by: 'empty-post' | undefined): Promise<Look> {
    const { service } = this.target;
    const { fields } = this.content;
    const look = await service.look(this.record.date, fields, this.tally, by);
    const isEmptied = look.kind === 'opaque' || (look.kind === 'shown' && look.by === 'empty-post');
    if (look.kind === 'unclear' || isEmptied) this.mayHaveChanged = true;
    return look;
  }

  /** Compares what the service shows with what the day should hold. */
  compare(shown: readonly ShownItem[]): Comparison {
    const { source, kind } = this.service;
    const { force, undo } = this.options;
    const { stored, maybe } = this;
    const removeEdited = force || undo !== undefined;
    const idsLast = kind === 'append';
    const untouched = this.earlierDebt === undefined && !this.mayHaveChanged;
    const known = { stored, maybe, source, idsLast, untouched };
    return compareDay(shown, this.content.items, { ...known, force, removeEdited });
  }

  /**
   * Adds the athlete's edits, and the items of other devices, to what the day should hold. Called
   * before the whole day is sent.
   */
  keepEdits(shown: readonly ShownItem[]): void {
    this.keepsEdits = true;
    const { present, edited, removed, adopted } = this.compare(shown);
    const isOwn = this.options.merge === 'replace-day';
    const gone = new Set(isOwn ? [] : removed.map(({ id }) => id));
    const back = itemSet(present);
    const items = this.content.items.map((item): SentItem => {
      if (item.id !== undefined && gone.has(item.id)) return { ...item, removed: true };
      return item.removed === true && back.has(item.body) ? withoutId(item) : item;
    });
    const others = isOwn ? [] : adopted.map(withoutId);
    for (const { item, shown: there } of edited) {
      this.editedBodies.set(itemKey(item.body), { ...item, body: there.body });
    }
    this.content = { ...this.content, items: [...items, ...others] };
    this.target.ledger.nutrition.intend(this.record.date, {
      ...this.content,
      maybe: this.maybe,
    });
    if (edited.length > 0) this.warn(words.editedNote(this.record, edited));
    const news = removed.filter((item) => gone.has(item.id) && !this.wasRemoved(item));
    if (news.length > 0) this.warn(words.removedNote(this.record, news));
  }

  /** Checks if an earlier run found that the athlete removed this item. */
  wasRemoved({ id }: SentItem): boolean {
    return this.stored.items.some((item) => item.id === id && item.removed === true);
  }

  /** Forgets the id of an item that sync itself is about to remove: the athlete did not remove it. */
  forgetId(id: string | undefined): void {
    const { items, fields } = this.content;
    if (id === undefined || !items.some((item) => item.id === id)) return;
    this.content = {
      fields,
      items: items.map((item) => (item.id === id ? withoutId(item) : item)),
    };
    this.target.ledger.nutrition.intend(this.record.date, {
      ...this.content,
      maybe: this.maybe,
    });
  }

  /**
   * Gives ids to items that the service stored with other values than were sent.
   *
   * @param before ids that the day held before the request
   */
  adopt(
    present: readonly SentItem[],
    notFound: readonly SentItem[],
    shown: readonly ShownItem[],
    before: ReadonlySet<string | undefined>,
  ): readonly SentItem[] {
    const { service } = this.target;
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
      this.warn(words.adaptedNote(this.record, item, found));
      return { ...item, id: found.id };
    });
    if (missing.length > 0) this.warn(words.notShownNote(this.record, missing));
    return [...present, ...adapted];
  }

  /** Records the kind of service, and warns if the user's setting contradicts it. */
  learnKind(kind: 'replace' | 'append'): void {
    const { service } = this.target;
    const before = service.contradicted;
    service.learnKind(kind);
    const setting = service.contradicted;
    if (before === undefined && setting !== undefined) {
      this.warn(words.contradictedNote(this.record, setting, kind));
    }
  }

  /**
   * Finds out the kind of service, once a run, by sending a day without items. A service that appends
   * still holds the items afterwards; a service that replaces needs them again.
   *
   * @param delivered the items that the last request added to the day
   * @returns undefined if nothing more has to be sent
   */
  async proveKind(delivered: readonly SentItem[]): Promise<DayOutcome | NextStep | undefined> {
    const { service, moreFollow, ledger } = this.target;
    if (service.isConfirmed || delivered.length === 0) return undefined;
    if (service.kind !== undefined && !moreFollow) return undefined;
    if (service.isSaidToReplace) return undefined;
    const proof = await this.look('empty-post');
    // The day may be empty now: the debt stays.
    const look = proof.kind === 'opaque' ? await this.look(undefined) : proof;
    if (look.kind === 'failed' || look.kind === 'unclear') return this.unsettled(look.failure);
    if (proof.kind === 'refused') return undefined;
    if (look.kind !== 'shown') {
      ledger.nutrition.markUnclear(this.record.date);
      return this.unclear(delivered);
    }
    const isThere = delivered.some((item) =>
      look.items.some(({ body }) => holdsItem(body, item.body)),
    );
    this.learnKind(isThere ? 'append' : 'replace');
    return isThere ? undefined : 'retry';
  }

  /**
   * Restores the items that this run removed, by an empty day or one by one, after the service
   * refused the new ones.
   */
  async putBack(
    rejected: Extract<Posted, { kind: 'rejected' }>,
    taken: readonly SentItem[],
  ): Promise<DayOutcome> {
    const { service, ledger } = this.target;
    const { date } = this.record;
    ledger.nutrition.intend(date, { ...this.stored, maybe: [] });
    if (taken.length === 0) {
      ledger.nutrition.settle(date, this.stored);
      return this.rejected(rejected);
    }
    const lost = taken.map(withoutId);
    const content = { items: lost, fields: this.stored.fields };
    const posted = await this.post(content, 'unless-acted-on');
    // The debt stays: the next run puts it back.
    if (posted.kind !== 'taken') return this.rejected(rejected);
    const { present, missing } = compareDay(posted.items ?? [], lost, {
      stored: EMPTY_DAY,
      maybe: [],
      source: service.source,
      force: false,
    });
    const kept = this.stored.items.filter((item) => !taken.includes(item));
    ledger.nutrition.settle(date, { ...this.stored, items: [...kept, ...present, ...missing] });
    return this.rejected(rejected);
  }

  /** Restores the ledger's view of the day from before this run, since nothing was sent. */
  restore(): void {
    const { nutrition } = this.target.ledger;
    nutrition.restore(this.record.date);
    if (this.earlierDebt !== undefined) nutrition.intend(this.record.date, this.earlierDebt);
  }

  /** Records what the service holds now. */
  finish(
    items: readonly SentItem[],
    conflicts: words.Conflicts = { stuck: [], foreign: [], extra: [] },
  ): DayOutcome {
    const { ledger } = this.target;
    const { date } = this.record;
    const { attempts } = this.tally;
    const removed = this.content.items.filter(
      (item) => item.removed === true && !items.some(({ id }) => id === item.id),
    );
    ledger.nutrition.settle(date, { items: [...items, ...removed], fields: this.content.fields });
    const { stuck, foreign, extra } = conflicts;
    const gone = this.gone.filter(
      ({ id, body }) =>
        !stuck.some(({ shown }) =>
          id === undefined ? holdsItem(shown.body, body) : shown.id === id,
        ),
    );
    if (gone.length > 0) this.warn(words.goneNote(this.record, gone, false));
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

  rejected({ status, message }: { status?: number; message: string }): DayOutcome {
    const { attempts } = this.tally;
    return { outcome: 'rejected', message, attempts, ...(status === undefined ? {} : { status }) };
  }

  /** Ends the attempts. The debt stays in the ledger if the day may have changed. */
  unsettled(failure: SyncError | undefined): DayOutcome {
    const { attempts } = this.tally;
    if (!this.mayHaveChanged) this.restore();
    if (failure !== undefined) return { outcome: 'failed', failure, attempts };
    return {
      outcome: 'conflict',
      stored: [],
      intended: outgoing(this.content).items.map(({ body }) => body),
      message: `${this.record.date} changed at the service each time that it was looked at.`,
      hint: 'Wait until no other device sends this day, then run the same command again.',
      attempts,
    };
  }

  /** Ends with items of which only a person can tell if they arrived. */
  unclear(items: readonly SentItem[]): DayOutcome {
    return { outcome: 'unclear', count: items.length, attempts: this.tally.attempts };
  }
}
