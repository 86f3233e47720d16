import type { Context, Handler } from 'hono';
import { instantOf, isDayOrInstant } from './dates.ts';
import { serverError, type Problem } from '../http/problem.ts';
import { invalid } from '../http/validate.ts';
import type { SandboxEnv, World } from '../world.ts';

/**
 * `GET /api/workouts?limit=&offset=&startDate=&endDate=&type=&includeDuplicates=`: an array, newest
 * first. A plain day means its midnight in UTC, so `endDate` excludes that day.
 */
export function listWorkouts(world: World): Handler<SandboxEnv> {
  return async (c) => {
    const { athleteId } = c.get('bearer');
    const { current } = world.settings;
    const type = c.req.query('type');
    const filter = {
      limit: count(c, 'limit', 50, current.strict),
      offset: count(c, 'offset', 0, current.strict),
      from: instant(c, 'startDate', current.strict),
      before: instant(c, 'endDate', current.strict),
      type: type === undefined || type === '' || type === 'all' ? null : type,
      includeDuplicates: c.req.query('includeDuplicates') === 'true',
    };
    await world.recordings.process(athleteId, current);
    return c.json(world.recordings.workouts(athleteId, filter));
  };
}

function count(c: Context<SandboxEnv>, name: string, fallback: number, strict: boolean): number {
  const text = c.req.query(name);
  if (text === undefined || text === '') return fallback;
  const value = strict ? Number(text) : Number.parseInt(text, 10);
  if (Number.isInteger(value) && value >= 0) return value;
  throw refuse(name, 'Expected a whole number', text, strict);
}

function instant(c: Context<SandboxEnv>, name: string, strict: boolean): number | null {
  const text = c.req.query(name);
  if (text === undefined || text === '') return null;
  const value = strict && !isDayOrInstant(text) ? null : instantOf(text);
  if (value !== null) return value;
  throw refuse(name, 'Expected YYYY-MM-DD or an ISO 8601 instant', text, strict);
}

/** Returns 500 for an invalid value, like deployed services; with `strict` 400. */
function refuse(name: string, message: string, received: string, strict: boolean): Problem {
  if (!strict) return serverError();
  return invalid('query', [{ code: 'custom', path: [name], message, received }], true);
}
