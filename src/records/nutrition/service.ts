import type { Context } from '../../base/context.ts';
import { SyncError } from '../../base/errors.ts';
import type { DayContent, NutritionTraits, SentItem } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import { NUTRITION_DAYS, type Removal, type ServiceClient } from '../../api/client.ts';
import { isAboutTheItem } from '../../api/refusal.ts';
import type { Repeatable } from '../../api/retry.ts';
import { type ShownItem as WireItem, shownDay, shownItems } from '../../api/wire.ts';
import type { ShownItem } from './day-match.ts';
import { nutritionBody } from './day-plan.ts';
import type { JsonObject } from '../types.ts';

/** Sends the nutrition requests of one account, and learns how the service treats them. */

/** What the setting `nutritionDelivery` says. */
export type NutritionMode = 'auto' | 'replace' | 'append';

/** Lifetime of what an answer has shown about a service, which may be updated (ms). */
const TRAITS_VALID_MS = 30 * 86_400_000;

/** The answer to a nutrition day. */
export type Posted =
  /** `items`: what the day holds now; undefined if the service does not show it. */
  | { readonly kind: 'taken'; readonly items: readonly ShownItem[] | undefined }
  | { readonly kind: 'rejected'; readonly status?: number; readonly message: string }
  /** It may have been processed. */
  | { readonly kind: 'unclear'; readonly failure: SyncError }
  /** It was not processed. */
  | { readonly kind: 'failed'; readonly failure: SyncError };

/** The content of a day before anything is added to it. */
export type Look =
  | {
      readonly kind: 'shown';
      readonly by: 'read' | 'empty-post';
      readonly items: readonly ShownItem[];
    }
  /** The answer shows no items. */
  | { readonly kind: 'opaque' }
  /** The service takes no day without items. */
  | { readonly kind: 'refused'; readonly status?: number; readonly message: string }
  | Extract<Posted, { readonly failure: SyncError }>;

/** How many requests were sent for a day. */
export interface Tally {
  attempts: number;
}

export interface NutritionTarget {
  readonly ledger: RecordLedger;
  readonly client: () => Promise<ServiceClient>;
}

/** The scope that `GET /api/nutrition` wants. */
const READ_SCOPE = 'nutrition:read';

