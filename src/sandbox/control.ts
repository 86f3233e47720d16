import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { AthleteProfile } from './resources/athletes.ts';
import { PUBLIC_CLIENT_ID } from './oauth/clients.ts';
import type { DailyState } from './resources/daily-records.ts';
import { isPlainDate } from './resources/dates.ts';
import type { LoginState, TokenAnswer } from './oauth/grants.ts';
import { dayOf } from './resources/nutrition.ts';
import { editedDay, MEALS, type StoredItem } from './resources/nutrition-day.ts';
import { ApiProblem } from './http/problem.ts';
import type { RecordingState } from './resources/recordings.ts';
import type { AnsweredRequest, RequestFilter, RequestRecord } from './http/request-log.ts';
import { SCOPES } from './oauth/scopes.ts';
import type { SandboxSettings, SettingsPatch } from './settings.ts';
import { checkedRequest } from './http/validate.ts';
import type { World } from './world.ts';

interface AthleteState {
  readonly athlete: string;
  readonly profile: AthleteProfile;
  /** In the order of first arrival. */
  readonly recordings: readonly RecordingState[];
  /** By date. */
  readonly wellness: readonly DailyState[];
  /** By date. */
  readonly nutrition: readonly DailyState[];
  readonly logins: readonly LoginState[];
}

export interface SandboxState {
  readonly athletes: readonly AthleteState[];
}

const mintSchema = v.strictObject({
  athlete: v.optional(v.string()),
  clientId: v.optional(v.string(), PUBLIC_CLIENT_ID),
  scopes: v.optional(v.array(v.picklist(SCOPES)), [...SCOPES]),
  /** s */
  accessTtl: v.optional(v.pipe(v.number(), v.integer())),
  /** s; null: it never expires */
  refreshTtl: v.optional(v.nullable(v.pipe(v.number(), v.integer()))),
});
export type MintRequest = v.InferInput<typeof mintSchema>;

const endSchema = v.strictObject({
  athlete: v.optional(v.string()),
  login: v.optional(v.string()),
  kind: v.optional(v.picklist(['access', 'refresh']), 'access'),
});
export type ExpireRequest = v.InferInput<typeof endSchema>;

const addFoodSchema = v.strictObject({
  athlete: v.optional(v.string()),
  date: v.pipe(v.string(), v.check(isPlainDate, 'Expected YYYY-MM-DD')),
  meal: v.picklist(MEALS),
  source: v.optional(v.string(), 'manual'),
  item: v.looseObject({ name: v.string(), logged_at: v.string() }),
});
export type AddFoodRequest = v.InferInput<typeof addFoodSchema>;

const processSchema = v.strictObject({
  athlete: v.optional(v.string()),
  sha256: v.optional(v.string()),
  outcome: v.optional(v.picklist(['workout', 'none', 'duplicate']), 'workout'),
});
export type ProcessRequest = v.InferInput<typeof processSchema>;

