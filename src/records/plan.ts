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

/**
 * Notes a problem: a member that says that its record was planned, taken back, or of several days.
 *
 * @param path the record's own place
 */
export function notePlan(
  unknown: readonly string[],
  record: JsonObject,
  notes: Notes,
  path = '',
): void {
  const name = unknown.find((each) => {
    const value = record[each];
    if (typeof value === 'boolean') return (value ? IS_NOT : IS).test(plain(each));
    const text = scalarText(value);
    return PLANNED.test(text) || (OF_DAYS.test(text) && PERIOD.test(plain(each)));
  });
  if (name === undefined) return;
  notes.problem(
    joinPointer(path, name),
    `is ${show(record[name] ?? null)}: only what was measured or eaten on the day is sent`,
  );
}
