import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VARIABLES } from '../../scripts/manual/facts.ts';

it('lists each variable that the program reads, and no others', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join('src', name), 'utf8'));
  const read = sources.flatMap((text) =>
    [...text.matchAll(/['.](SYNC_[A-Z_]+|NO_COLOR|FORCE_COLOR|CLICOLOR)\b/g)].map(
      ([, name = '']) => name,
    ),
  );
  const listed = VARIABLES.map(({ name }) => name).filter((name) => !name.endsWith('_PROXY'));
  expect([...new Set(read)].sort()).toEqual(listed.sort());
});
