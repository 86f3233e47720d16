import type { Context, Handler } from 'hono';
import * as v from 'valibot';
import { instantOf } from './dates.ts';
import { refusal, serverError } from '../http/problem.ts';
import { isStrict, requireKnown } from '../interface.ts';
import type { SandboxWorkout } from './recordings.ts';
import { valueOf } from '../http/request-body.ts';
import { checked } from '../http/validate.ts';
import type { SandboxEnv, World } from '../world.ts';

/**
 * `GET /api/workouts?limit=&offset=&startDate=&endDate=&type=&includeDuplicates=`: an array, newest
 * first. A plain day means its midnight in UTC, so `endDate` excludes that day. The kind `interface` knows no
 * query: it lists all.
 */
export function listWorkouts(world: World): Handler<SandboxEnv> {
  return async (c) => {
    const { athleteId } = c.get('bearer');
    const { current } = world.settings;
    if (current.platform === 'interface') {
      if (isStrict(current)) requireKnown('query parameter', Object.keys(c.req.query()));
      await world.recordings.process(athleteId, current);
      const all = world.recordings.workouts(athleteId, { includeDuplicates: true });
      return c.json(all.map(documentedRow));
    }
    const type = c.req.query('type');
    const filter = {
      limit: count(c, 'limit', 50),
      offset: count(c, 'offset', 0),
      from: instant(c, 'startDate'),
      before: instant(c, 'endDate'),
      type: type === '' || type === 'all' ? undefined : type,
      includeDuplicates: c.req.query('includeDuplicates') === 'true',
    };
    await world.recordings.process(athleteId, current);
    return c.json(world.recordings.workouts(athleteId, filter));
  };
}

/** The document shows no rows. */
function documentedRow({ id, date, title, type, durationSec, distanceMeters }: SandboxWorkout) {
  return { id, date, title, type, durationSec, distanceMeters };
}

/** `PATCH /api/workouts/ID` with `{"title"}`. */
export function renameWorkout(world: World): Handler<SandboxEnv> {
  return (c) => {
    const { athleteId } = c.get('bearer');
    const { title } = checked(v.object({ title: v.string() }), valueOf(c.get('body')), 'input');
    const workout = world.recordings.rename(athleteId, c.req.param('id') ?? '', title);
    if (workout === null) throw refusal(404, NO_WORKOUT);
    return c.json({ success: true, workout });
  };
}

/** `DELETE /api/workouts/ID`: removes the workout and its recordings, which may be uploaded again. */
export function removeWorkout(world: World): Handler<SandboxEnv> {
  return (c) => {
    const { athleteId } = c.get('bearer');
    const isRemoved = world.recordings.remove(athleteId, c.req.param('id') ?? '');
    if (!isRemoved) throw refusal(404, NO_WORKOUT);
    return c.json({ success: true });
  };
}

const NO_WORKOUT = 'Workout not found or access denied';

/** @throws Problem 500 for an invalid value, like deployed services */
function count(c: Context<SandboxEnv>, name: string, fallback: number): number {
  const text = c.req.query(name);
  if (text === undefined || text === '') return fallback;
  const value = Number.parseInt(text, 10);
  if (value >= 0) return value;
  throw serverError();
}

/** @throws Problem 500 for an invalid value, like deployed services */
function instant(c: Context<SandboxEnv>, name: string): number | undefined {
  const text = c.req.query(name);
  if (text === undefined || text === '') return undefined;
  const value = instantOf(text);
  if (value !== null) return value;
  throw serverError();
}
