import { listNames } from '../listed.ts';
import { NUTRITION_NAMES, WELLNESS_NAMES, plain } from '../names.ts';
import { notePlan } from '../plan.ts';
import { noteMissingDate, readDate } from '../days/record-date.ts';
import { dayOf } from '../days/wellness-day.ts';
import { unreadExport } from '../engine/unread.ts';
import { foreignNames } from '../engine/foreign.ts';
import {
  type JsonObject,
  type Reading,
  type RecordOptions,
  type RawRecord,
  isDraft,
} from '../types.ts';
import { Notes } from '../notes.ts';
import { noteNothingKnown, noteUnknown, readFields } from '../members.ts';
import { isObject, show } from '../values.ts';

/**
 * Reads one wellness record (interface 2.2): its local date and its fields. A record of members alone that the platform
 * does not know is invalid, since nothing of it would be kept.
 */
export function readWellness({ source, value }: RawRecord, options: RecordOptions): Reading {
  const notes = new Notes(source, options.strict, options.sources?.units);
  if (!isObject(value)) {
    return { source, problems: [{ problem: `is ${show(value)}; an object is expected` }] };
  }
  const date = readDate(value, options.zone, notes);
  if (date === undefined) noteMissingDate(value, notes);
  const dated = typeof date === 'object' ? date : undefined;
  const undated = notes.problems.length;
  const dates = dated?.names ?? notes.problems.flatMap(({ field }) => field ?? []);
  const { read, unknown } = readFields(value, WELLNESS_NAMES, notes, '', dates);
  const known = Object.keys(read.values);
  const faults = notes.problems.length;
  const nothingKnown = unknown.length > 0 && known.every((name) => name === 'rawJson');
  const foreign = nothingKnown ? [] : foreignNames(unknown, known);
  if (foreign.length > 0) notes.problems.push({ problem: `${NO_DIARY}: ${listNames(foreign)}` });
  else if (!nothingKnown) noteUnknown(unknown, WELLNESS_NAMES, notes);
  else if (faults === undated) {
    if (isNutrition(value)) notes.problems.push({ problem: NUTRITION_FILE });
    else noteNothingKnown(unknown, WELLNESS_NAMES, notes);
  }
  const isExport = nothingKnown && unreadExport(unknown.join('\n')) !== undefined;
  const isStrange =
    isExport || (nothingKnown && !unknown.some((name) => WELLNESS_NAMES.nearest(name)));
  notePlan(unknown, value, notes);
  const reading = dayOf(read, notes, dated, options, faults);
  if (isDraft(reading)) return reading;
  const isOther = reading.problems.some(({ problem }) => problem === NUTRITION_FILE);
  if (isOther) return { ...reading, isOtherKind: true };
  return isStrange ? { ...reading, strange: unknown } : reading;
}

const NO_DIARY =
  'is perhaps not wellness, or not in the platform’s units. If it is both, remove these members';
const NUTRITION_FILE =
  'there is nothing in it that the platform takes as wellness; is this a nutrition file?';

function isNutrition(record: JsonObject): boolean {
  return Object.keys(record).some(
    (name) => plain(name) === 'items' || (NUTRITION_NAMES.find(name) ?? 'rawJson') !== 'rawJson',
  );
}
