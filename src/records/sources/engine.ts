import type { RawRecord } from '../types.ts';
import { scalarText } from '../values.ts';
import { NutritionDays } from './nutrition-days.ts';
import type { Row } from './row.ts';
import type { MappingOptions } from './row-values.ts';
import type { Mapping } from './types.ts';
import { WellnessDays } from './wellness-days.ts';

/** Reads the records of an export with the mapping of its source. */

/**
 * Reads all rows, and yields one record a day in the platform's form, by date; before them, a problem
 * for each value that cannot be read. Rows without a mapped value are left out.
 */
export async function* readMapped(
  rows: AsyncIterable<Row> | Iterable<Row>,
  mapping: Mapping,
  options: MappingOptions,
): AsyncGenerator<RawRecord, void, undefined> {
  const reader =
    mapping.kind === 'wellness'
      ? new WellnessDays(mapping, options)
      : new NutritionDays(mapping, options);
  for await (const row of rows) {
    if (isMeant(row, mapping)) yield* reader.add(row);
  }
  yield* reader.finish();
}

function isMeant(row: Row, { where = {} }: Mapping): boolean {
  return Object.entries(where).every(([path, values]) => {
    const value = row.get(path);
    return values.some((wanted) => wanted === value || String(wanted) === scalarText(value));
  });
}
