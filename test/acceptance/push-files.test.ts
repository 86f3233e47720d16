import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/documents.ts';
import { ndjson } from '../support/program.ts';
import { openLoggedInWorld } from '../support/world.ts';
import { makeZip } from '../support/zip-maker.ts';

const SAMPLES = join(ROOT, 'test/records/sources/samples');
const sample = (name: string) => readFileSync(join(SAMPLES, name));

describe('sync push of a folder or an archive', () => {
  it('ends with exit code 3 if a file in it cannot be read, and sends the others', async () => {
    const world = await openLoggedInWorld();
    const folder = dirname(world.write('exports/oura.json', sample('oura-sleep.json')));
    world.write('exports/broken.json', '{"date": "2026-01-12", "weight": 7');
    const { code, stdout } = await world.sync(['push', 'wellness', folder]);
    expect(stdout).toContain('broken.json');
    expect(stdout).toMatch(/^wellness: 2 sent, 1 invalid\.$/m);
    expect(code).toBe(3);
  });

  it('sends the records of this kind in it, and names each file', async () => {
    const world = await openLoggedInWorld();
    const folder = dirname(world.write('exports/oura.json', sample('oura-sleep.json')));
    world.write('exports/old/food.csv', sample('cronometer-servings.csv'));
    world.write('exports/notes.txt', 'nothing');
    const xml = sample('apple-health-export.xml');
    world.write(
      'exports/apple.zip',
      makeZip([{ name: 'apple_health_export/export.xml', bytes: xml }]),
    );
    const args = ['--json', '--tz', 'Europe/Berlin'];

    const run = await world.sync(['push', 'wellness', folder, ...args]);
    expect(run.code).toBe(0);
    const lines = ndjson(run.stdout);
    expect(lines.filter(({ type }) => type === 'export').map(({ source }) => source)).toEqual([
      'apple-health',
      'oura',
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'summary', failed: 0, invalid: 0 });
    expect(lines.at(-1)?.['pushed']).toBeGreaterThan(1);

    const food = await world.sync(['push', 'nutrition', folder, ...args]);
    expect(food.code).toBe(0);
    expect(ndjson(food.stdout)[0]).toMatchObject({ type: 'export', source: 'cronometer' });
  });

  it('is reported with what to type if it holds none, and holds up no other file', async () => {
    const world = await openLoggedInWorld();
    const folder = dirname(world.write('exports/food.csv', sample('cronometer-servings.csv')));
    world.write('exports/bad.json', '{"date": ,}');
    const good = world.write('good.json', '{"date": "2026-02-15", "hrv": 61}');
    const run = await world.sync(['push', 'wellness', folder, good]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`${folder} holds no wellness that sync understands.`);
    expect(run.stdout).toContain('--dry-run` shows what is in it.');
    expect(run.stdout).toContain('2026-02-15: sent');
    expect(run.stdout).toMatch(/^\S*bad\.json:1:10: /m);
  });
});
