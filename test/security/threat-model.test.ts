import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readDocument } from '../support/documents.ts';
import { testTitles } from '../support/test-titles.ts';

const PAGE = 'docs/internals/security.md';
const document = readDocument(PAGE);

interface Threat {
  readonly section: string;
  readonly line: number;
  readonly attack: string;
  readonly protection: string;
  readonly proof: string;
}

/** Returns the rows of all tables of attacks. */
function threats(): Threat[] {
  const found: Threat[] = [];
  let section = '';
  let inTable = false;
  for (const [at, text] of document.split('\n').entries()) {
    section = /^## (.+)$/.exec(text)?.[1] ?? section;
    const [attack, protection, proof] = text
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (proof === undefined) inTable = false;
    else if (proof === 'test') inTable = true;
    else if (inTable && !/^-+$/.test(proof)) {
      found.push({
        section,
        line: at + 1,
        attack: attack ?? '',
        protection: protection ?? '',
        proof,
      });
    }
  }
  return found;
}

/** Returns the tests that a cell names: `` `test/auth/callback.test.ts` › "refuses ..." ``. */
function references(proof: string): { file: string; title: string }[] {
  return [...proof.matchAll(/`(test\/[\w./-]+\.ts)` › "([^"]+)"/g)].map(
    ([, file = '', title = '']) => ({ file, title }),
  );
}

/** Removes quotation marks, and what escapes characters in a cell. */
function plain(title: string): string {
  return title
    .replaceAll('"', '')
    .replaceAll('\\|', '|')
    .replace(/\\(?=[_*<])/g, '');
}

const NOT_PREVENTED = /^\*\*Not prevented\.\*\* \S/;

/** The actors that a reader must find, by the beginning of a heading. */
const ACTORS = [
  'You',
  'Root and malware',
  'Other users',
  'The service',
  'Another service',
  'The network',
  'Web pages',
  'Devices and their files',
  "Other programs' exports",
  'Service managers',
  "The sandbox's visitors",
  'The supply chain',
  'A thief',
];

const known = new Map<string, readonly string[]>();

/** The titles in a file, which is parsed once. */
function titlesIn(file: string): readonly string[] {
  const titles = known.get(file) ?? testTitles(file).map(({ title }) => plain(title));
  known.set(file, titles);
  return titles;
}

describe('the threat model', () => {
  const rows = threats();

  it('has a table of attacks for each actor', () => {
    const sections = new Set(rows.map(({ section }) => section));
    for (const actor of ACTORS) {
      expect(
        [...sections].some((section) => section.startsWith(actor)),
        actor,
      ).toBe(true);
    }
    expect(rows.length).toBeGreaterThan(80);
  });

  it.each(rows)('states a protection with a test, or a limit, in line $line: $attack', (row) => {
    const tests = references(row.proof);
    if (NOT_PREVENTED.test(row.protection)) {
      expect(row.proof).toBe('limit');
      return;
    }
    expect(row.protection).not.toBe('');
    // Nothing is left of the cell but the references.
    expect(row.proof.split('<br>')).toHaveLength(tests.length);
    for (const { file, title } of tests) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      expect(titlesIn(file), file).toContain(plain(title));
    }
  });

  it('names only files of the project', () => {
    const missing = [...document.matchAll(/`((?:src|test|scripts|packaging|docs)\/[\w./-]+)`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
  });
});

describe('SECURITY.md', () => {
  const policy = readDocument('SECURITY.md');

  it('says where and how fast reports are answered, and links the threat model', () => {
    expect(policy).toContain(
      'https://github.com/athlete-sync/athlete-sync/security/advisories/new',
    );
    expect(policy).toMatch(/within \d+ (?:working )?days/);
    expect(policy).toContain('(docs/internals/security.md)');
  });

  it('has no dead links', () => {
    const links = [...policy.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, file = '']) => file);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
