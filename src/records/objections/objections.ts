import { groupBy } from '../../base/group-by.ts';
import type { Entry } from '../types.ts';
import { COLUMN_JUDGES, withoutUnit } from './columns.ts';
import { energyOfMacros, farWeights, ofEntries } from './entries.ts';
import { type Columns, type FileFacts, type Objection, about, numberIn } from './objection.ts';

/**
 * Finds values within their range that are not what their field says: in another unit, of several days, or
 * in contradiction to others. Every judge sees all values of the input.
 */

type Judge = (entries: readonly Entry[], facts: FileFacts) => Objection[];

const VALUE_JUDGES: readonly Judge[] = [withoutUnit, farWeights, ofEntries, energyOfMacros];

/** Returns the objections to the values of an input. Values that the user confirmed have none. */
export function objectionsTo(entries: readonly Entry[], facts: FileFacts): Objection[] {
  const days = entries.filter(({ path }) => path === '');
  const names = new Set(days.flatMap(({ values }) => Object.keys(values)));
  const columns: Columns = new Map(
    [...names].map((field) => [field, days.filter((day) => numberIn(day, field) !== undefined)]),
  );
  const ofColumns = [...columns].flatMap(([field, column]) =>
    COLUMN_JUDGES.flatMap((judge) => judge(field, column, facts, columns) ?? []),
  );
  const ofValues = VALUE_JUDGES.flatMap((judge) => judge(entries, facts));
  const all = [...ofColumns, ...ofValues, ...mostInDoubt(ofValues, columns)];
  return all.filter(({ field, is }) => !isConfirmed(field, is, facts));
}

/** If most values of a field are perhaps in another unit, all are. */
function mostInDoubt(objections: readonly Objection[], columns: Columns): Objection[] {
  const doubts = objections.filter(({ is, whole }) => is === 'unit' && whole === undefined);
  return [...groupBy(doubts, ({ field }) => field)].flatMap(([field, all]) => {
    const doubted = new Set(all.flatMap(({ entries }) => entries));
    const rest = (columns.get(field) ?? []).filter((entry) => !doubted.has(entry));
    if (doubted.size < 2 || doubted.size <= rest.length) return [];
    const why = `and most values of the field are in doubt: one ${all[0]?.found ?? ''}`;
    return rest.map((entry) =>
      about(field, entry, `is ${numberIn(entry, field) ?? ''}, ${why}`, 'unit'),
    );
  });
}

function isConfirmed(field: string, is: Objection['is'], { units, ofDay }: FileFacts): boolean {
  if (is === 'days') return ofDay?.has(field) === true;
  return is === 'unit' && units?.has(field) === true;
}
