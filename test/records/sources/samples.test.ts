import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareInputs } from '../../../src/records/prepare.ts';
import { fileInput } from '../../../src/records/read/input.ts';
import { matchInput } from '../../../src/records/read-input.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { BERLIN } from '../support.ts';

/** Samples with invented values; beside each, what goes on the wire: `NAME.golden.json`. */
const FOLDER = join(import.meta.dirname, 'samples');

const samples = readdirSync(FOLDER).filter((name) => !name.endsWith('.golden.json'));

const SOURCE_OPTIONS = {
  list: SOURCES,
  named: false,
  choose: (input: string) => Promise.reject(new Error(`${input} matches several sources`)),
};

describe.each(samples)('the sample %s', (name) => {
  const path = join(FOLDER, name);
  const input = () => ({ ...fileInput(path), name });

  it('matches the source that it is named after, and no other', async () => {
    const matches = await matchInput(input(), SOURCES);
    const names = new Set(matches.map(({ source }) => source.name));

    expect(names.size).toBe(1);
    expect(name).toMatch(new RegExp(`^${[...names][0] ?? ''}[-.]`));
  });

  it('becomes the bodies of its golden file, without a note, if strict', async () => {
    const golden = readFileSync(join(FOLDER, name.replace(/\.\w+$/, '.golden.json')), 'utf8');
    const bodies: unknown[] = [];
    for (const { mapping } of await matchInput(input(), SOURCES)) {
      const options = { ...BERLIN, strict: true, sources: SOURCE_OPTIONS };
      const signal = new AbortController().signal;
      const read = await prepareInputs(mapping.kind, [input()], options, signal);
      expect([...read.unreadable, ...read.invalid]).toEqual([]);
      expect(read.records.flatMap(({ warnings }) => warnings)).toEqual([]);
      bodies.push(...read.records.map(({ body }) => body));
    }

    expect(bodies).toEqual(JSON.parse(golden));
  });
});

it.each(SOURCES.map((source) => [source.name, source] as const))(
  'the sources has a sample of each kind of file of %s',
  async (_name, source) => {
    const matched = await Promise.all(
      samples.map((name) => matchInput({ ...fileInput(join(FOLDER, name)), name }, [source])),
    );
    const seen = new Set(matched.flat().map(({ mapping }) => mapping));

    expect(source.files.filter((file) => !seen.has(file)).map(({ holds }) => holds)).toEqual([]);
  },
);
