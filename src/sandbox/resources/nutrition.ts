import { setImmediate } from 'node:timers/promises';
import * as v from 'valibot';
import { midnightOf, utcDayOf } from './dates.ts';
import {
  editedDay,
  EMPTY_DAY,
  MEALS,
  NUTRITION_INTEGERS,
  receivedDay,
  type StoredDay,
} from './nutrition-day.ts';
import { findClient } from '../oauth/clients.ts';
import { ApiProblem, refusal } from '../http/problem.ts';
import { valueOf } from '../http/request-body.ts';
import { checked, requireStorable } from '../http/validate.ts';
import type { Call } from '../platform.ts';
import type { World } from '../world.ts';
import type { DailyState } from '../types.ts';

/**
 * `POST /api/nutrition` (interface section 4.3): adds items on Coach Watts, where two requests at once read the
 * same day, and the later one drops what the earlier one wrote. Replaces the day on the kind `interface`.
 */
export async function postNutrition(c: Call) {
  const { world, bearer, platform, body } = c.var;
  const { athleteId, clientId } = bearer;
  const { date: given, ...sent } = checked(platform.nutrition, valueOf(body), 'nutrition data');
  const date = platform.dayOf(given);
  const known = world.daily.find(athleteId, 'nutrition', date);
  const before = platform.addsItems ? dayOf(known) : EMPTY_DAY;
  await setImmediate();
  const { timezone } = world.athletes.get(athleteId);
  const day = receivedDay(before, sent, sourceOf(world, clientId), timezone);
  requireStorable({ ...day }, NUTRITION_INTEGERS);
  const stored = world.daily.put(athleteId, 'nutrition', date, { ...day });
  const data = rowOf(stored, athleteId, midnightOf(date));
  return platform.stored(stored.id, { success: true, data });
}

/** `GET /api/nutrition?startDate=&endDate=&limit=`: newest first. */
export function listNutrition(c: Call) {
  const { athleteId } = c.var.bearer;
  const from = edge(c, 'startDate');
  const to = edge(c, 'endDate');
  const limit = Number.parseInt(c.req.query('limit') ?? '30', 10);
  if (!(limit >= 0)) throw new ApiProblem(500, 'Failed to fetch nutrition data');
  const rows = c.var.world.daily
    .list(athleteId, 'nutrition')
    .filter(({ date }) => (from === null || date >= from) && (to === null || date <= to))
    .reverse()
    .slice(0, limit)
    .map((state) => withPlan(rowOf(state, athleteId, state.date)));
  return c.json({ success: true, count: rows.length, nutrition: rows });
}

const editSchema = v.object({
  action: v.picklist(['delete']),
  mealType: v.picklist(MEALS),
  itemId: v.optional(v.string()),
});

/**
 * `PATCH /api/nutrition/DATE/items`. Supports only the action `delete` of deployed services. An invalid body
 * is refused before the day's row is read, an absent `itemId` after that. 409: the day changed in the meantime.
 */
export async function patchNutritionItems(c: Call) {
  const { bearer, body } = c.var;
  const { athleteId } = bearer;
  const { daily } = c.var.world;
  const { mealType, itemId } = checked(editSchema, valueOf(body), 'request body');
  const date = c.req.param('date') ?? '';
  const state = daily.find(athleteId, 'nutrition', date);
  if (state === null) throw new ApiProblem(404, 'Nutrition entry not found');
  if (itemId === undefined) throw refusal(400, 'itemId is required for delete');
  await setImmediate();
  if (daily.find(athleteId, 'nutrition', date) !== state) {
    throw new ApiProblem(409, 'The day was changed by another request');
  }
  const before = dayOf(state);
  const items = before[mealType].filter(({ id }) => id !== itemId);
  daily.put(athleteId, 'nutrition', date, { ...editedDay(before, { [mealType]: items }) });
  return c.json({ success: true, mealType, items });
}

/** Returns a row without items like one of a day that the platform has planned: its lists are null. */
function withPlan(row: ReturnType<typeof rowOf>) {
  if (MEALS.some((meal) => row[meal].length > 0)) return row;
  return { ...row, ...Object.fromEntries(MEALS.map((meal) => [meal, null])) };
}

export function dayOf(state: DailyState | null): StoredDay {
  return state === null ? EMPTY_DAY : (state.record as unknown as StoredDay);
}

/** Returns the `source` of an application's items. */
function sourceOf(world: World, clientId: string): string {
  const client = findClient(world, clientId);
  return `oauth:${client?.appId ?? clientId}`;
}

/** Reads a limit of the range as a day; an instant counts as its UTC day. */
function edge(c: Call, name: 'startDate' | 'endDate'): string | null {
  const given = c.req.query(name);
  if (given === undefined || given === '') return null;
  const day = utcDayOf(given);
  if (day === null) {
    throw refusal(400, `Invalid ${name}. Expected an ISO date string (YYYY-MM-DD).`);
  }
  return day;
}

/** Returns a day's row like deployed services, with the columns that no application fills. */
function rowOf(state: DailyState, athleteId: string, date: string) {
  return {
    id: state.id,
    userId: athleteId,
    date,
    ...dayOf(state),
    caloriesGoal: null,
    proteinGoal: null,
    carbsGoal: null,
    fatGoal: null,
    createdAt: state.firstReceivedAt,
    updatedAt: state.lastReceivedAt,
    aiAnalysis: null,
    aiAnalysisJson: null,
    aiAnalysisStatus: 'NOT_STARTED',
    aiAnalyzedAt: null,
    overallScore: null,
  };
}
