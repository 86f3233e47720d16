import { draftOf } from '../members.ts';
import type { Notes } from '../notes.ts';
import type { JsonObject, Reading, RecordOptions, Values } from '../types.ts';
import { type RecordDate, farAhead } from './record-date.ts';

/** `sleepHours` is often rounded to a tenth; beyond that, two statements of one sleep differ. */
const SLEEP_TOLERANCE_SECS = 360;

/**
 * Makes the day of the values of a record, or refuses the record.
 *
 * @param faults the number of problems that cost a value; each other one refuses the record
 */
export function dayOf(
  read: Values,
  notes: Notes,
  dated: RecordDate | undefined,
  options: Pick<RecordOptions, 'now' | 'zone'>,
  faults: number,
): Reading {
  const { source, problems, isStrict } = notes;
  const conflict = sleepConflict(read.values);
  const values = conflict === undefined ? withSleepSecs(read.values) : withoutSleep(read.values);
  const ahead = dated && farAhead(dated.date, options);
  if (ahead !== undefined) notes.problem(dated?.names[0] ?? 'date', `${ahead}: check the year`);
  const isBare = Object.keys(values).every((name) => name === 'rawJson');
  if (isBare && problems.length === 0) {
    const problem = conflict ?? 'holds nothing to send besides its date';
    problems.push(conflict === undefined ? { problem } : { field: 'sleepHours', problem });
  } else if (conflict !== undefined) notes.adapt('sleepHours', conflict, 'neither is sent');
  if (dated === undefined || isBare || problems.length > (isStrict ? 0 : faults))
    return { source, date: dated?.date, problems };
  return draftOf(read, notes, { ...dated, values });
}

/** Hours alone become seconds, which is the interface's field. */
function withSleepSecs(fields: JsonObject): JsonObject {
  const { sleepHours: hours, sleepSecs: given } = fields;
  if (typeof hours !== 'number' || typeof given === 'number') return fields;
  const renamed = Object.entries(fields).map(([name, value]) =>
    name === 'sleepHours' ? ['sleepSecs', secsOf(hours)] : [name, value],
  );
  return Object.fromEntries(renamed) as JsonObject;
}

function secsOf(hours: number): number {
  return Math.round(hours * 3600);
}

/** Says why neither statement of a sleep is sent; undefined if they agree. */
function sleepConflict({ sleepHours: hours, sleepSecs: given }: JsonObject): string | undefined {
  if (typeof hours !== 'number' || typeof given !== 'number') return undefined;
  if (Math.abs(given - secsOf(hours)) <= SLEEP_TOLERANCE_SECS) return undefined;
  return `${hours} h is ${secsOf(hours)} s, and sleepSecs says ${given} s`;
}

function withoutSleep(fields: JsonObject): JsonObject {
  const isOther = ([name]: readonly [string, unknown]) =>
    !['sleepHours', 'sleepSecs'].includes(name);
  return Object.fromEntries(Object.entries(fields).filter(isOther));
}
