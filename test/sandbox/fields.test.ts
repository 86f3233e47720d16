import { describe, expect, it } from 'vitest';
import {
  type FieldRule,
  type FieldTable,
  ITEM_FIELDS,
  NUTRITION_FIELDS,
  WELLNESS_FIELDS,
} from '../../src/records/fields.ts';
import { MEALS } from '../../src/sandbox/resources/nutrition-day.ts';
import { readContract } from '../support/contract.ts';
import { bearer, openApp, postJson } from './support.ts';

const DATE = '2026-02-15';
const INSTANT = `${DATE}T08:00:00+01:00`;

/** Returns a value that a field takes. */
function valueFor(rule: FieldRule): unknown {
  switch (rule.type) {
    case 'text':
      return 'words';
    case 'object':
      return { raw: true };
    case 'word':
      return rule.known[0];
    case 'number':
    case 'integer':
      return Math.max(Math.ceil(rule.min), 1);
  }
}

/** Returns a value for every field that `sync` sends. */
function allOf(table: FieldTable): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, valueFor(rule)]));
}

/** Sends a day to the sandbox of Coach Watts. @returns its row */
async function rowOf(path: string, record: Record<string, unknown>) {
  const sandbox = openApp();
  const answer = await postJson(sandbox, path, { date: DATE, ...record }, bearer(sandbox));
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
}

/** Returns the sent fields that a row does not hold as they were sent. */
function lostIn(row: unknown, sent: Record<string, unknown>): string[] {
  const stored = row as Record<string, unknown>;
  const isLost = (name: string) => JSON.stringify(stored[name]) !== JSON.stringify(sent[name]);
  return Object.keys(sent).filter(isLost);
}

describe.each<[string, FieldTable]>([
  ['WellnessRecord', WELLNESS_FIELDS],
  ['NutritionRecord', NUTRITION_FIELDS],
  ['SentItem', ITEM_FIELDS],
])('%s in docs/openapi.yaml', (schema, table) => {
  it('has every field of src/records/fields.ts', () => {
    const { schemas } = readContract().components;
    const { properties } = schemas[schema] as { readonly properties: object };
    expect(Object.keys(table).filter((name) => !(name in properties))).toEqual([]);
  });
});

describe('the sandbox', () => {
  it('stores every wellness field of src/records/fields.ts', async () => {
    const sent = allOf(WELLNESS_FIELDS);
    expect(lostIn(await rowOf('/api/wellness', sent), sent)).toEqual([]);
  });

  it('stores every nutrition field of src/records/fields.ts', async () => {
    const sent = allOf(NUTRITION_FIELDS);
    expect(lostIn(await rowOf('/api/nutrition', sent), sent)).toEqual([]);
  });

  it('stores every field of a food of src/records/fields.ts', async () => {
    const sent = allOf(ITEM_FIELDS);
    const row = await rowOf('/api/nutrition', { items: [{ ...sent, logged_at: INSTANT }] });
    const stored = MEALS.flatMap((meal) => row[meal]);
    expect(stored).toHaveLength(1);
    expect(lostIn(stored[0], sent)).toEqual([]);
  });
});
