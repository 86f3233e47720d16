import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { ApiProblem } from './http/problem.ts';
import { ROUTE_NAMES } from './http/routes.ts';
import { checkedRequest } from './http/validate.ts';
import { PUBLIC_CLIENT_ID, findClient } from './oauth/clients.ts';
import { SCOPES } from './oauth/scopes.ts';
import { platformOf } from './platforms.ts';
import { isPlainDate } from './resources/dates.ts';
import { dayOf } from './resources/nutrition.ts';
import { editedDay, MEALS, type StoredItem } from './resources/nutrition-day.ts';
import type { Control, LoginChoice } from './types.ts';
import type { World } from './world.ts';

const text = v.optional(v.string());

const mintSchema = v.strictObject({
  athlete: text,
  clientId: v.optional(v.string(), PUBLIC_CLIENT_ID),
  scopes: v.optional(v.array(v.picklist(SCOPES))),
  accessTtl: v.optional(v.pipe(v.number(), v.integer())),
  refreshTtl: v.optional(v.nullable(v.pipe(v.number(), v.integer()))),
});

const revokeSchema = v.strictObject({ athlete: text, login: text });

const expireSchema = v.strictObject({
  ...revokeSchema.entries,
  kind: v.optional(v.picklist(['access', 'refresh']), 'access'),
});

const filterSchema = v.strictObject({
  route: v.optional(v.picklist(ROUTE_NAMES)),
  athlete: text,
  after: v.optional(v.number()),
});

const addFoodSchema = v.strictObject({
  athlete: text,
  date: v.pipe(v.string(), v.check(isPlainDate, 'Expected YYYY-MM-DD')),
  meal: v.picklist(MEALS),
  source: v.optional(v.string(), 'manual'),
  item: v.looseObject({ name: v.string(), logged_at: v.string() }),
});

const processSchema = v.strictObject({
  athlete: text,
  sha256: text,
  outcome: v.optional(v.picklist(['workout', 'none', 'duplicate']), 'workout'),
});

/** A wrong request is a Problem 400 or 404. */
export function createControl(world: World): Control {
  const { recordings, requests, faults, settings } = world;
  return {
    ...dataControl(world),
    ...loginControl(world),
    recordingBytes: (sha256, athlete) => recordings.bytes(sha256, athlete),
    requests(filter = {}) {
      const checked = checkedRequest(filterSchema, filter);
      if (checked.athlete !== undefined) athleteOf(world, checked.athlete);
      return requests.list(checked);
    },
    request(ordinal) {
      const found = requests.find(ordinal);
      if (found === undefined) throw new ApiProblem(404, 'No such request in the log');
      return found;
    },
    requestCount: () => requests.count,
    clearRequests: () => requests.clear(),
    settings: (change = {}) => settings.change(change),
    faults: () => faults.list(),
    addFaults: (...specs) => faults.add(specs),
    clearFaults(spec) {
      if (!faults.clear(spec)) throw new ApiProblem(404, `No fault "${spec ?? ''}"`);
    },
  };
}

function athleteOf({ athletes }: World, id: string = athletes.first().id): string {
  if (athletes.has(id)) return id;
  throw new ApiProblem(404, `No athlete "${id}": ${athletes.ids.join(', ')}`);
}

type DataControl = Pick<Control, 'state' | 'clearState' | 'process' | 'addFood' | 'editFood'>;

function dataControl(world: World): DataControl {
  const { athletes, recordings, daily, grants } = world;
  return {
    state: (athlete) => ({
      athletes: (athlete === undefined ? athletes.ids : [athleteOf(world, athlete)]).map((id) => ({
        athlete: id,
        profile: athletes.get(id),
        recordings: recordings.list(id),
        wellness: daily.list(id, 'wellness'),
        nutrition: daily.list(id, 'nutrition'),
        logins: grants.loginsOf(id),
      })),
    }),
    clearState() {
      recordings.clear();
      daily.clear();
    },
    async process(request = {}) {
      const { athlete, sha256, outcome } = checkedRequest(processSchema, request);
      const athleteId = athleteOf(world, athlete);
      const found = recordings
        .list(athleteId)
        .filter((each) =>
          sha256 === undefined ? each.processing === 'queued' : each.sha256 === sha256,
        );
      if (sha256 !== undefined && found.length === 0) {
        throw new ApiProblem(404, 'No such recording');
      }
      for (const { sha256: hash } of found) await recordings.conclude(athleteId, hash, outcome);
    },
    addFood(request) {
      const { athlete, date, meal, source, item } = checkedRequest(addFoodSchema, request);
      const athleteId = athleteOf(world, athlete);
      const day = dayOf(daily.find(athleteId, 'nutrition', date));
      const stored: StoredItem = { ...item, id: randomUUID(), source };
      const after = editedDay(day, { [meal]: [...day[meal], stored] });
      daily.put(athleteId, 'nutrition', date, { ...after }, 0);
      return { ...stored };
    },
    editFood: (id, changes) => editFood(world, id, changes),
  };
}

function loginControl(world: World): Pick<Control, 'mint' | 'expire' | 'revoke'> {
  const { grants, settings } = world;
  const chosen = (choice: LoginChoice) => {
    if (choice.athlete !== undefined) athleteOf(world, choice.athlete);
    return choice;
  };
  return {
    mint(request = {}) {
      const { athlete, clientId, ...given } = checkedRequest(mintSchema, request);
      if (findClient(world, clientId) === undefined) {
        throw new ApiProblem(404, `No client "${clientId}"`);
      }
      const { current } = settings;
      const { accessTtl = current.accessTtl, refreshTtl = current.refreshTtl } = given;
      const { scopes = platformOf(current).scopes } = given;
      return grants.mint(
        { clientId, athleteId: athleteOf(world, athlete), scopes },
        { ...current, accessTtl, refreshTtl },
      );
    },
    expire(request = {}) {
      const { kind, ...logins } = checkedRequest(expireSchema, request);
      return grants.expire(kind, chosen(logins));
    },
    revoke: (request = {}) => grants.revoke(chosen(checkedRequest(revokeSchema, request))),
  };
}

/** @throws Problem 404 */
function editFood({ athletes, daily }: World, id: string, changes: object | null): void {
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
