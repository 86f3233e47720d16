import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { localDateOf, toLoggedAt } from '../../src/records/local-date.ts';
import type { Zone } from '../../src/records/types.ts';

const page = readFileSync(new URL('../../docs/dates.md', import.meta.url), 'utf8');

type Row = [written: string, zone: string, namedBy: string, to: string, and: string, said: string];

/** Returns the body rows of the table with `heading` as its fourth heading. */
function rowsUnder(heading: string): Row[] {
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

describe('docs/dates.md', () => {
  const days = rowsUnder('day');
  const times = rowsUnder('logged_at');

  test('contains both tables of examples', () => {
    expect(days.length).toBeGreaterThan(40);
    expect(times.length).toBeGreaterThan(20);
  });

  test.each(days)(
    'reads %s in %s (zone from %s) as %s',
    (written, zone, namedBy, day, zoneUsed, said) => {
      const result = localDateOf(written, zoneOf(zone, namedBy));
      expect(result).toEqual(
        day === 'refused'
          ? { ok: false, problem: said }
          : {
              ok: true,
              date: day,
              zoneUsed: zoneUsed === 'yes',
              ...(said === '' ? {} : { warning: said }),
            },
      );
    },
  );

  test.each(times)(
    'sends %s in %s (zone from %s) as %s',
    (written, zone, namedBy, at, day, said) => {
      const result = toLoggedAt(written, zoneOf(zone, namedBy));
      if (!result.ok) {
        expect({ at: 'refused', day: '', said: result.problem }).toEqual({ at, day, said });
        return;
      }
      const { loggedAt, date, warning = '' } = result;
      expect({ at: loggedAt, day: date, said: warning }).toEqual({ at, day, said });
    },
  );
});
