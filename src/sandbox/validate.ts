import * as v from 'valibot';
import { Problem, type Issue } from './problem.ts';
import { isObject } from './request-body.ts';

export const finiteNumber = v.pipe(v.number(), v.finite());
export const integer = v.pipe(v.number(), v.integer());
/** An object, kept as it is: valibot's record also takes arrays. */
export const jsonObject = v.custom<Record<string, unknown>>(isObject, 'Expected a JSON object');

/**
 * Checks a body; fields that the schema does not know are dropped, as deployed services do.
 * @throws Problem 400 whose message names the first wrong field and whose `data` lists all of them
 */
export function checked<TSchema extends v.GenericSchema>(
  schema: TSchema,
  value: unknown,
  what: string,
): v.InferOutput<TSchema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalid(what, result.issues.map(toIssue));
}

/** 400: the body is not a valid `what`. */
export function invalid(what: string, issues: readonly Issue[]): Problem {
  const [first] = issues;
  const where = first === undefined || first.path.length === 0 ? '' : `${dotted(first.path)}: `;
  return new Problem(400, `Invalid ${what}: ${where}${first?.message ?? 'not acceptable'}`, {
    data: issues,
  });
}

function toIssue(issue: v.BaseIssue<unknown>): Issue {
  return {
    path: (issue.path ?? []).map((item) => item.key as string | number),
    message: issue.message,
    expected: issue.expected,
    received: issue.received,
  };
}

function dotted(path: Issue['path']): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');
}
