import * as v from 'valibot';
import { refusal, serverError } from './problem.ts';

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
  const { path, message } = toIssue(result.issues[0]);
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  throw refusal(400, `Invalid request: ${where}${message}`, result.issues.map(toIssue));
}

/** @throws Problem 400 with the first name that is not known */
export function requireKnown(
  what: string,
  names: readonly string[],
  known: readonly string[],
): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw refusal(400, `Unknown ${what} "${unknown}"`);
}

/** Converts an issue to the format of deployed services: the field, the allowed and the received value. */
function toIssue(issue: v.BaseIssue<unknown>) {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  const { type, input } = issue;
  const mistyped = (expected: string, received: string) => {
    const message = input === undefined ? 'Required' : `Expected ${expected}, received ${received}`;
    return { code: 'invalid_type', expected, received, message, path };
  };
  switch (type) {
    case 'integer':
      return mistyped('integer', 'float');
    case 'min_value': {
      const message = `Number must be greater than or equal to ${String(issue.requirement)}`;
      return { code: 'too_small', message, path };
    }
    case 'picklist':
      return {
        code: 'invalid_enum_value',
        received: String(input),
        message: `Invalid enum value. Expected ${String(issue.expected)}, received ${JSON.stringify(input)}`,
        path,
      };
    case 'check':
    case 'strict_object':
      return { code: 'custom', message: issue.message, path };
    case 'object':
      // So Valibot reports a missing field, without the field's type.
      return mistyped(input === undefined && path.length > 0 ? 'string' : type, kindOf(input));
    default:
      return mistyped(type === 'finite' ? 'number' : type, kindOf(input));
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
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
