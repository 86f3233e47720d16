import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read } from './read-table.ts';

/**
 * Files that programs and people write, with what must not be sent silently in them; beside each, what goes on the
 * wire and what is said: `NAME.golden.json`. Names that begin with `food` are nutrition.
 */
const FOLDER = join(import.meta.dirname, 'traps');
const traps = readdirSync(FOLDER).filter((name) => !name.endsWith('.golden.json'));

it.each(traps)(
  'the trap %s sends the values of its golden file, says the same, and is refused if strict',
  async (name) => {
    const golden = join(FOLDER, `${name}.golden.json`);
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const { bodies, notes, invalid, left, unread, empty, refused } = await read(text, { name });
    const found = {
      sent: bodies,
      said: [...notes, ...invalid, ...left, ...empty, ...refused],
      unread,
    };
    expect(found).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    const isHarmless = notes.every((note) => / is merged from | sums up other items/.test(note));
    if (isHarmless && left.length === 0) return;
    const strict = await read(text, { name, strict: true });
    expect([...strict.invalid, ...strict.refused]).not.toEqual([]);
  },
);
