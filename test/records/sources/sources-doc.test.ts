import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { MEAL_TIMES } from '../../../src/records/engine/nutrition-days.ts';
import { readMapFile } from '../../../src/records/engine/map-file.ts';
import { ROOT, codeBlocks, readDocument } from '../../support/documents.ts';
import { prepareFiles } from '../support.ts';

const PAGE = 'docs/sources.md';
const blocks = codeBlocks(readDocument(PAGE));

/** Returns the text of a block by its language, of several by its place. */
function block(language: string, place = 0): string {
  const found = blocks.filter((each) => each.language === language)[place];
  if (found === undefined) throw new Error(`${PAGE} has no block ${place} in ${language}`);
  return found.text;
}

async function bodiesOf(kind: 'wellness' | 'nutrition', text: string, mapping: string) {
  const source = readMapFile('map.json', Buffer.from(mapping));
  const sources = { list: [source], named: true };
  const read = await prepareFiles(kind, { file: text }, { strict: true, sources });
  expect([...read.unreadable, ...read.invalid]).toEqual([]);
  return read.records.map(({ body }) => body);
}

describe('docs/sources.md', () => {
  it('has the table that is written from the sources', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/source-docs.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('describes a table that its mapping reads', async () => {
    expect(await bodiesOf('wellness', `${block('csv')}\n`, block('json', 0))).toEqual([
      { date: '2026-02-14', restingHr: 49, weight: 72.4, sleepSecs: 27_120 },
      { date: '2026-02-15', restingHr: 48, sleepSecs: 25_080 },
    ]);
  });

  it('describes a document that its mapping reads', async () => {
    const item = { name: 'Rice', carbs: 80, meal: 'LUNCH' };
    expect(await bodiesOf('nutrition', block('json', 1), block('json', 2))).toEqual([
      { date: '2026-02-15', items: [{ ...item, logged_at: '2026-02-15T09:00:00+01:00' }] },
    ]);
  });

  it('states the times of meals', () => {
    for (const [meal, time] of Object.entries(MEAL_TIMES)) {
      expect(readDocument(PAGE)).toContain(`${meal.toLowerCase()} ${time}`);
    }
  });
});
