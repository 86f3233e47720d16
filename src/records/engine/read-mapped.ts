import { SyncError } from '../../base/errors.ts';
import type { JsonValue, RawRecord, Reading } from '../types.ts';
import { scalarText } from '../values.ts';
import { People } from '../people.ts';
import { NutritionDays } from './nutrition-days.ts';
import { type Row, type Rows, firstValue } from './row.ts';
import { numbersOf, orderOf } from './time.ts';
import { type MappingOptions, type RowFault, refusalOf } from './row-values.ts';
import type { Mapping, Path } from '../sources/types.ts';
import { WellnessDays } from './wellness-days.ts';

/** Reads the records of an export with the mapping of its source. */

/**
 * Reads all rows, and yields one record a day in the platform's form, by date; before them, a problem
 * for each value that cannot be read. Rows without a mapped value are left out.
 */
export async function* readMapped(
  parts: Rows,
  mapping: Mapping,
  options: MappingOptions,
): AsyncGenerator<RawRecord | Reading, void, undefined> {
  const reader =
    mapping.kind === 'wellness'
      ? new WellnessDays(mapping, options)
      : new NutritionDays(mapping, options);
  const where = Object.entries(mapping.where ?? {});
  const unless = Object.entries(mapping.unless ?? {});
  const { person = [] } = mapping;
  const people = new People();
  const { from, format } = mapping.kind === 'wellness' ? mapping.day : mapping.time;
  const isTable = mapping.format === 'csv';
  const stated = format === 'mdy' ? format : undefined;
  const mayLackOrder = isTable && (format === undefined || stated !== undefined);
  const problems: RowFault[] = [];
  /** Rows with dates such as 11/21/2026: all of them together settle which number is the day. */
  const yearLast: Row[] = [];
  for await (const rows of parts) {
    for (const row of rows) {
      if (isTable && isDeleted(row)) continue;
      if (!where.every(isIn(row)) || unless.some(isIn(row))) continue;
      const column = [person].flat().find((path) => scalarText(row.get(path)) !== '');
      if (column !== undefined) people.add(column, row.get(column));
      const { source, problem, doubt } = row;
      if (problem !== undefined && doubt !== undefined) options.cutOff?.();
      if (problem !== undefined) problems.push({ source, problem });
      else if (mayLackOrder && numbersOf(firstValue(row, from), 'dmy') !== undefined) {
        yearLast.push(row);
      } else reader.add(row, problems);
    }
    if (problems.length > 0) yield* problems.splice(0).map(refusalOf);
  }
  people.rejectSeveral(options.name ?? '');
  for (const row of inOrder(yearLast, [from].flat(), stated)) reader.add(row, problems);
  yield* problems.splice(0).map(refusalOf);
  yield* reader.finish();
}

/** Programs export what the user deleted, too. */
function isDeleted(row: Row): boolean {
  return /^(?:1|true|yes)$/i.test(scalarText(row.get('deleted')));
}

/**
 * Writes the dates of rows with the year first, or in the order that the source states.
 *
 * @param stated the order, unless the dates settle another
 * @throws SyncError `INPUT_INVALID` if no number above 12 settles the order, or they contradict each other
 */
function inOrder(rows: readonly Row[], paths: readonly string[], stated?: 'mdy'): readonly Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const order = orderOf(rows.map((row) => firstValue(row, paths)));
  if (stated !== undefined && order !== 'dmy') return rows;
  if (order === undefined) {
    const written = scalarText(firstValue(first, paths));
    const message = `${first.source}: ${written} does not say which number is the day, and no other date of the file settles it.`;
    const hint = 'Write the dates of the file with the year first: 2026-11-24.';
    throw new SyncError('INPUT_INVALID', message, { hint });
  }
  return rows.map((row) => {
    const date =
      stated === undefined
        ? numbersOf(firstValue(row, paths), order)
        : swapped(firstValue(row, paths));
    return { ...row, get: (path) => (paths.includes(path) ? date : row.get(path)) };
  });
}

/** Writes a date with its first two numbers in the other order. */
function swapped(value: JsonValue | undefined): string {
  return scalarText(value).replace(/^\s*(\d+)(\D)(\d+)/, '$3$2$1');
}

/** Checks for a member with one of some values. */
function isIn(row: Row): (condition: readonly [Path, readonly unknown[]]) => boolean {
  return ([path, values]) => {
    const value = row.get(path);
    return values.some((wanted) => wanted === value || String(wanted) === scalarText(value));
  };
}
