import type { Context } from '../../base/context.ts';
import { SyncError, isOutage } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { daysAfter } from '../../base/time.ts';
import type { AnswerFact } from '../../config/platforms.ts';
import type { PlatformKind } from '../../config/settings.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import type { ServiceClient } from '../../api/client.ts';
import { NO_ROUTE, PROBES, probedKind } from '../../api/platform-kind.ts';
import type { HttpResponse } from '../../api/http.ts';
import type { Repeatable } from '../../api/retry.ts';
import { type WireObject, dayIn, shownDays, shownItems, showsMeals } from '../../api/wire.ts';
import type { Look, ShownItem } from './merge.ts';
import type { JsonObject, RecordKind } from '../types.ts';

/** Sends the nutrition requests of one run, and learns how the platform treats days. */

/** The service that records are sent to, and the ledger that records them. */
export interface NutritionTarget {
  readonly ledger: RecordLedger;
  /** Called before the first request. */
  readonly client: () => Promise<ServiceClient>;
  /** Where records of a kind go, for `--dry-run`. */
  readonly url: (kind: RecordKind) => URL;
  /** As the user or the table of platforms states it. */
  readonly kind?: PlatformKind | undefined;
}

/** The scope that `GET /api/nutrition` wants. */
const READ_SCOPE = 'nutrition:read';

/** Days that one list covers. */
const LISTED_DAYS = 100;

export class NutritionService {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #target: NutritionTarget;
  readonly ledger: RecordLedger;
  readonly #probed: HttpResponse[] = [];
  #asking: Promise<PlatformKind> | undefined;
  sources: readonly string[];
  /** The login may list days; undefined before that was asked. */
  canList: boolean | undefined;
  #saidOverruled = false;

  constructor(context: Pick<Context, 'clock' | 'signal'>, target: NutritionTarget) {
    this.#context = context;
    this.#target = target;
    this.ledger = target.ledger;
    this.sources = target.ledger.nutrition.sources();
  }

  /**
   * Returns the kind of the platform. Asks once a run if nothing is known, by requests that change nothing.
   *
   * @throws SyncError if the platform does not answer: without the kind no day can be sent
   */
  async kind(date: string): Promise<PlatformKind> {
    const client = await this.#target.client();
    const known = this.#kindNow(client);
    if (known !== undefined) return known;
    try {
      return await (this.#asking ??= this.#ask(client, date));
    } finally {
      // The next day asks again if it failed.
      this.#asking = undefined;
    }
  }

  #keeps: Promise<boolean> | undefined;

  /**
   * Checks, once a run, that the platform keeps the fields of a day that a request lacks, as Coach Watts does; others
   * may replace the day. A platform that cannot be reached says no: then the whole day is right for any.
   */
  async keepsFields(date: string): Promise<boolean> {
    return await (this.#keeps ??= this.kind(date).then(
      (kind) => kind === 'coach-watts',
      (error: unknown) => {
        if (error instanceof SyncError && isOutage(error.code)) return false;
        throw error;
      },
    ));
  }

  /** The kind, as far as it is known without a request. */
  get knownKind(): PlatformKind | undefined {
    return this.#kindNow({ kind: this.#target.kind });
  }

  async #ask(client: ServiceClient, date: string): Promise<PlatformKind> {
    const { platform } = this.ledger;
    for (;;) {
      const probe = PROBES[this.#probed.length];
      const kind = this.#kindNow(client);
      // It takes all fields, so a 400 is about something else.
      if (kind === 'coach-watts') platform.note('nutrition', 'further-fields');
      if (kind !== undefined || probe === undefined) return kind ?? 'interface';
      const day = 'date' in probe ? probe.date : date;
      try {
        const { signal } = this.#context;
        this.#probed.push(await client.probeNutritionItems(day, probe, platform, signal));
      } catch (error) {
        throw kindUnknown(error);
      }
    }
  }

