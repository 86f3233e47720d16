import { NUTRITION_FIELDS, WELLNESS_FIELDS } from '../fields.ts';
import { listNames } from '../listed.ts';
import { Names, plain } from '../names.ts';
import { notePlan } from '../plan.ts';
import { farAhead, noteMissingDate, readDate } from '../days/record-date.ts';
import { unreadExport } from '../sources/unread.ts';
import { foreignNames } from '../sources/foreign.ts';
import type { JsonObject, JsonValue, Reading, RecordOptions } from '../types.ts';
import type { Notes } from '../notes.ts';
import { entryOf, isObject, noteNothingKnown, noteUnknown, readFields, show } from '../values.ts';

const names = new Names(WELLNESS_FIELDS);
const nutritionNames = new Names(NUTRITION_FIELDS);

/** `sleepHours` is often rounded to a tenth; beyond that, two statements of one sleep differ. */
const SLEEP_TOLERANCE_SECS = 360;

/**
 * Reads one wellness record (interface 2.2): its local date and its fields, by the table of
 * {@link WELLNESS_FIELDS}. Fields that the table does not know pass as they are, with a warning; a
 * record that has no others is invalid, since nothing of it would be kept.
 */
export function readWellness(value: JsonValue, notes: Notes, options: RecordOptions): Reading {
  const { source } = notes;
  if (!isObject(value)) {
    return {
      source,
      drafts: [],
      problems: [{ problem: `is ${show(value)}; an object is expected` }],
    };
  }
  const date = readDate(value, options.zone, notes);
  if (date === undefined) noteMissingDate(value, notes);
  const dateSpelling = typeof date === 'object' ? date.names : [];
  const faulty = faultyMembers(notes);
  const isDated = typeof date === 'object' && !date.names.some((name) => faulty.includes(name));
  const before = notes.problems.length;
  const skip = [...dateSpelling, ...faulty];
  const { read, unknown } = readFields(value, names, notes, '', skip);
  const { values: known } = read;
  for (const member of faultyMembers(notes)) {
    Reflect.deleteProperty(known, names.find(member) ?? '');
  }
  const fields = withSleepSecs(known, notes);
  const ofValues = notes.problems.length;
  const nothingKnown = unknown.length > 0 && Object.keys(known).every((name) => name === 'rawJson');
  const foreign = nothingKnown ? [] : foreignNames(unknown, Object.keys(known));
  if (foreign.length > 0) notes.problems.push({ problem: `${NO_DIARY}: ${listNames(foreign)}` });
  else if (!nothingKnown) noteUnknown(unknown, names, notes);
  else if (notes.problems.length === before) {
    if (isNutrition(value)) notes.problems.push({ problem: NUTRITION_FILE });
    else noteNothingKnown(unknown, names, notes);
  }
  const isExport = nothingKnown && unreadExport(unknown.join('\n')) !== undefined;
  const isStrange = isExport || (nothingKnown && !unknown.some((name) => names.nearest(name)));
  const ahead = typeof date === 'object' ? farAhead(date.date, options) : undefined;
  if (ahead !== undefined) notes.problem(dateSpelling[0] ?? 'date', `${ahead}: check the year`);
  notePlan(unknown, value, notes);
  if (Object.keys(fields).length === 0 && notes.problems.length === 0) {
    notes.problems.push({ problem: 'holds nothing to send besides its date' });
  }
  const { problems, warnings, recurring, isMapped: mapped } = notes;
  const said = isDated ? { date: date.date } : {};
  // A faulty value costs itself, unless nothing else is left.
  const isRefused =
    problems.length > (notes.isStrict ? 0 : ofValues) ||
    (problems.length > 0 && Object.keys(fields).every((name) => name === 'rawJson'));
  const isOther = problems.at(-1)?.problem === NUTRITION_FILE;
  const other = isOther ? { isOtherKind: true as const } : isStrange ? { strange: unknown } : {};
  if (!isDated || isRefused) return { source, drafts: [], ...said, problems, ...other };
  const { zoneUsed } = date;
  const day = entryOf(read, notes, { date: date.date, values: fields });
  const draft = { day, warnings, recurring, zoneUsed, at: notes.at ?? date.at, mapped };
  return { source, drafts: [draft], date: date.date, problems };
}

/** Returns the members of a record that have a problem; none if strict, since the record is refused. */
function faultyMembers({ isStrict, problems }: Notes): string[] {
  return (isStrict ? [] : problems).map(({ field = '' }) => field.replace(/\/.*/s, ''));
}

const NO_DIARY = 'is perhaps no wellness. Remove these members';
const NUTRITION_FILE =
  'there is nothing in it that the platform takes as wellness; is this a nutrition file?';

function isNutrition(record: JsonObject): boolean {
  return Object.keys(record).some(
    (name) => plain(name) === 'items' || (nutritionNames.find(name) ?? 'rawJson') !== 'rawJson',
  );
}

/** Hours alone become seconds, which is the interface's field. */
function withSleepSecs(fields: JsonObject, notes: Notes): JsonObject {
  const { sleepHours: hours, sleepSecs: given } = fields;
  if (typeof hours !== 'number') return fields;
  const secs = Math.round(hours * 3600);
  if (typeof given !== 'number') {
    const renamed = Object.entries(fields).map(([name, value]) =>
      name === 'sleepHours' ? ['sleepSecs', secs] : [name, value],
    );
    return Object.fromEntries(renamed) as JsonObject;
  }
  if (Math.abs(given - secs) > SLEEP_TOLERANCE_SECS) {
    notes.warn('sleepHours', `${hours} h is ${secs} s, but sleepSecs says ${given} s: both sent`);
  }
  return fields;
}
