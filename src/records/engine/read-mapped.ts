import type { RawRecord } from '../types.ts';
import { scalarText } from '../values.ts';
import { NutritionDays } from './nutrition-days.ts';
import type { Row, Rows } from './row.ts';
import type { MappingOptions } from './row-values.ts';
import type { Mapping } from '../sources/types.ts';
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
): AsyncGenerator<RawRecord, void, undefined> {
  const reader =
    mapping.kind === 'wellness'
      ? new WellnessDays(mapping, options)
      : new NutritionDays(mapping, options);
  const { where } = mapping;
  const problems: RawRecord[] = [];
  for await (const rows of parts) {
    for (const row of rows) {
      if (where !== undefined && !isMeant(row, where)) continue;
      const { source, problem } = row;
      if (problem === undefined) reader.add(row, problems);
      else problems.push({ source, problem });
    }
    if (problems.length > 0) yield* problems.splice(0);
  }
  yield* reader.finish();
}

function isMeant(row: Row, where: NonNullable<Mapping['where']>): boolean {
  return Object.entries(where).every(([path, values]) => {
    const value = row.get(path);
    return values.some((wanted) => wanted === value || String(wanted) === scalarText(value));
  });
}
