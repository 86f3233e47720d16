import * as v from 'valibot';
import { instantOf } from './dates.ts';
import { refusal, serverError } from '../http/problem.ts';
import { valueOf } from '../http/request-body.ts';
import { checked, requireKnown } from '../http/validate.ts';
import type { Call } from '../platform.ts';
import type { SandboxWorkout } from './recordings.ts';

/**
 * `GET /api/workouts?limit=&offset=&startDate=&endDate=&type=&includeDuplicates=`: an array, newest
 * first. A plain day means its midnight in UTC, so `endDate` excludes that day.
 */
export async function listWorkouts(c: Call) {
  const { recordings, settings } = c.var.world;
  const { athleteId } = c.var.bearer;
  const type = c.req.query('type');
  const filter = {
    limit: parameter(c, 'limit', countOf) ?? 50,
    offset: parameter(c, 'offset', countOf) ?? 0,
    from: parameter(c, 'startDate', instantOf),
    before: parameter(c, 'endDate', instantOf),
    type: type === '' || type === 'all' ? undefined : type,
    includeDuplicates: c.req.query('includeDuplicates') === 'true',
  };
  await recordings.process(athleteId, settings.current);
  return c.json(recordings.workouts(athleteId, filter));
}

/** `GET /api/workouts` of the interface document, which shows neither a query nor rows. */
export async function listAllWorkouts(c: Call) {
  const { recordings, settings } = c.var.world;
  const { athleteId } = c.var.bearer;
  if (c.var.platform.isStrict) requireKnown('query parameter', Object.keys(c.req.query()), []);
  await recordings.process(athleteId, settings.current);
  const all = recordings.workouts(athleteId, { includeDuplicates: true });
  return c.json(all.map(documentedRow));
}

function documentedRow({ id, date, title, type, durationSec, distanceMeters }: SandboxWorkout) {
  return { id, date, title, type, durationSec, distanceMeters };
}

/** `PATCH /api/workouts/ID` with `{"title"}`. */
export function renameWorkout(c: Call) {
  const { world, bearer, body } = c.var;
  const { title } = checked(v.object({ title: v.string() }), valueOf(body), 'input');
  const workout = world.recordings.rename(bearer.athleteId, c.req.param('id') ?? '', title);
  if (workout === null) throw refusal(404, NO_WORKOUT);
  return c.json({ success: true, workout });
}

/** `DELETE /api/workouts/ID`: removes the workout and its recordings, which may be uploaded again. */
export function removeWorkout(c: Call) {
  const { world, bearer } = c.var;
  const isRemoved = world.recordings.remove(bearer.athleteId, c.req.param('id') ?? '');
  if (!isRemoved) throw refusal(404, NO_WORKOUT);
  return c.json({ success: true });
}

const NO_WORKOUT = 'Workout not found or access denied';

/** @throws Problem 500 for a value of which `parse` returns null, like deployed services */
function parameter(c: Call, name: string, parse: (text: string) => number | null) {
  const text = c.req.query(name);
  if (text === undefined || text === '') return undefined;
  const value = parse(text);
  if (value === null) throw serverError();
  return value;
}

function countOf(text: string): number | null {
  const value = Number.parseInt(text, 10);
  return value >= 0 ? value : null;
}
