import type { Random } from '../../src/seed/random.ts';
import { HOSTILE_TEXTS } from './hostile-answers.ts';

/** Names of fields that a careless program takes for its own. */
const NAMES: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'date',
  'restingHr',
  'items',
  'rawJson',
  '',
  ...HOSTILE_TEXTS,
];

const DATES: readonly [unknown, ...unknown[]] = [
  '2026-02-30',
  '2026-13-01',
  '0000-00-00',
  '-000001-01-01',
  '+275760-09-13',
  '2026-02-15T99:99:99Z',
  '2026-02-15 or so',
  '2026-W07-1',
  '٢٠٢٦-٠٢-١٥',
  20_260_215,
  1e308,
  -1,
  null,
  true,
  [],
  {},
  ...HOSTILE_TEXTS,
];

const VALUES: readonly [unknown, ...unknown[]] = [
  null,
  true,
  -1,
  0,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  1.5,
  '48',
  '1e3',
  [],
  [48],
  {},
  { __proto__: null, value: 48 },
  ...HOSTILE_TEXTS,
];

/**
 * Returns the JSON of a record that no device writes; its day is in March 2026, if it has one.
 *
 * @param deepest levels of its values, at most
 */
export function hostileRecord(random: Random, deepest: number): string {
  const date = random.chance(0.5) ? random.pick(DATES) : `2026-03-0${random.integer(1, 9)}`;
  // A list with a member that stands twice is refused as a whole, too.
  const names = new Set(Array.from({ length: random.integer(0, 5) }, () => random.pick(NAMES)));
  names.delete('date');
  const fields = [...names].map((name) => `${JSON.stringify(name)}:${valueText(random, deepest)}`);
  const record = `{"date":${JSON.stringify(date)}${fields.map((field) => `,${field}`).join('')}}`;
  return random.pick([record, record, record, 'null', '[]', '"text"', '0', '{}', `[${record}]`]);
}

function valueText(random: Random, deepest: number): string {
  const depth = random.pick([1, 50, deepest]);
  const deep = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  return random.chance(0.15) ? deep : JSON.stringify(random.pick(VALUES));
}

/** Returns what is no input at all: a file of another kind, or half of one. */
export function brokenText(random: Random, good: string): string | Uint8Array {
  return random.pick<() => string | Uint8Array>([
    () => '',
    () => '\n\n\n',
    () => good.slice(0, random.integer(1, good.length - 1)),
    () => `${good}}`,
    () => good.replaceAll('"', "'"),
    () => new Uint8Array(Buffer.from(good, 'utf16le')),
    () => Uint8Array.from({ length: 2_000 }, () => random.integer(0, 255)),
    () => `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    () => `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
    () => `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "${'e'.repeat(500)}">]><x>&e;</x>`,
    () => `date;weight\n${random.pick(HOSTILE_TEXTS)};"${random.pick(HOSTILE_TEXTS)}\n`,
    () => '\0'.repeat(5_000),
    () => 'null',
    () => '"text"',
  ])();
}

/** Returns an argument, or the value of a variable or a setting. */
export function hostileWord(random: Random): string {
  // The operating system takes no NUL in arguments.
  const words = HOSTILE_TEXTS.filter((text) => !text.includes('\0') && text.length < 1_000);
  return random.pick([
    '-1',
    '--',
    '-',
    '--no-such-flag',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '/dev/null',
    '/proc/self/environ',
    'http://[::1',
    'file:///etc/passwd',
    'http://user:secret@127.0.0.1:1/',
    '99999999999999999999',
    'NaN',
    '2026-02-30',
    'Mars/Olympus',
    ...words,
  ]);
}