  #has(fact: AnswerFact): boolean {
    return this.ledger.platform.has('nutrition', fact);
  }

  /**
   * Returns the kind that is known so far. Four meal lists prove Coach Watts, against all other facts, and a platform
   * that adds to days is treated like it.
   */
  #kindNow({ kind }: Pick<ServiceClient, 'kind'>): PlatformKind | undefined {
    if (this.#has('meal-lists') || this.#has('adds')) return 'coach-watts';
    if (kind !== undefined) return kind;
    return this.#has('no-meal-lists') ? 'interface' : probedKind(this.#probed);
  }

  /** Learns the kind from a success: four meal lists prove Coach Watts, and without a fact or setting their lack disproves it. */
  #learnKind(client: ServiceClient, day: WireObject | undefined): void {
    if (this.#has('meal-lists')) return;
    const isProbed = client.kind === undefined && !this.#has('adds');
    const fact = showsMeals(day) ? 'meal-lists' : 'no-meal-lists';
    const isNews = fact === 'meal-lists' || (isProbed && this.#kindNow(client) === 'coach-watts');
    if (isNews) this.ledger.platform.note('nutrition', fact);
  }

  /** Returns, once a run, whether an answer has proved Coach Watts against the setting or the probes. */
  async takeOverruled(): Promise<boolean> {
    const { kind = probedKind(this.#probed) } = await this.#target.client();
    if (this.#saidOverruled || kind !== 'interface' || !this.#has('meal-lists')) return false;
    return (this.#saidOverruled = true);
  }

  /** Whether the platform adds to days, and no request can look at one: the proof may be wrong, and then that would erase it. */
  async addsUnseen(): Promise<boolean> {
    const { kind } = await this.#target.client();
    return this.#has('adds') && !this.#has('meal-lists') && kind !== 'coach-watts';
  }

  /**
   * Returns whether a day may be repeated to a platform that replaces it: not before its first answer, if the probe
   * was answered in a way that says nothing of the route.
   */
  async repeatable(): Promise<Repeatable> {
    const { kind } = await this.#target.client();
    const isSure = kind !== undefined || this.#has('no-meal-lists') || this.#has('plain');
    const hasNoRoute = this.#probed.every(({ status }) => NO_ROUTE.includes(status));
    return isSure || hasNoRoute ? 'always' : 'unless-acted-on';
  }

  /** Learns a `source` of items that were sent from here. */
  noteSource(source: string): void {
    this.ledger.nutrition.noteSource(source);
    this.sources = [...this.sources, source];
  }

  /** Where days go. */
  get url(): URL {
    return this.#target.url('nutrition');
  }

  /** Checks the scope for reading days. Sends nothing; false without a login. */
  async mayList(): Promise<boolean> {
    try {
      const client = await this.#target.client();
      // A platform of the interface has no such route.
      if (this.#kindNow(client) === 'interface') return false;
      return (this.canList ??= await client.grants(READ_SCOPE, this.#context.signal));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      // Asked once a run: without a login, each read of the keychain starts a process.
      return (this.canList = false);
    }
  }

  /** Reads days. A day that the answers do not show is missing in the result. */
  async list(dates: Iterable<string>): Promise<ReadonlyMap<string, readonly ShownItem[]>> {
    const found = new Map<string, readonly ShownItem[]>();
    let left = [...dates].sort();
    while (left.length > 0 && (await this.mayList())) {
      const [first = ''] = left;
      const edge = daysAfter(first, LISTED_DAYS - 1);
      const asked = left.filter((date) => date <= edge);
      const days = await this.#days(first, asked.at(-1) ?? first);
      if (days === undefined) break;
      const byDate = new Map(days.map(({ date, items }) => [date, items]));
      for (const date of asked) {
        const items = byDate.has(date) ? byDate.get(date) : [];
        if (items !== undefined) found.set(date, items as ShownItem[]);
      }
      left = left.filter((date) => date > edge);
    }
    return found;
  }

  async #days(first: string, last: string) {
    try {
      const client = await this.#target.client();
      const query = { first, last, limit: LISTED_DAYS };
      const answer = await client.listDays('nutrition', query, this.#context.signal);
      const days = shownDays(answer);
      if (days === undefined) this.canList = false;
      const row = dayIn(isObject(answer) ? answer['nutrition'] : undefined);
      if (showsMeals(row)) this.#learnKind(client, row);
      return days;
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      if (!['REJECTED', 'SERVICE_ANSWER', 'SCOPE_MISSING'].includes(error.code)) throw error;
      this.canList = false;
      return undefined;
    }
  }

  /**
   * Reads a day of Coach Watts. Without the scope, it sends the day without items: that changes nothing there, and
   * the answer has the day's items.
   *
   * @returns undefined if the platform does not show them
   */
  async look(date: string, fields: JsonObject): Promise<Look | undefined> {
    if (await this.addsUnseen()) return undefined;
    const listed = (await this.list([date])).get(date);
    const items = listed ?? (await this.post({ date, items: [], ...fields }, 'always')).items;
    return items && { items };
  }

  /**
   * Sends a day (interface 4.3).
   *
   * @returns the answer, with the items that the day holds now, if it shows them
   * @throws SyncError `REJECTED`, and those of the client
   */
  async post(body: JsonObject, repeatable: Repeatable) {
    const client = await this.#target.client();
    const { signal } = this.#context;
    const { platform } = this.ledger;
    const answer = await client.push('nutrition', body, repeatable, platform, signal);
    if (answer.outcome === 'rejected') {
      const details = { status: 200, attempts: answer.attempts };
      throw new SyncError('REJECTED', answer.message, { details });
    }
    const day = dayIn(answer.json);
    if (answer.json !== undefined) this.#learnKind(client, day);
    return { ...answer, items: day && (shownItems(day) as readonly ShownItem[] | undefined) };
  }

  /** Removes one item. @returns also the status of the answer */
  async remove(date: string, { id, meal }: ShownItem) {
    if (id === undefined || meal === undefined) return { status: 404, attempts: 0 };
    const client = await this.#target.client();
    const change = { action: 'delete', mealType: meal, itemId: id } as const;
    return await client.removeNutritionItem(date, change, this.#context.signal);
  }
}

/** Says what an unanswered probe means for the days. */
function kindUnknown(error: unknown): unknown {
  if (!(error instanceof SyncError)) return error;
  const { code, message, details } = error;
  if (!isOutage(code)) return error;
  return new SyncError(
    code,
    `${message} Without that answer it is not known how this platform takes a nutrition day, so none is sent.`,
    {
      hint: phrase`The same command again asks once more. ${sync('config', 'set', 'platform.kind', 'interface')} sends without asking, if the platform is not Coach Watts.`,
      cause: error,
      details: { delivery: 'not-sent', attempts: 0, retryAfterMs: details['retryAfterMs'] },
    },
  );
}
