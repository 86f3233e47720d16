import { joinPointer } from '../listed.ts';
import type { JsonValue, Problem } from '../types.ts';

/** Names the integers of a record that may have lost digits, and the numbers beyond all doubles. */
export function inexactNumbers(record: JsonValue): { readonly inexact?: readonly Problem[] } {
  const inexact = [...inexactUnder(record, '')];
  return inexact.length === 0 ? {} : { inexact };
}

function* inexactUnder(value: JsonValue, field: string): Generator<Problem> {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) yield { field, problem: 'the number is too large' };
    else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      const problem = `has more digits than a number keeps, and is read as ${value}: write it as text`;
      yield { field, problem };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, child] of Object.entries(value)) {
      yield* inexactUnder(child, joinPointer(field, name));
    }
  }
}