export class NutritionService {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #mode: NutritionMode;
  readonly #target: NutritionTarget;
  #traits: NutritionTraits;
  /** The kind that an answer of this run has shown. */
  #seen: 'replace' | 'append' | undefined;
  #canRead: boolean | undefined;
  /** It takes no day without items, so sync cannot learn what a day holds. */
  refusesEmpty = false;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    mode: NutritionMode,
    target: NutritionTarget,
  ) {
    this.#context = context;
    this.#mode = mode;
    this.#target = target;
    this.#traits = target.ledger.nutrition.traits();
  }

  /** Tells if a day that is sent again replaces the earlier one; undefined if not known. */
  get kind(): 'replace' | 'append' | undefined {
    if (this.#seen !== undefined) return this.#seen;
    if (this.#mode !== 'auto') return this.#mode;
    return this.#isValid(this.#traits.kindAt) ? this.#traits.kind : undefined;
  }

  /** The kind is certain for this run, or no answer can show it. */
  get isConfirmed(): boolean {
    return this.#mode !== 'auto' || this.#seen !== undefined || this.isOpaque || this.refusesEmpty;
  }

  /** The answers show no items. */
  get isOpaque(): boolean {
    return this.#isValid(this.#traits.opaqueAt);
  }

  /** The user's setting is `replace`, and no answer has contradicted it. */
  get isSaidToReplace(): boolean {
    return this.#mode === 'replace' && this.kind === 'replace';
  }

  /** The user's setting, if the answers contradict it. */
  get contradicted(): NutritionMode | undefined {
    return this.#mode !== 'auto' && this.#seen !== undefined && this.#seen !== this.#mode
      ? this.#mode
      : undefined;
  }

  get source(): string | undefined {
    return this.#traits.source;
  }

  get canRemove(): boolean {
    return !this.#isValid(this.#traits.noRemovalAt);
  }

  /** Records what an answer has shown. */
  learnKind(kind: 'replace' | 'append'): void {
    if (this.#seen === kind) return;
    this.#seen = kind;
    this.#note({ kind, kindAt: this.#context.clock.now(), opaqueAt: undefined });
  }

  /** Forgets the kind, after an answer made it doubtful. */
  forgetKind(): void {
    this.#seen = undefined;
    this.#note({ kind: undefined, kindAt: undefined });
  }

  learnSource(source: string): void {
    if (this.#traits.source !== source) this.#note({ source });
  }

  learnOpaque(): void {
    this.#note({ opaqueAt: this.#context.clock.now() });
  }

  /**
   * Learns what a day holds, without adding anything. With `nutrition:read` the day is read. Otherwise
   * a day without items is sent. It empties our part of the day if the service replaces, changes nothing
   * if it appends, and may be repeated.
   *
   * @param fields the day's own fields: a service calculates the ones missing from a request
   */
  async look(date: string, fields: JsonObject, tally: Tally, by?: 'empty-post'): Promise<Look> {
    if (by === undefined) {
      const items = await this.#read(date, tally);
      if (items !== undefined)
        return 'failure' in items ? items : { kind: 'shown', by: 'read', items };
    }
    const posted = await this.post(date, { items: [], fields }, 'always', tally);
    if (posted.kind === 'taken') {
      const { items } = posted;
      return items === undefined ? { kind: 'opaque' } : { kind: 'shown', by: 'empty-post', items };
    }
    if (posted.kind === 'rejected') return { ...posted, kind: 'refused' };
    return posted;
  }

  /** Sends a day (interface 4.3). @throws SyncError `STORAGE`, `INTERRUPTED` */
  async post(
    date: string,
    content: DayContent,
    repeatable: Repeatable,
    tally: Tally,
  ): Promise<Posted> {
    const { client } = this.#target;
    const { signal } = this.#context;
    try {
      const service = await client();
      const answer = await service.push(
        'nutrition',
        nutritionBody(date, content),
        repeatable,
        signal,
      );
      tally.attempts += answer.attempts;
      if (answer.outcome === 'rejected') return { kind: 'rejected', message: answer.message };
      const items = answer.data === undefined ? undefined : shownItems(answer.data);
      return { kind: 'taken', items: items?.map(asShown) };
    } catch (error) {
      return failureOf(error, tally);
    }
  }

  /** Removes one item, and notes if the service offers no way to do so. @throws as {@link post} */
  async remove(
    date: string,
    { id, meal }: ShownItem,
    tally: Tally,
  ): Promise<Removal | Extract<Posted, { kind: 'failed' }>> {
    if (id === undefined || meal === undefined || !this.canRemove) return 'no-route';
    const { client } = this.#target;
    const { clock, signal } = this.#context;
    try {
      const service = await client();
      tally.attempts++;
      const removal = await service.removeNutritionItem({ date, meal, id }, signal);
      if (removal === 'no-route') this.#note({ noRemovalAt: clock.now() });
      return removal;
    } catch (error) {
      const failed = failureOf(error, tally);
      if (failed.kind !== 'rejected') return { kind: 'failed', failure: failed.failure };
      // The route is there and refuses this item: it stays.
      return 'no-route';
    }
  }

  /** Checks the scope for reading a day. Sends nothing; false without a login. */
  async canRead(): Promise<boolean> {
    const { client } = this.#target;
    const { signal } = this.#context;
    try {
      return (this.#canRead ??= await (await client()).grants(READ_SCOPE, signal));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      // Asked once a run: without a login, each read of the keychain starts a process.
      return (this.#canRead = false);
    }
  }

  async #read(
    date: string,
    tally: Tally,
  ): Promise<readonly ShownItem[] | Extract<Posted, { kind: 'failed' }> | undefined> {
    const { client } = this.#target;
    const { signal } = this.#context;
    if (this.#canRead === false) return undefined;
    try {
      const service = await client();
      if (!(await this.canRead())) return undefined;
      tally.attempts++;
      const answer = await service.readNutrition(date, signal);
      if (answer === undefined) this.#canRead = false;
      return shownDay(answer, date, NUTRITION_DAYS)?.map(asShown);
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      // This service cannot be asked; the other way to look is still there.
      if (['REJECTED', 'SERVICE_ANSWER'].includes(error.code)) {
        this.#canRead = false;
        return undefined;
      }
      const failed = failureOf(error, tally);
      return failed.kind === 'rejected' ? undefined : { kind: 'failed', failure: failed.failure };
    }
  }

  #isValid(at: number | undefined): boolean {
    return at !== undefined && this.#context.clock.now() - at < TRAITS_VALID_MS;
  }

  #note(news: Parameters<RecordLedger['nutrition']['noteTraits']>[0]): void {
    this.#target.ledger.nutrition.noteTraits(news);
    this.#traits = this.#target.ledger.nutrition.traits();
  }
}

function asShown({ body, ...item }: WireItem): ShownItem {
  return { ...item, body: body as JsonObject };
}

/** Classifies a failed request. @throws the error if it is not the service's or the network's */
function failureOf(error: unknown, tally: Tally): Exclude<Posted, { kind: 'taken' }> {
  if (!(error instanceof SyncError)) throw error;
  if (error.code === 'STORAGE' || error.code === 'INTERRUPTED') throw error;
  const { attempts, status, delivery } = error.details;
  if (typeof attempts === 'number') tally.attempts += attempts;
  if (isAboutTheItem(error)) {
    const known = typeof status === 'number' ? { status } : {};
    return { kind: 'rejected', message: error.message, ...known };
  }
  const isUnclear =
    delivery === 'unknown' || (error.code === 'SERVICE_ANSWER' && delivery !== 'not-sent');
  return { kind: isUnclear ? 'unclear' : 'failed', failure: error };
}

/** Returns the items to send: those that the athlete did not remove in the platform. */
export function outgoing({ items, fields }: DayContent): DayContent {
  return { items: items.filter((item: SentItem) => item.removed !== true), fields };
}
