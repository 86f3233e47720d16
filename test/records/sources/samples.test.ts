import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileInput } from '../../../src/records/read/input.ts';
import { matchInput } from '../../../src/records/read-input.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { prepareFiles } from '../support.ts';

/** Samples with invented values; beside each, what goes on the wire: `NAME.golden.json`. */
const FOLDER = join(import.meta.dirname, 'samples');

/** Samples that do not say a unit: `--unit`. */
const KG = new Map([['weight', { factor: 1 }]]);
const UNITS = new Map([
  ['fitbit-api-weight.json', KG],
  ['myfitnesspal-measurements.csv', new Map([['weight', { factor: 0.45359237 }]])],
  ['myfitnesspal-measurement-summary.csv', new Map([['weight', { factor: 0.45359237 }]])],
  ['lose-it-weights.csv', new Map([['weight', { factor: 0.45359237 }]])],
]);

const samples = readdirSync(FOLDER).filter((name) => !name.endsWith('.golden.json'));

const inputOf = (name: string) => ({ ...fileInput(join(FOLDER, name)), name });

/** What matches each sample. */
const matched = new Map(samples.map((name) => [name, matchInput(inputOf(name), SOURCES)] as const));

describe.each(samples)('the sample %s', (name) => {
  it('matches the source that it is named after, and no other', async () => {
    const names = new Set((await matched.get(name))?.map(({ source }) => source.name));
    expect(names.size).toBe(1);
    expect(name).toMatch(new RegExp(`^${[...names][0] ?? ''}[-.]`));
  });

  it('becomes the bodies of its golden file, without a note, if strict', async () => {
    const golden = readFileSync(join(FOLDER, name.replace(/\.\w+$/, '.golden.json')), 'utf8');
    const bodies: unknown[] = [];
    for (const { mapping } of (await matched.get(name)) ?? []) {
      const files = { [name]: inputOf(name).chunks };
      const options = {
        strict: true,
        sources: { list: SOURCES, units: UNITS.get(name) ?? new Map() },
      };
      const read = await prepareFiles(mapping.kind, files, options);
      expect([...read.unreadable, ...read.invalid]).toEqual([]);
      expect(read.records.flatMap(({ warnings }) => warnings)).toEqual([]);
      bodies.push(...read.records.map(({ body }) => body));
    }
    expect(bodies).toEqual(JSON.parse(golden));
  });
});

it.each(SOURCES.map((source) => [source.name, source] as const))(
  'the samples have each kind of file of %s',
  async (_name, { files }) => {
    const matches = (await Promise.all(matched.values())).flat();
    const seen = new Set(matches.map(({ mapping }) => mapping));
    expect(files.filter((file) => !seen.has(file)).map(({ holds }) => holds)).toEqual([]);
  },
);
