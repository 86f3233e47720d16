import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './documents.ts';
import { PROGRAMS } from './programs.ts';

const FOLDER = '/**/*.test.ts';
/** Matches the import of a function that starts the built program, or a method of a world that does. */
const STARTS =
  /import \{[^}]*\b(?:startSync|runSync|startLogin|openTerminal|installSync|openComputer|makeWorld|PROGRAM)\b[^}]*\} from '[./]*\/support\/|\.program\(\[/;

const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts'));

const covers = (entry: string, file: string) =>
  entry.endsWith(FOLDER) ? file.startsWith(entry.slice(0, -FOLDER.length + 1)) : entry === file;

it('the list of tests of programs names folders and files that exist, each once', () => {
  const counts = PROGRAMS.map((entry) => files.filter((file) => covers(entry, file)).length);
  expect(PROGRAMS.filter((_, index) => counts[index] === 0)).toEqual([]);
  expect(new Set(PROGRAMS).size).toBe(PROGRAMS.length);
});

it('no test outside of that list starts the built program', () => {
  const units = files.filter((file) => !PROGRAMS.some((entry) => covers(entry, file)));
  // It starts a program of its own.
  const others = units.filter((file) => file !== 'test/json/json-lines.test.ts');
  const wrong = others.filter((file) => STARTS.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(wrong).toEqual([]);
});