/** Operations for tests and scripts that no deployed service has. */
export class Control {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** @throws Problem 404 for an unknown athlete */
  state(athleteId?: string): SandboxState {
    const { athletes, recordings, daily, grants } = this.#world;
    const ids = athleteId === undefined ? athletes.ids : [this.#athlete(athleteId)];
    return {
      athletes: ids.map((id) => ({
        athlete: id,
        profile: athletes.get(id),
        recordings: recordings.list(id),
        wellness: daily.list(id, 'wellness'),
        nutrition: daily.list(id, 'nutrition'),
        logins: grants.loginsOf(id),
      })),
    };
  }

  /** Deletes recordings, wellness and nutrition; keeps logins and profiles. */
  clearState(): void {
    this.#world.recordings.clear();
    this.#world.daily.clear();
  }

  recordingBytes(sha256: string, athleteId?: string): Uint8Array | null {
    return this.#world.recordings.bytes(sha256, athleteId);
  }

  /**
   * Processes queued recordings now, regardless of `processingMs`: one by its hash, or all of an
   * athlete. `none` ends processing for good without a workout; `duplicate` creates a workout that
   * the platform hides as a duplicate of one from another source.
   * @throws Problem 400, 404
   */
  async process(request: ProcessRequest = {}): Promise<void> {
    const { athlete, sha256, outcome } = checkedRequest(processSchema, request);
    const { athletes, recordings } = this.#world;
    const athleteId = this.#athlete(athlete ?? athletes.first().id);
    const hashes = recordings
      .list(athleteId)
      .filter((each) =>
        sha256 === undefined ? each.processing === 'queued' : each.sha256 === sha256,
      )
      .map((each) => each.sha256);
    if (sha256 !== undefined && hashes.length === 0) throw new ApiProblem(404, 'No such recording');
    for (const hash of hashes) {
      if (outcome === 'none') {
        recordings.fail(athleteId, hash);
      } else {
        await recordings.process(athleteId, { processingMs: 0 }, hash);
        recordings.mark(athleteId, hash, outcome === 'duplicate');
      }
    }
  }

  requests(filter: RequestFilter = {}): RequestRecord[] {
    return this.#world.requests.list(filter);
  }

  /** Returns a request with its answer. @throws Problem 404 */
  request(ordinal: number): AnsweredRequest {
    const found = this.#world.requests.find(ordinal);
    if (found === undefined) throw new ApiProblem(404, 'No such request in the log');
    return found;
  }

  /** Counts all requests since the start, including those no longer in the log. */
  requestCount(): number {
    return this.#world.requests.count;
  }

  clearRequests(): void {
    this.#world.requests.clear();
  }

  settings(): SandboxSettings {
    return this.#world.settings.current;
  }

  /** @throws SettingError; then no setting has changed */
  set(change: SettingsPatch): SandboxSettings {
    return this.#world.settings.change(change);
  }

  faults() {
    return this.#world.faults.list();
  }

  /** @throws FaultSpecError; then no fault was added */
  addFaults(...specs: string[]): void {
    this.#world.faults.add(specs);
  }

  /** Removes the first fault with this spec. @throws Problem 404 */
  removeFault(spec: string): void {
    if (!this.#world.faults.remove(spec)) throw new ApiProblem(404, `No fault "${spec}"`);
  }

  clearFaults(): void {
    this.#world.faults.clear();
  }

  /**
   * Tokens as a login gives them, without a browser: for CI. By default of the first athlete, with
   * every scope, for the public client.
   * @throws Problem 400, 404
   */
  mint(request: MintRequest = {}): TokenAnswer {
    const { athlete, clientId, scopes, accessTtl, refreshTtl } = checkedRequest(
      mintSchema,
      request,
    );
    const { athletes, clients, grants, settings } = this.#world;
    if (!clients.some((client) => client.id === clientId)) {
      throw new ApiProblem(404, `No client "${clientId}"`);
    }
    return grants.mint(
      { clientId, athleteId: this.#athlete(athlete ?? athletes.first().id), scopes },
      {
        ...settings.current,
        ...(accessTtl === undefined ? {} : { accessTtl }),
        ...(refreshTtl === undefined ? {} : { refreshTtl }),
      },
    );
  }

  /**
   * Expires the access (or refresh) tokens of a login, of an athlete, or all, now.
   * @returns the number of tokens that were still valid
   * @throws Problem 400, 404
   */
  expire(request: ExpireRequest = {}): number {
    const { athlete, login, kind } = checkedRequest(endSchema, request);
    return this.#world.grants.expire(kind, {
      athleteId: athlete === undefined ? undefined : this.#athlete(athlete),
      loginId: login,
    });
  }

  /**
   * Revokes the logins of one athlete, or of all.
   * @returns the number of revoked logins
   * @throws Problem 404
   */
  revoke(athleteId?: string): number {
    const { athletes, grants } = this.#world;
    const ids = athleteId === undefined ? athletes.ids : [this.#athlete(athleteId)];
    return ids.reduce((sum, id) => sum + grants.revokeAthlete(id), 0);
  }

  /** @returns whether the login was valid before */
  revokeLogin(loginId: string): boolean {
    return this.#world.grants.revokeLogin(loginId);
  }

  /**
   * Adds an item as the athlete does in the app, or as another source.
   * @returns the stored item, with its id
   * @throws Problem 400, 404
   */
  addFood(request: AddFoodRequest): StoredItem {
    const { athlete, date, meal, source, item } = checkedRequest(addFoodSchema, request);
    const { athletes, daily } = this.#world;
    const athleteId = this.#athlete(athlete ?? athletes.first().id);
    const day = dayOf(daily.find(athleteId, 'nutrition', date));
    const stored: StoredItem = { ...item, id: randomUUID(), source };
    const after = editedDay(day, { [meal]: [...day[meal], stored] });
    daily.put(athleteId, 'nutrition', date, { ...after }, 0);
    return stored;
  }

  /**
   * Changes fields of an item as the athlete does in the app; null removes the item.
   * @throws Problem 404
   */
  editFood(id: string, changes: Readonly<Record<string, unknown>> | null): void {
    const { athletes, daily } = this.#world;
    for (const athleteId of athletes.ids) {
      for (const state of daily.list(athleteId, 'nutrition')) {
        const day = dayOf(state);
        const meal = MEALS.find((each) => day[each].some((item) => item.id === id));
        if (meal === undefined) continue;
        const items = day[meal].flatMap((item) =>
          item.id !== id ? [item] : changes === null ? [] : [{ ...item, ...changes, id }],
        );
        daily.put(athleteId, 'nutrition', state.date, { ...editedDay(day, { [meal]: items }) }, 0);
        return;
      }
    }
    throw new ApiProblem(404, `No food item "${id}"`);
  }

  #athlete(id: string): string {
    if (this.#world.athletes.has(id)) return id;
    throw new ApiProblem(404, `No athlete "${id}": ${this.#world.athletes.ids.join(', ')}`);
  }
}
