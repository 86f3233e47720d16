import type { Context } from '../../base/context.ts';
import { SyncError } from '../../base/errors.ts';
import { daysAfter } from '../../base/time.ts';
import type { DayContent } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import type { DaysQuery, ItemsRequest, ServiceClient } from '../../api/client.ts';
import type { Repeatable } from '../../api/retry.ts';
import { shownDays, shownItems } from '../../api/wire.ts';
import { type ShownItem, isOwn } from './day-match.ts';
import { nutritionBody } from './day-plan.ts';
import type { JsonObject, RecordKind } from '../types.ts';

/** Sends the nutrition requests of one run, and learns how the platform treats them. */

/** What the setting `nutritionDelivery` says. */
export type NutritionMode = 'auto' | 'replace' | 'append';

/** What a platform does with a day that is sent again. */
export type PlatformKind = 'adds' | 'replaces';

/** The service that records are sent to, and the ledger that records them. */
export interface NutritionTarget {
  readonly ledger: RecordLedger;
  /** Called before the first request. */
  readonly client: () => Promise<ServiceClient>;
  /** Where records of a kind go, for `--dry-run`. */
  readonly url: (kind: RecordKind) => URL;
}

/** The scope that `GET /api/nutrition` wants. */
const READ_SCOPE = 'nutrition:read';

/** Days that one list covers. */
const LISTED_DAYS = 100;

/** Limits the days of a list, on a platform that knows no dates. */
const MAX_LISTED = 10_000;

