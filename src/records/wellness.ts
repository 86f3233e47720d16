import { WELLNESS_FIELDS } from './fields.ts';
import { Names } from './names.ts';
import { noteMissingDate, readDate } from './record-date.ts';
import type { JsonValue, Reading, RecordOptions } from './types.ts';
import { isObject, readFields, show, type Notes } from './values.ts';

const names = new Names(WELLNESS_FIELDS);

/** `sleepHours` is often rounded to a tenth; beyond that, two statements of one sleep differ. */
const SLEEP_TOLERANCE_SECS = 360;

/**
 * Reads one wellness record (interface 2.2): its local date and its fields, by the table of
 * {@link WELLNESS_FIELDS}. Fields that the table does not know pass as they are.
 */
export function readWellness(value: JsonValue, notes: Notes, options: RecordOptions): Reading {
  if (!isObject(value)) {
    return { ok: false, problems: [{ problem: `is ${show(value)}; an object is expected` }] };
  }
  const date = readDate(value, options.zone, notes);
  if (date === undefined) noteMissingDate(value, notes);
  const dateSpelling = new Set(typeof date === 'object' ? date.names : []);
  const { known, unknown } = readFields(value, WELLNESS_FIELDS, names, notes, '', dateSpelling);
  const fields = new Map([...withSleepSecs(known, notes), ...unknown]);
  if (fields.size === 0 && notes.problems.length === 0) {
    notes.problems.push({ problem: 'holds nothing to send besides its date' });
  }
  if (typeof date !== 'object' || notes.problems.length > 0) {
    const known = typeof date === 'object' ? { date: date.date } : {};
    return { ok: false, ...known, problems: notes.problems };
  }
  if (options.raw && !fields.has('rawJson')) fields.set('rawJson', value);
  const { source, warnings } = notes;
  const { zoneUsed } = date;
  return { ok: true, drafts: [{ date: date.date, source, fields, items: [], warnings, zoneUsed }] };
}

/** Hours alone become seconds, which is the interface's field. */
function withSleepSecs(
  fields: ReadonlyMap<string, JsonValue>,
  notes: Notes,
): ReadonlyMap<string, JsonValue> {
  const hours = fields.get('sleepHours');
  if (typeof hours !== 'number') return fields;
  const secs = Math.round(hours * 3600);
  const given = fields.get('sleepSecs');
  if (typeof given !== 'number') {
    const renamed = [...fields].map(([name, value]): [string, JsonValue] =>
      name === 'sleepHours' ? ['sleepSecs', secs] : [name, value],
    );
    return new Map(renamed);
  }
  if (Math.abs(given - secs) > SLEEP_TOLERANCE_SECS) {
    notes.warn('sleepHours', `${hours} h is ${secs} s, but sleepSecs says ${given} s: both sent`);
  }
  return fields;
}
