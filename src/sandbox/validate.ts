import * as v from 'valibot';
import { refusal, type Issue, type Problem } from './problem.ts';
import { isObject } from './request-body.ts';

export const finiteNumber = v.pipe(v.number(), v.finite());
export const integer = v.pipe(v.number(), v.integer());
/** An object, kept as it is: valibot's record also takes arrays. */
export const jsonObject = v.custom<Record<string, unknown>>(isObject, 'Expected a JSON object');

/**
 * Checks a body; fields that the schema does not know are dropped, as deployed services do.
 * @param words what a deployed service says; `strict` adds the first field that is wrong
 * @throws Problem 400 whose `data` lists every issue
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

/** 400, with every issue. */
export function invalid(words: string, issues: readonly Issue[], strict: boolean): Problem {
  const [first] = issues;
  if (!strict || first === undefined) return refusal(400, `Invalid ${words}`, issues);
  const where = first.path.length === 0 ? '' : `${dotted(first.path)}: `;
  return refusal(400, `Invalid ${words}: ${where}${first.message}`, issues);
}

/** An issue in the shape of deployed services. */
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

/** A missing field is an issue of its object, which names the field but not its type. */
function expectedOfMissing(issue: v.BaseIssue<unknown>): string {
  return issue.type === 'object' && issue.path !== undefined ? 'string' : issue.type;
}

function dotted(path: Issue['path']): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');
}
