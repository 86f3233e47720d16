import * as v from 'valibot';
import { refusal, serverError, type Issue } from './problem.ts';

export const finiteNumber = v.pipe(v.number(), v.finite());
export const integer = v.pipe(v.number(), v.integer());

/**
 * Checks a body, and drops unknown fields like deployed services do.
 * @param words a deployed service's name for the body
 * @throws Problem 400 with every issue in `data`
 */
export function checked<TSchema extends v.GenericSchema>(
  schema: TSchema,
  value: unknown,
  words: string,
): v.InferOutput<TSchema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw refusal(400, `Invalid ${words}`, result.issues.map(toIssue));
}

/** Checks a request to the sandbox's own routes. @throws Problem 400 that names the first wrong field */
export function checkedRequest<TSchema extends v.GenericSchema>(
  schema: TSchema,
  value: unknown,
): v.InferOutput<TSchema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const issues = result.issues.map(toIssue);
  const [{ path, message }] = issues as [Issue];
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  throw refusal(400, `Invalid request: ${where}${message}`, issues);
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

/** Largest value of an integer column in the database of deployed services. */
const MAX_INTEGER = 2_147_483_647;
// Under the flag u, \p{Surrogate} matches only unpaired surrogates.
const NOT_TEXT = /\0|\p{Surrogate}/u;

/**
 * Refuses values that the database of deployed services cannot store: text with NUL or an unpaired
 * surrogate, and 32-bit overflow in integer columns.
 * @throws Problem 500
 */
export function requireStorable(
  record: Readonly<Record<string, unknown>>,
  integerColumns: readonly string[],
): void {
  const overflows = integerColumns.some(
    (name) => Math.abs(Number(record[name] ?? 0)) > MAX_INTEGER,
  );
  if (overflows || hasBadText(record)) throw serverError();
}

function hasBadText(value: unknown): boolean {
  if (typeof value === 'string') return NOT_TEXT.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => NOT_TEXT.test(key) || hasBadText(each));
}
