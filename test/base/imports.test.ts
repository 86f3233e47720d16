import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';

it('form no circle between the modules of src, types included', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true }).map(String);
  const importsOf = new Map(
    files.flatMap((file) => {
      if (!file.endsWith('.ts')) return [];
      const text = readFileSync(join(ROOT, 'src', file), 'utf8');
      const names = [...text.matchAll(/\b(?:from|import)[ (]'(\.[^']+)'/g)].map(([, name]) => name);
      return [[file, names.map((name = '') => normalize(join(dirname(file), name)))] as const];
    }),
  );
  expect([...importsOf.values()].flat().length).toBeGreaterThan(importsOf.size);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file) || path.includes(file)) return;
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of importsOf.keys()) visit(file, []);
  expect(circles).toEqual([]);
});
