import { serverError } from './problem.ts';
import { isObject } from './request-body.ts';
import { invalid } from './validate.ts';

/** Largest value of the database's integer columns. */
const MAX_INTEGER = 2_147_483_647;
// A lone surrogate: a pair is one character under the flag u.
const NOT_TEXT = /\0|\p{Surrogate}/u;

interface Unstorable {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Refuses what the database of deployed services cannot hold: text with NUL or an unpaired
 * surrogate anywhere, and 32-bit overflow in integer columns.
 * @throws Problem 500, or 400 with the field if `strict`
 */
export function requireStorable(
  record: Readonly<Record<string, unknown>>,
  integerColumns: readonly string[],
  strict: boolean,
): void {
  const found = badText(record) ?? overflow(record, integerColumns);
  if (found === null) return;
  if (!strict) throw serverError();
  throw invalid('data', [{ code: 'custom', ...found }], true);
}

function badText(value: unknown, path: Unstorable['path'] = []): Unstorable | null {
  if (typeof value === 'string') {
    return NOT_TEXT.test(value)
      ? { path, message: 'NUL or an unpaired surrogate cannot be stored' }
      : null;
  }
  const entries = Array.isArray(value)
    ? value.map((each: unknown, index) => [index, each] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, each] of entries) {
    const found = badText(key, [...path, key]) ?? badText(each, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function overflow(
  record: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Unstorable | null {
  const column = columns.find((name) => Math.abs(Number(record[name] ?? 0)) > MAX_INTEGER);
  return column === undefined
    ? null
    : { path: [column], message: `Number must be at most ${MAX_INTEGER}` };
}
