import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sameJson } from '../../../src/records/digest.ts';
import { WELLNESS_FIELDS } from '../../../src/records/fields.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import type { JsonObject, JsonValue, SourceOptions, Units } from '../../../src/records/types.ts';
import { isObject } from '../../../src/records/values.ts';
import { prepareFiles } from '../support.ts';

const FOLDER = join(import.meta.dirname, 'samples');
const tables = readdirSync(FOLDER).filter((name) => name.endsWith('.csv'));
const documents = readdirSync(FOLDER).filter((name) => /(?<!golden)\.json$/.test(name));
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const goldenOf = (name: string) =>
  JSON.parse(textOf(name.replace(/\.csv$/, '.golden.json'))) as JsonObject[];

const NONE: Units = new Map();
const POUNDS: Units = new Map([['weight', { factor: 0.45359237 }]]);

/** Reads a table as both kinds. `isSilent`: nothing is said about it; `unread`: the columns that are not read. */
async function readBoth(name: string, text: string, units?: Units) {
  const all = {
    bodies: [] as JsonObject[],
    sources: new Set<string>(),
    unread: '',
    isSilent: true,
  };
  for (const kind of ['wellness', 'nutrition'] as const) {
    const sources = {
      list: SOURCES,
      units: units ?? (/^(?:myfitnesspal|lose-it)/.test(name) ? POUNDS : NONE),
    };
    const read = await prepareFiles(kind, { [name]: text }, { sources });
    for (const { source, unread = [] } of read.exports) {
      all.sources.add(source.name);
      all.unread += unread.join();
    }
    all.bodies.push(...read.records.map(({ body }) => body));
    const refused = read.unreadable.filter(
      ({ problems }) => !/ is (?:wellness|nutrition) \(/.test(problems[0].problem),
    );
    const said = [
      ...read.records.flatMap(({ warnings }) => warnings),
      ...read.invalid,
      ...read.warnings,
      ...refused,
    ];
    if (said.length > 0) all.isSilent = false;
  }
  return all;
}

const OTHER_UNITS: Units = new Map([
  ['weight', { factor: 0.45359237 }],
  ['sleepSecs', { factor: 3_600 }],
  ['calories', { factor: 1 / 4.184 }],
  ['totalCaloriesBurned', { factor: 1 / 4.184 }],
]);
const stated = tables.filter((name) => /\(kg\)|weight_kg|\(kcal\)|\(s\)/.test(textOf(name)));

it.each(stated)('the units in the header of %s count before --unit', async (name) => {
  expect((await readBoth(name, textOf(name), OTHER_UNITS)).bodies).toEqual(goldenOf(name));
});

const quoted = (cell: string) =>
  /[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Writes a table with its columns turned round, and ten others between them. */
function otherColumns(text: string): string {
  const lines = text.replace(/^\ufeff/, '').split(/(?<=\n)/);
  const first = lines[0] ?? '';
  const skipped = first.startsWith('com.samsung') ? lines.splice(0, 1) : [];
  const delimiter = (lines[0] ?? '').includes(';') ? ';' : ',';
  const rows = parse(lines.join(''), {
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const width = rows[0]?.length ?? 0;
  const more = (row: number) =>
    Array.from({ length: 10 }, (_, at) => (row === 0 ? `Colour ${at}` : `${at}`));
  const turned = rows.map((row, index) => [...row.slice(0, width).reverse(), ...more(index)]);
  return [...skipped, ...turned.map((row) => `${row.map(quoted).join(delimiter)}\n`)].join('');
}

it.each(tables)(
  'a sample with its columns in another order and ten columns more like %s is read as before, or refused',
  async (name) => {
    const { bodies, sources } = await readBoth(name, otherColumns(textOf(name)));
    const [source = 'none', ...others] = sources;
    expect(others).toEqual([]);
    // Dates in lines of their own are lost beside other columns.
    if (source === 'none') expect(name).toMatch(/^(?:table|food-log)-|^garmin-web-weight/);
    else {
      expect(name).toContain(source);
      expect(bodies).toEqual(goldenOf(name));
    }
  },
);

/** Returns the days with numbers that their golden file does not have: a name may hold any damage. */
function changed(bodies: readonly JsonObject[], golden: readonly JsonObject[]): JsonObject[] {
  const numbers = (value: JsonValue = null) =>
    JSON.parse(
      JSON.stringify(value, (_, each: JsonValue) => (typeof each === 'string' ? '' : each)),
    ) as JsonValue;
  return bodies.filter((body) => {
    const day = golden.find(({ date }) => date === body['date']) ?? {};
    return Object.entries(body).some(
      ([field, value]) =>
        typeof value !== 'string' && !sameJson(numbers(value), numbers(day[field])),
    );
  });
}

it.each(tables)(
  'a sample that is cut off, or has a separator more or less like %s sends no other value without a word',
  async (name) => {
    const text = textOf(name);
    const golden = goldenOf(name);
    const whole = await readBoth(name, text);
    const delimiter = text.includes(';') ? ';' : ',';
    const damage = fc.tuple(fc.nat(text.length), fc.constantFrom('cut', 'more', 'less'));
    const damaged = ([at, kind]: [number, string]) => {
      // Whole lines less are nothing that a table shows.
      if (kind === 'cut') return text.slice(0, at).replace(/\n$/, '');
      if (kind === 'more') return text.slice(0, at) + delimiter + text.slice(at);
      const place = text.indexOf(delimiter, at);
      return place === -1 ? text : text.slice(0, place) + text.slice(place + 1);
    };
    await fc.assert(
      fc.asyncProperty(damage, async (how) => {
        const { bodies, isSilent, unread } = await readBoth(name, damaged(how));
        if (isSilent && unread === whole.unread) expect(changed(bodies, golden)).toEqual([]);
      }),
      { numRuns: 8, seed: 29 },
    );
  },
);

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

it.each(documents)('a damaged document like %s sends only known fields', async (name) => {
  const document = JSON.parse(textOf(name)) as JsonValue;
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
    { numRuns: 10, seed: 12 },
  );
});
