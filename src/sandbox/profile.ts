import type { Handler } from 'hono';
import * as v from 'valibot';
import type { Athlete, ProfileChange } from './athletes.ts';
import { objectOf } from './request-body.ts';
import { checked, finiteNumber, integer } from './validate.ts';
import type { SandboxEnv, World } from './world.ts';

const KG_PER_POUND = 0.45359237;

const changeSchema = v.object({
  weight: v.optional(v.pipe(finiteNumber, v.gtValue(0))),
  weightUnits: v.optional(v.picklist(['Kilograms', 'Pounds'])),
  ftp: v.optional(v.pipe(integer, v.minValue(1))),
  maxHr: v.optional(v.pipe(integer, v.minValue(1))),
  lthr: v.optional(v.pipe(integer, v.minValue(1))),
});

/** `GET /api/profile`. `weight` is in kg; `weightUnits` is what the athlete likes to read. */
export function getProfile(world: World): Handler<SandboxEnv> {
  return (c) => c.json({ profile: world.athletes.get(c.get('bearer').athleteId) });
}

/**
 * `PATCH /api/profile`. A weight without `weightUnits` is taken in the athlete's own display unit,
 * as deployed services do; `weightUnits` sets that unit.
 */
export function patchProfile(world: World): Handler<SandboxEnv> {
  return (c) => {
    const { athleteId } = c.get('bearer');
    const input = checked(changeSchema, objectOf(c.get('body')), 'profile');
    const change = inKilograms(input, world.athletes.get(athleteId));
    return c.json({ success: true, profile: world.athletes.change(athleteId, change) });
  };
}

function inKilograms(input: v.InferOutput<typeof changeSchema>, athlete: Athlete): ProfileChange {
  const { weight, weightUnits, ftp, maxHr, lthr } = input;
  const pounds = (weightUnits ?? athlete.weightUnits) === 'Pounds';
  return {
    ...(weight === undefined ? {} : { weight: pounds ? round(weight * KG_PER_POUND) : weight }),
    ...(weightUnits === undefined ? {} : { weightUnits }),
    ...(ftp === undefined ? {} : { ftp }),
    ...(maxHr === undefined ? {} : { maxHr }),
    ...(lthr === undefined ? {} : { lthr }),
  };
}

function round(kilograms: number): number {
  return Math.round(kilograms * 100) / 100;
}

/** `GET /api/oauth/userinfo`: with `profile:read` also FTP (W) and weight (kg). */
export function getUserinfo(world: World): Handler<SandboxEnv> {
  return (c) => {
    const { athleteId, scopes } = c.get('bearer');
    const { id, name, email, ftp, weight } = world.athletes.get(athleteId);
    return c.json({
      sub: id,
      name,
      email,
      picture: null,
      ...(scopes.includes('profile:read') ? { ftp, weight } : {}),
    });
  };
}
