import type { Context, Handler } from 'hono';
import { instantOf, isPlainDate } from './dates.ts';
import { invalid } from './validate.ts';
import type { Problem } from './problem.ts';
import type { SandboxEnv, World } from './world.ts';

const DAY_MS = 24 * 3600 * 1000;
const MAX_LIMIT = 200;

/** `GET /api/workouts?limit=&offset=&startDate=&endDate=&type=`: an array, newest first. */
export function listWorkouts(world: World): Handler<SandboxEnv> {
  return async (c) => {
    const workouts = await world.recordings.workouts(c.get('bearer').athleteId, {
      limit: Math.min(count(c, 'limit', 50, 1), MAX_LIMIT),
      offset: count(c, 'offset', 0, 0),
      from: edge(c, 'startDate', 0),
      before: edge(c, 'endDate', DAY_MS),
      type: c.req.query('type') ?? null,
    });
    return c.json(workouts);
  };
}

function count(c: Context<SandboxEnv>, name: string, fallback: number, least: number): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < least) throw refuse(name, `Expected a whole number, ${least} or more`, text);
  return value;
}

/** A plain date is a UTC day, and the end day belongs to the range; an instant is itself. */
function edge(c: Context<SandboxEnv>, name: string, dayLength: number): number | null {
  const text = c.req.query(name);
  if (text === undefined) return null;
  if (isPlainDate(text)) return Date.parse(text) + dayLength;
  const instant = instantOf(text);
  if (instant === null) throw refuse(name, 'Expected YYYY-MM-DD or an ISO 8601 instant', text);
  return instant;
}

function refuse(name: string, message: string, received: string): Problem {
  return invalid('query', [{ code: 'custom', path: [name], message, received }], true);
}
