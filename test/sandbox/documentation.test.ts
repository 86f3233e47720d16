import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ATHLETES } from '../../src/sandbox/resources/athletes.ts';
import { FAULT_ROUTES, parseFault } from '../../src/sandbox/faults/spec.ts';
import { ROUTES } from '../../src/sandbox/http/routes.ts';
import { tableRows } from '../support/documents.ts';
import { openApp } from './support.ts';

const text = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

/** Returns the rows of the table with this title of the first column, without back-ticks. */
const table = (firstColumn: string) =>
  tableRows(text, firstColumn).map((row) => row.map((cell) => cell.replaceAll('`', '')));

describe('docs/sandbox.md', () => {
  it('lists every endpoint under its name', () => {
    expect(table('name').map(([name, endpoint]) => [name, endpoint])).toEqual(
      Object.entries(ROUTES).map(([name, [method, path]]) => [name, `${method} ${path}`]),
    );
  });

  it('gives only valid examples of faults', () => {
    const specs = table('spec').map(([spec]) => spec ?? '');
    expect(specs.length).toBeGreaterThan(5);
    for (const spec of specs) expect(parseFault(spec).spec).toBe(spec);
  });

  it('names every kind of fault', () => {
    const kinds = table('kind').map(([kind]) => kind ?? '');
    expect(kinds[0]).toBe('300 to 599');
    for (const kind of kinds.slice(1)) parseFault(`any:${kind.replace('TIME', '1s')}`);
    expect(kinds).toHaveLength(11);
    for (const route of FAULT_ROUTES) expect(text).toContain(`\`${route}\``);
  });

  it('lists every control endpoint', async () => {
    const { app } = openApp();
    const { endpoints } = (await (await app.request('/_sandbox')).json()) as { endpoints: object };
    expect(table('endpoint').map(([endpoint]) => endpoint)).toEqual([
      'GET /_sandbox',
      ...Object.keys(endpoints),
    ]);
  });

  it('shows the page at two widths, light and dark, in small pictures with a text', () => {
    const shown = [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
    const looks = ['narrow-dark', 'wide-dark', 'narrow-light', 'wide-light'];
    expect(shown).toEqual(looks.map((look) => `pictures/sandbox-${look}.webp`));
    for (const path of shown) {
      const picture = readFileSync(new URL(`../../docs/${path}`, import.meta.url));
      expect(picture.toString('latin1', 8, 12)).toBe('WEBP');
      expect(picture.length).toBeLessThan(80_000);
    }
    expect(text).toMatch(/<img [^>]*alt="[^"]{40,}"/);
  });

  it('describes the athletes', () => {
    expect(table('id').map((row) => row)).toEqual(
      DEFAULT_ATHLETES.map(({ id, name, timezone, weight, weightUnits, ftp }) => [
        id,
        name,
        timezone,
        `${weight} kg, ${weightUnits}`,
        String(ftp),
      ]),
    );
  });
});
