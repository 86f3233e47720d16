import type { Handler } from 'hono';
import * as v from 'valibot';
import { isDayOrInstant, utcDayOf } from './dates.ts';
import { objectOf } from './request-body.ts';
import { checked, finiteNumber, integer, jsonObject } from './validate.ts';
import type { SandboxEnv, World } from './world.ts';

const INTEGERS = [
  'restingHr',
  'sleepSecs',
  'avgSleepingHr',
  'sleepScore',
  'sleepQuality',
  'sleepDeepSecs',
  'sleepRemSecs',
  'sleepLightSecs',
  'sleepAwakeSecs',
  'readiness',
  'recoveryScore',
  'steps',
  'exerciseMinutes',
  'floors',
  'systolic',
  'diastolic',
  'stress',
  'mood',
  'motivation',
  'fatigue',
  'soreness',
] as const;

const NUMBERS = [
  'hrv',
  'weight',
  'vo2max',
  'hrvSdnn',
  'sleepHours',
  'bodyFat',
  'abdomen',
  'bloodGlucose',
  'skinTemp',
  'respiration',
  'spO2',
  'restingCaloriesBurned',
  'activeCaloriesBurned',
  'totalCaloriesBurned',
  'distanceMeters',
  'lactate',
  'hydrationVolume',
  'ctl',
  'atl',
] as const;

const STRINGS = ['injury', 'menstrualPhase', 'comments'] as const;

const wellnessSchema = v.object({
  date: v.pipe(
    v.string(),
    v.check(isDayOrInstant, 'Expected YYYY-MM-DD or an ISO 8601 date and time'),
  ),
  ...fields(INTEGERS, v.optional(integer)),
  ...fields(NUMBERS, v.optional(finiteNumber)),
  ...fields(STRINGS, v.optional(v.string())),
  rawJson: v.optional(jsonObject),
});

function fields<TName extends string, TSchema>(names: readonly TName[], schema: TSchema) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<TName, TSchema>;
}

/**
 * `POST /api/wellness` (interface section 4.2): upserts by date and merges. Fields that are sent
 * replace, fields that are absent stay, `rawJson` objects merge.
 */
export function postWellness(world: World): Handler<SandboxEnv> {
  return (c) => {
    const input = checked(wellnessSchema, objectOf(c.get('body')), 'wellness record');
    if (c.get('successFalse')) return c.json(NOT_STORED);
    const { athleteId } = c.get('bearer');
    const { date: given, rawJson, ...sent } = input;
    const date = utcDayOf(given) ?? given;
    const before = world.daily.find(athleteId, 'wellness', date)?.record ?? {};
    const raw = mergedRaw(before['rawJson'], rawJson);
    const record = { ...before, ...sent, ...(raw === undefined ? {} : { rawJson: raw }) };
    const stored = world.daily.put(athleteId, 'wellness', date, record);
    return c.json({ success: true, data: { id: stored.id, date, ...stored.record } });
  };
}

/** What the knob `successFalse` answers with status 200. */
export const NOT_STORED = { success: false, message: 'The record could not be stored' } as const;

/** The raw payload so far, with the keys of the new one over it. */
export function mergedRaw(
  before: unknown,
  sent: Readonly<Record<string, unknown>> | undefined,
): unknown {
  if (sent === undefined) return before;
  return { ...(before as Record<string, unknown> | undefined), ...sent };
}