export class NutritionService {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #target: NutritionTarget;
  #kind: Promise<PlatformKind> | undefined;
  source: string | undefined;
  /** The login may list days; undefined before that was asked. */
  canList: boolean | undefined;
  /** The last answer about the kind. */
  adds = false;
  /** The setting states the kind, and no answer has proved that the platform adds. */
  isStated: boolean;
  /** Whether a note about days that this run replaces unseen was printed. */
  saidUnseen = false;

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    mode: NutritionMode,
    target: NutritionTarget,
  ) {
    this.#context = context;
    if (mode !== 'auto') this.learnKind(mode === 'append' ? 'adds' : 'replaces');
    this.isStated = mode !== 'auto';
    this.#target = target;
    this.source = target.ledger.nutrition.source();
  }

  /**
   * Tells what the platform does with a day that is sent again. Asks once a run, by an invalid request that
   * the route for single items refuses before it reads anything: a platform with this route adds.
   */
  async kind(date: string): Promise<PlatformKind> {
    const asked = (this.#kind ??= this.#probe(date));
    try {
      this.adds = (await asked) === 'adds';
      return await asked;
    } catch (error) {
      // The next day asks again.
      if (this.#kind === asked) this.#kind = undefined;
      throw error;
    }
  }

  async #probe(date: string): Promise<PlatformKind> {
    const { status, error } = await this.#patch(date, {});
    // Unknown counts as the interface says.
    return status === 400 && error !== undefined ? 'adds' : 'replaces';
  }

  /** Records the kind that an answer has proved, or the setting states. */
  learnKind(kind: PlatformKind): void {
    this.#kind = Promise.resolve(kind);
    this.adds = kind === 'adds';
    if (this.adds) this.isStated = false;
  }

  /** Asks again, after an answer that made the kind doubtful. */
  async askAgain(date: string): Promise<PlatformKind> {
    this.#kind = this.#probe(date);
    this.isStated = false;
    return await this.kind(date);
  }

  /** Learns the `source` of this client's items from the first answer that shows a new one. */
  learnSource(before: readonly ShownItem[], after: readonly ShownItem[]): void {
    const known = new Set(before.map(({ id }) => id));
    const own = after.filter((item) => !known.has(item.id) && isOwn(item, undefined));
    const [source, ...others] = new Set(own.map((item) => item.source));
    if (source === undefined || others.length > 0 || source === this.source) return;
    this.source = source;
    this.#target.ledger.nutrition.noteSource(source);
  }

  /** Checks the scope for reading days. Sends nothing; false without a login. */
  async #mayList(): Promise<boolean> {
    try {
      const { client } = this.#target;
      return (this.canList ??= await (await client()).grants(READ_SCOPE, this.#context.signal));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      // Asked once a run: without a login, each read of the keychain starts a process.
      return (this.canList = false);
    }
  }

  /**
   * Reads days. A day beyond the end of a full answer was not seen, and is missing in the result. A revision
   * that knows no dates returns the newest days: the limit grows until the oldest day is reached.
   */
  async list(dates: Iterable<string>): Promise<ReadonlyMap<string, readonly ShownItem[]>> {
    const found = new Map<string, readonly ShownItem[]>();
    let left = [...dates].sort().reverse();
    let limit = LISTED_DAYS;
    while (left.length > 0 && limit <= MAX_LISTED && (await this.#mayList())) {
      const [last = ''] = left;
      const edge = daysAfter(last, 1 - LISTED_DAYS);
      const asked = left.filter((date) => date >= edge);
      const first = asked.at(-1) ?? last;
      const days = await this.#days({ first, last, limit });
      if (days === undefined) break;
      const ignoresDates = days.some(({ date }) => date < first || date > last);
      const reach = days.length < limit ? '' : (days.map(({ date }) => date).sort()[0] ?? '');
      const byDate = new Map(days.map(({ date, items }) => [date, items]));
      for (const date of ignoresDates ? left : asked) {
        const items = byDate.has(date) ? byDate.get(date) : date > reach ? [] : undefined;
        if (items !== undefined) found.set(date, items as ShownItem[]);
      }
      const before = left.length;
      left = left.filter((date) => !found.has(date));
      if (ignoresDates || left.length === before) limit *= 4;
    }
    return found;
  }

  async #days(query: DaysQuery) {
    try {
      const client = await this.#target.client();
      const days = shownDays(await client.listDays('nutrition', query, this.#context.signal));
      if (days === undefined) this.canList = false;
      return days;
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      if (!['REJECTED', 'SERVICE_ANSWER', 'SCOPE_MISSING'].includes(error.code)) throw error;
      this.canList = false;
      return undefined;
    }
  }

  /**
   * Reads a day. Without the scope, it sends the day without items: on a platform that adds, that changes
   * nothing, and the answer has the day's items.
   *
   * @returns undefined if the platform replaces days, or does not show them
   */
  async look(date: string, fields: JsonObject): Promise<readonly ShownItem[] | undefined> {
    const read = (await this.list([date])).get(date);
    if (read !== undefined) return read;
    if ((await this.kind(date)) !== 'adds') return undefined;
    // Under a wrong setting, it would empty the day.
    if (this.isStated && (await this.askAgain(date)) !== 'adds') return undefined;
    return (await this.post(date, { items: [], fields }, 'always')).items;
  }

  /**
   * Sends a day (interface 4.3).
   *
   * @returns what the day holds now, if the platform shows it
   * @throws SyncError `REJECTED`, and those of the client
   */
  async post(date: string, content: DayContent, repeatable: Repeatable) {
    const client = await this.#target.client();
    const body = nutritionBody(date, content);
    const { signal } = this.#context;
    const { platform } = this.#target.ledger;
    const answer = await client.push('nutrition', body, repeatable, platform, signal);
    const { attempts } = answer;
    if (answer.outcome === 'rejected') {
      throw new SyncError('REJECTED', answer.message, { details: { status: 200, attempts } });
    }
    const items = answer.data === undefined ? undefined : shownItems(answer.data);
    return { items: items as readonly ShownItem[] | undefined, attempts };
  }

  /** Removes one item. `changed`: the day changed in the meantime. */
  async remove(date: string, { id, meal }: ShownItem) {
    if (id === undefined || meal === undefined)
      return { removal: 'no-route', attempts: 0 } as const;
    const change = { action: 'delete', mealType: meal, itemId: id } as const;
    const { status, attempts } = await this.#patch(date, change);
    const removal = status === 409 ? 'changed' : status < 300 ? 'removed' : 'no-route';
    return { removal, attempts } as const;
  }

  async #patch(date: string, change: ItemsRequest) {
    const client = await this.#target.client();
    return await client.patchNutritionItems(date, change, this.#context.signal);
  }
}
