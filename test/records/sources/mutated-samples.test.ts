import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WELLNESS_FIELDS } from '../../../src/records/fields.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import type { JsonValue, SourceOptions } from '../../../src/records/types.ts';
import { isObject } from '../../../src/records/values.ts';
import { prepareFiles } from '../support.ts';

const FOLDER = join(import.meta.dirname, 'samples');
const documents = readdirSync(FOLDER).filter((name) => /(?<!golden)\.json$/.test(name));
const tables = readdirSync(FOLDER).filter((name) => name.endsWith('.csv'));

const RUNS = { numRuns: 10, seed: 12 };

/** What programs and people put in place of a value. */
const oddValue = fc.constantFrom<JsonValue>(
  null,
  '',
  0,
  -1,
  1e300,
  'x',
  '72,5',
  '--',
  'NaN',
  '1970-01-01',
  '2026-02-30T25:00:00Z',
  true,
  [],
  {},
  [[1]],
  { value: {} },
);

/** Replaces some values of a document, at the places that a stream of numbers names. */
function mutated(value: JsonValue, next: () => number, odd: () => JsonValue): JsonValue {
  if (next() % 12 === 0) return odd();
  if (Array.isArray(value)) return value.map((element) => mutated(element, next, odd));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(() => next() % 20 !== 0);
  return Object.fromEntries(members.map(([name, member]) => [name, mutated(member, next, odd)]));
}

/** Reads a text as both kinds, and checks that each body holds only what the platform knows. */
async function expectCleanReading(name: string, text: string): Promise<void> {
  for (const kind of ['wellness', 'nutrition'] as const) {
    const choose: SourceOptions['choose'] = (_, [first]) => Promise.resolve(first ?? fail());
    const sources = { list: SOURCES, choose };
    const { records, exports } = await prepareFiles(kind, { [name]: text }, { sources });
    if (exports.length === 0 || kind === 'nutrition') continue;
    for (const { body } of records) {
      expect(Object.keys(body).filter((field) => !(field in WELLNESS_FIELDS))).toEqual(['date']);
    }
  }
}

function fail(): never {
  throw new Error('No source');
}

describe('a damaged export', () => {
  it.each(documents)('like %s is read or refused, and sends only known fields', async (name) => {
    const document = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as JsonValue;
    const damaged = fc
      .tuple(fc.infiniteStream(fc.nat()), fc.infiniteStream(oddValue))
      .map(([numbers, odd]) =>
        mutated(
          document,
          () => Number(numbers.next().value),
          () => odd.next().value as JsonValue,
        ),
      );
    await fc.assert(
      fc.asyncProperty(damaged, (value) => expectCleanReading(name, JSON.stringify(value))),
      RUNS,
    );
  });

  it.each(tables)('like %s is read or refused, and sends only known fields', async (name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const cut = fc.tuple(
      fc.nat(text.length),
      fc.nat(12),
      fc.constantFrom('', ';', '"', '\n', '-1', 'é'),
    );
    await fc.assert(
      fc.asyncProperty(cut, ([at, length, put]) =>
        expectCleanReading(name, text.slice(0, at) + put + text.slice(at + length)),
      ),
      RUNS,
    );
  });
});
