import * as v from 'valibot';
import { refusal, serverError, type Issue, type Problem } from './problem.ts';
import { isObject } from './request-body.ts';

export const finiteNumber = v.pipe(v.number(), v.finite());
export const integer = v.pipe(v.number(), v.integer());
/** Any JSON object. Valibot's record also accepts arrays. */
export const jsonObject = v.custom<Record<string, unknown>>(isObject, 'Expected a JSON object');

/**
 * Checks a body, and drops unknown fields like deployed services do.
 * @param words a deployed service's name for the body; `strict` adds the first wrong field
 * @throws Problem 400 with every issue in `data`
 */
export function checked<TSchema extends v.GenericSchema>(
  schema: TSchema,
  value: unknown,
  words: string,
  strict = true,
): v.InferOutput<TSchema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalid(words, result.issues.map(toIssue), strict);
}

/** Creates a 400 with every issue. */
export function invalid(words: string, issues: readonly Issue[], strict: boolean): Problem {
  const [first] = issues;
  if (!strict || first === undefined) return refusal(400, `Invalid ${words}`, issues);
  const where = first.path.length === 0 ? '' : `${dotted(first.path)}: `;
  return refusal(400, `Invalid ${words}: ${where}${first.message}`, issues);
}

/** Converts an issue to the format of deployed services. */
function toIssue(issue: v.BaseIssue<unknown>): Issue {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const { input } = issue;
  switch (issue.type) {
    case 'integer':
      return {
        code: 'invalid_type',
        expected: 'integer',
        received: 'float',
        message: 'Expected integer, received float',
        path,
      };
    case 'min_value':
      return {
        code: 'too_small',
        message: `Number must be greater than or equal to ${String(issue.requirement)}`,
        path,
      };
    case 'picklist':
      return {
        code: 'invalid_enum_value',
        received: String(input),
        message: `Invalid enum value. Expected ${String(issue.expected)}, received ${JSON.stringify(input)}`,
        path,
      };
    case 'check':
    case 'custom':
    case 'strict_object':
      return { code: 'custom', message: issue.message, path };
    default: {
      const expected = EXPECTED[issue.type] ?? issue.type;
      const received =
        input === undefined
          ? 'undefined'
          : input === null
            ? 'null'
            : Array.isArray(input)
              ? 'array'
              : typeof input;
      return {
        code: 'invalid_type',
        expected: input === undefined ? expectedOfMissing(issue) : expected,
        received,
        message: input === undefined ? 'Required' : `Expected ${expected}, received ${received}`,
        path,
      };
    }
  }
}

const EXPECTED: Readonly<Record<string, string>> = { finite: 'number' };

/** Valibot reports a missing field as an issue of its object, without the field's type. */
function expectedOfMissing(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'object' && issue.path !== undefined ? 'string' : issue.type;
}

function dotted(path: Issue['path']): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');
}

/** Largest value of an integer column in the database of deployed services. */
const MAX_INTEGER = 2_147_483_647;
// Under the flag u, \p{Surrogate} matches only unpaired surrogates.
const NOT_TEXT = /\0|\p{Surrogate}/u;

interface Unstorable {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Refuses values that the database of deployed services cannot store: text with NUL or an unpaired
 * surrogate, and 32-bit overflow in integer columns.
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
