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
  const values = withSleepSecs(read.values, notes);
  const ahead = dated && farAhead(dated.date, options);
  if (ahead !== undefined) notes.problem(dated?.names[0] ?? 'date', `${ahead}: check the year`);
  const names = Object.keys(values);
  if (names.length === 0 && problems.length === 0)
    problems.push({ problem: 'holds nothing to send besides its date' });
  const isEmpty = problems.length > 0 && names.every((name) => name === 'rawJson');
  if (dated === undefined || isEmpty || problems.length > (isStrict ? 0 : faults))
    return { source, date: dated?.date, problems };
  return draftOf(read, notes, { ...dated, values });
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
  if (Math.abs(given - secs) <= SLEEP_TOLERANCE_SECS) return fields;
  const found = `${hours} h is ${secs} s, and sleepSecs says ${given} s`;
  notes.adapt('sleepHours', found, 'neither is sent');
  const others = Object.entries(fields).filter(
    ([name]) => name !== 'sleepHours' && name !== 'sleepSecs',
  );
  return Object.fromEntries(others);
}
