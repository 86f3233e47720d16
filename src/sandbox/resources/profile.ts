import * as v from 'valibot';
import { midnightOf } from './dates.ts';
import { valueOf } from '../http/request-body.ts';
import { checked, finiteNumber, requireStorable } from '../http/validate.ts';
import { newestWeight } from './wellness.ts';
import type { Call } from '../platform.ts';
import type { AthleteProfile } from '../types.ts';

const KG_PER_POUND = 0.45359237;

const METRICS = ['ftp', 'maxHr', 'lthr'] as const;
const schema = v.object({
  weight: v.nullish(finiteNumber),
  weightUnits: v.optional(v.picklist(['Kilograms', 'Pounds'])),
  ftp: v.nullish(finiteNumber),
  maxHr: v.nullish(finiteNumber),
  lthr: v.nullish(finiteNumber),
});

/** `GET /api/profile`. `weight` is in kg; `weightUnits` is the athlete's display unit. */
export function getProfile(c: Call) {
  const { world, bearer } = c.var;
  const athlete = world.athletes.get(bearer.athleteId);
  const found = newestWeight(world, bearer.athleteId);
  // An update of the profile writes a measurement, too.
  const isOlder = Date.parse(found?.date ?? '') < (athlete.weighedAt ?? 0);
  const newest = isOlder ? null : found;
  return c.json({
    connected: true,
    profile: {
      ...rowOf(athlete),
      effectiveWeight: newest?.weight ?? athlete.weight,
      effectiveWeightSource:
        newest === null ? null : { type: 'wellness', date: midnightOf(newest.date) },
    },
  });
}

/**
 * `PATCH /api/profile`. A weight without `weightUnits` is in the athlete's display unit, and
 * `weightUnits` **changes** that unit permanently.
 */
export function patchProfile(c: Call) {
  const { world, bearer, body } = c.var;
  const input = checked(schema, valueOf(body), 'input');
  const change = changeOf(input, world.athletes.get(bearer.athleteId), world.now());
  requireStorable(change, METRICS);
  const athlete = world.athletes.change(bearer.athleteId, change);
  return c.json({ success: true, profile: rowOf(athlete) });
}

/** Returns the changed fields: null and absent ones change nothing. */
function changeOf(
  { weight, weightUnits, ...metrics }: v.InferOutput<typeof schema>,
  athlete: AthleteProfile,
  now: number,
): Partial<AthleteProfile> {
  const units = weightUnits ?? athlete.weightUnits;
  const numbers = Object.entries(metrics).filter(([, value]) => typeof value === 'number');
  const change = Object.fromEntries(numbers.map(([name, value]) => [name, Math.trunc(value ?? 0)]));
  if (typeof weight !== 'number') return { ...change, weightUnits: units };
  const kilograms = units === 'Pounds' ? Math.round(weight * KG_PER_POUND * 100) / 100 : weight;
  return { ...change, weightUnits: units, weight: kilograms, weighedAt: now };
}

/** Returns an athlete's row, with some of the columns that no application fills. */
function rowOf(athlete: AthleteProfile) {
  return {
    ...athlete,
    weighedAt: undefined,
    nickname: null,
    language: 'English',
    uiLanguage: 'en',
    weightSourceMode: 'AUTO',
    height: null,
    heightUnits: 'cm',
    distanceUnits: 'Kilometers',
    temperatureUnits: 'Celsius',
    restingHr: null,
    visibility: 'Private',
    sex: null,
    dob: null,
    city: null,
    state: null,
    country: null,
  };
}

/** `GET /api/oauth/userinfo`: includes FTP (W) and weight (kg) with `profile:read`. */
export function getUserinfo(c: Call) {
  const { athleteId, scopes } = c.var.bearer;
  const { id, name, email, ftp, weight } = c.var.world.athletes.get(athleteId);
  return c.json({
    sub: id,
    name,
    email,
    picture: null,
    ...(scopes.includes('profile:read') ? { ftp, weight } : {}),
  });
}
