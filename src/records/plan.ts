import { joinPointer } from './listed.ts';
import { plain } from './names.ts';
import type { Notes } from './notes.ts';
import type { JsonObject } from './types.ts';
import { scalarText, show } from './values.ts';

const PLANNED = /^(?:goal|target|plan(?:ned)?|forecast|prediction|predicted)$/i;
/** Words for a value of several days, in members that state the period: a mood may be "average", too. */
const OF_DAYS =
  /^(?:(?:\d+-day |weekly |monthly )?(?:average|avg|mean)|week(?:ly)?|month(?:ly)?)$/i;
const PERIOD =
  /^(?:period|type|kind|aggregat|interval|granularity|resolution|frequency|range|window|span|statistic|summary|scope)/;
/** Members that take a record back if they are true, or false. */
const IS_NOT = /^(?:is)?(?:deleted|goal|target|planned|forecast|predicted)$/i;
const IS = /^(?:is|was)?(?:eaten|consumed)$/i;

/** Problem of a food without a content. */
export const ONLY_TIME = 'has nothing but its time: write a "name" or "carbs"';

/** Returns the first of some members that says that its record was planned, taken back, or of several days. */
export function planIn(names: readonly string[], record: JsonObject) {
  const field = names.find((each) => {
    const value = record[each];
    if (typeof value === 'boolean') return (value ? IS_NOT : IS).test(plain(each));
    const text = scalarText(value);
    return PLANNED.test(text) || (OF_DAYS.test(text) && PERIOD.test(plain(each)));
  });
  if (field === undefined) return undefined;
  const value = show(record[field] ?? null);
  return { field, problem: `is ${value}: only what was measured or eaten on the day is sent` };
}

/**
 * Notes a problem with such a member.
 *
 * @param path the record's own place
 */
export function notePlan(
  unknown: readonly string[],
  record: JsonObject,
  notes: Notes,
  path = '',
): void {
  const plan = planIn(unknown, record);
  if (plan !== undefined) notes.problem(joinPointer(path, plan.field), plan.problem);
}
