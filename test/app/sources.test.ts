import { describe, expect, it } from 'vitest';
import { createContext } from '../../src/app/context.ts';
import { sourcesFor } from '../../src/app/sources.ts';
import { SOURCES } from '../../src/records/sources/all.ts';
import type { Match } from '../../src/records/sources/types.ts';
import { testIo, testSystem } from '../auth/support.ts';

const matches = SOURCES.slice(0, 2).flatMap((source): Match[] =>
  source.files.slice(0, 1).map((mapping) => ({ source, mapping })),
);
const [, second] = matches;

function contextWith(io: ReturnType<typeof testIo>) {
  const flags = { json: false, quiet: false, verbose: false };
  return createContext(testSystem({ homeDir: '/home/ada', io }), flags);
}

describe('a file that several sources match', () => {
  it('is asked about on a terminal, again after an answer that names none', async () => {
    const io = testIo({ interactive: true, answers: { 'x.json may come': ['7', '', '2'] } });
    const { choose } = sourcesFor(contextWith(io), {});
    expect(await choose('x.json', matches)).toBe(second);
    expect(io.asked).toHaveLength(3);
    for (const { source } of matches) expect(io.asked[0]?.question).toContain(source.title);
  });

  it('ends the command without a terminal, and names the flag', async () => {
    const { choose } = sourcesFor(contextWith(testIo()), {});
    const names = matches.map(({ source }) => source.name);
    await expect(choose('x.json', matches)).rejects.toMatchObject({
      code: 'USAGE',
      message: `x.json may come from several programs: ${names.join(', ')}.`,
      hint: `Name the right one: --source ${names[0] ?? ''}`,
    });
  });
});

describe('--source', () => {
  const options = (flags: Parameters<typeof sourcesFor>[1]) =>
    sourcesFor(contextWith(testIo()), flags);

  it('limits the sources to one, in any capitals', () => {
    const { list, named } = options({ source: 'Oura' });
    expect([list.map(({ name }) => name), named]).toEqual([['oura'], true]);
  });

  it('is refused if there is no such source', () => {
    expect(() => options({ source: 'garmin' })).toThrow("There is no source 'garmin'.");
  });
});

describe('--unit', () => {
  it('names one field, and is repeated for another', () => {
    const unit = ['mood=/10,stress=/10'];
    expect(() => sourcesFor(contextWith(testIo()), { unit })).toThrow(
      expect.objectContaining({
        message: '--unit mood=/10,stress=/10: one field per --unit.',
        hint: 'Write --unit mood=/10 --unit stress=/10',
      }),
    );
  });
});
