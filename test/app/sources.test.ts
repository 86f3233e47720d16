import { expect, it } from 'vitest';
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

it('a file that several sources match is asked about on a terminal, again after an answer that names none', async () => {
  const io = testIo({ interactive: true, answers: { 'x.json may come': ['7', '', '2'] } });
  const { choose } = sourcesFor(contextWith(io), {});
  expect(await choose('x.json', matches)).toBe(second);
  expect(io.asked).toHaveLength(3);
  for (const { source } of matches) expect(io.asked[0]?.question).toContain(source.title);
});
