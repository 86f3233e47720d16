import * as v from 'valibot';
import { midnightOf } from './dates.ts';
import { isObject, valueOf } from '../http/request-body.ts';
import { checked, finiteNumber, integer, requireStorable } from '../http/validate.ts';
import type { Call } from '../platform.ts';
import type { World } from '../world.ts';
import type { DailyState } from '../types.ts';

const number = v.optional(finiteNumber);
const text = v.optional(v.string());
/** Types of integer columns; {@link columns} finds the fields of each. The last two take decimals, which are rounded. */
const whole = v.optional(integer);
const count = v.optional(v.pipe(integer, v.minValue(0)));
const kilocalories = v.optional(finiteNumber);
const stress = v.optional(finiteNumber);

/** A day as applications send it, before Coach Watts converts it. */
export const sentWellness = v.object({
  date: v.string(),
  restingHr: whole,
  sleepSecs: whole,
  avgSleepingHr: whole,
  sleepScore: whole,
  sleepQuality: whole,
  sleepDeepSecs: whole,
  sleepRemSecs: whole,
  sleepLightSecs: whole,
  sleepAwakeSecs: whole,
  readiness: whole,
  recoveryScore: whole,
  steps: count,
  exerciseMinutes: count,
  floors: count,
  systolic: whole,
  diastolic: whole,
  stress,
  mood: whole,
  motivation: whole,
  fatigue: whole,
  soreness: whole,
  restingCaloriesBurned: kilocalories,
  activeCaloriesBurned: kilocalories,
  totalCaloriesBurned: kilocalories,
  hrv: number,
  weight: number,
  vo2max: number,
  hrvSdnn: number,
  sleepHours: number,
  bodyFat: number,
  abdomen: number,
  bloodGlucose: number,
  skinTemp: number,
  respiration: number,
  spO2: number,
  distanceMeters: v.optional(v.pipe(v.number(), v.minValue(0))),
  lactate: number,
  hydrationVolume: number,
  ctl: number,
  atl: number,
  injury: text,
  menstrualPhase: text,
  comments: text,
  rawJson: v.optional(v.unknown()),
  vo2Max: number,
});

function columns(...schemas: readonly v.GenericSchema[]): string[] {
  const fields: [string, v.GenericSchema][] = Object.entries(sentWellness.entries);
  return fields.flatMap(([name, schema]) => (schemas.includes(schema) ? [name] : []));
}

const KILOCALORIES = columns(kilocalories);
const INTEGER_COLUMNS = columns(whole, count, kilocalories, stress);
const COLUMNS = Object.keys(sentWellness.entries).filter(
  (name) => !['date', 'rawJson', 'vo2Max'].includes(name),
);

/**
 * `POST /api/wellness` (interface section 4.2): upserts by date and merges. Sent fields replace
 * stored ones, absent fields stay, `rawJson` objects merge.
 */
export function postWellness(c: Call) {
  const { world, bearer, platform, body } = c.var;
  const given = checked(platform.wellness, valueOf(body), 'wellness data');
  const { date: sentDate, rawJson, ...sent } = given;
  const date = platform.dayOf(sentDate);
  const before = world.daily.find(bearer.athleteId, 'wellness', date)?.record ?? {};
  const raw = mergedRaw(before['rawJson'], rawJson);
  const record: Record<string, unknown> = {
    ...before,
    ...platform.adapted(sent),
    ...(raw === undefined ? {} : { rawJson: raw }),
  };
  for (const name of KILOCALORIES) {
    const value = record[name];
    if (typeof value === 'number') record[name] = Math.round(value);
  }
  requireStorable(record, INTEGER_COLUMNS);
  const stored = world.daily.put(bearer.athleteId, 'wellness', date, record);
  return platform.stored(stored.id, { success: true, data: rowOf(stored, bearer.athleteId) });
}

/** `GET /api/wellness?startDate=&endDate=&limit=`: an array, newest first. */
export function listWellness(c: Call) {
  const { athleteId } = c.var.bearer;
  const { startDate = '', endDate, limit = '90' } = c.req.query();
  const rows = c.var.world.daily
    .list(athleteId, 'wellness')
    .filter(({ date }) => date >= startDate && (endDate === undefined || date <= endDate))
    .reverse()
    .slice(0, Number.parseInt(limit, 10))
    .map((state) => rowOf(state, athleteId));
  return c.json(rows);
}

/** Converts a day as Coach Watts does. */
export function adapted(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { vo2Max, ...rest } = sent;
  const record: Record<string, unknown> = { ...rest, vo2max: rest['vo2max'] ?? vo2Max };
  const change = (name: string, convert: (value: number) => number) => {
    const value = record[name];
    if (typeof value === 'number') record[name] = convert(value);
  };
  change('stress', (value) => Math.round(value > 10 ? value / 10 : value));
  change('spO2', (value) => (value <= 1 ? value * 100 : value));
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Merges two raw payloads; the keys of the new one win. */
function mergedRaw(before: unknown, sent: unknown): unknown {
  if (sent === undefined) return before;
  return isObject(sent) && isObject(before) ? { ...before, ...sent } : sent;
}

/** Returns a day's row like deployed services: every column, null if it is empty. */
function rowOf(state: DailyState, athleteId: string) {
  return {
    id: state.id,
    userId: athleteId,
    date: midnightOf(state.date),
    ...Object.fromEntries(COLUMNS.map((name) => [name, state.record[name] ?? null])),
    rawJson: state.record['rawJson'] ?? null,
    tsb: null,
    customMetrics: {},
    createdAt: state.firstReceivedAt,
    updatedAt: state.lastReceivedAt,
  };
}

/** Returns the athlete's newest weight (kg) and its day. */
export function newestWeight(
  world: World,
  athleteId: string,
): { weight: number; date: string } | null {
  for (const { date, record } of world.daily.list(athleteId, 'wellness').reverse()) {
    if (typeof record['weight'] === 'number') return { weight: record['weight'], date };
  }
  return null;
}
