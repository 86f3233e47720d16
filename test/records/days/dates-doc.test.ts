import { describe, expect, test } from 'vitest';
import type { Zone } from '../../../src/records/types.ts';
import { readDocument } from '../../support/documents.ts';
import { prepare } from '../support.ts';

const PAGES = ['docs/dates.md', 'docs/internals/days.md'];

type Row = [written: string, zone: string, namedBy: string, to: string, and: string, said: string];

/** Returns the body rows of the table of each page with `heading` as its fourth heading. */
function rowsUnder(heading: string): Row[] {
  return PAGES.flatMap((page) => rowsOf(readDocument(page), heading));
}

function rowsOf(page: string, heading: string): Row[] {
  const tables = page.split(/\n\n/).filter((block) => block.startsWith('|'));
  const rows = tables.map((table) =>
    table.split('\n').map((line) =>
      line
        .replace(/^\||\|\s*$/g, '')
        .split('|')
        .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
    ),
  );
  const found = rows.filter(([head]) => head?.[3] === heading);
  expect(found).toHaveLength(1);
  return (found[0]?.slice(2) ?? []) as Row[];
}

function zoneOf(name: string, namedBy: string): Zone {
  const from = namedBy === '--tz' ? 'flag' : 'profile';
  expect(['--tz', 'profile']).toContain(namedBy);
  return { name, from };
}

describe('docs/dates.md and docs/internals/days.md', () => {
  const days = rowsUnder('day');
  const times = rowsUnder('logged_at');

  test('contain both tables of examples', () => {
    expect(days.length).toBeGreaterThan(60);
    expect(times.length).toBeGreaterThan(30);
  });

  test.each(days)('reads %s in %s (%s) as %s', async (written, name, namedBy, day, uses, said) => {
    const zone = zoneOf(name, namedBy);
    const { records, invalid } = await prepare('wellness', [{ date: written, hrv: 61 }], { zone });
    const [record] = records;
    expect([invalid.length, records.length]).toEqual(day === 'refused' ? [1, 0] : [0, 1]);
    const notes = record?.warnings.map(({ message }) => message) ?? [invalid[0]?.problem];
    expect({
      day: record?.date ?? 'refused',
      zoneUsed: record === undefined ? '' : record.zoneUsed ? 'yes' : 'no',
      notes,
    }).toEqual({ day, zoneUsed: uses, notes: said === '' ? [] : [`"${written}": ${said}`] });
  });

  test.each(times)('sends %s in %s (%s) as %s', async (written, name, namedBy, at, day, said) => {
    const zone = zoneOf(name, namedBy);
    const items = [{ logged_at: written, name: 'Rice' }];
    const { records, invalid } = await prepare('nutrition', [{ items }], { zone });
    const [record] = records;
    const sent = (record?.body['items'] as [{ logged_at: string }] | undefined)?.[0];
    const notes = record?.warnings.map(({ message }) => message) ?? [invalid[0]?.problem];
    expect({ at: sent?.logged_at ?? 'refused', day: record?.date ?? '', notes }).toEqual({
      at,
      day,
      notes: said === '' ? [] : [`"${written}": ${said}`],
    });
  });
});
