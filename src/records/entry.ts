import type { Entry } from './types.ts';

/** Returns a number of an entry, not rounded; undefined if it has none. */
export function numberIn({ values, exact }: Entry, field: string): number | undefined {
  const value = values[field];
  return typeof value === 'number' ? (exact.get(field) ?? value) : undefined;
}
