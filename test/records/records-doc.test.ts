import { describe, expect, test } from 'vitest';
import {
  type FieldRule,
  type FieldTable,
  ITEM_FIELDS,
  NUTRITION_FIELDS,
  WELLNESS_FIELDS,
} from '../../src/records/fields.ts';
import type { RecordKind } from '../../src/records/types.ts';
import { codeBlocks, quoted, readDocument, tableRows } from '../support/documents.ts';
import { prepareFiles } from './support.ts';

const page = readDocument('docs/records.md');

/** A row as the page has to have it. */
function rowOf([name, rule]: [string, FieldRule]): string[] {
  const also = (rule.aliases ?? []).map((alias) => `\`${alias}\``).join(', ');
  return [`\`${name}\``, ...typeOf(rule), also];
}

function typeOf(rule: FieldRule): [type: string, unit: string, range: string] {
  switch (rule.type) {
    case 'number':
    case 'integer': {
      const type = rule.type === 'integer' ? 'whole number' : 'number';
      const { min, max, unit } = rule;
      const range = max >= Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
      return [type, unit, range];
    }
    case 'text':
      return ['text', '', ''];
    case 'word':
      return ['word', '', rule.known.map((word) => `\`${word}\``).join(', ')];
    case 'object':
      return ['object', '', ''];
  }
}

describe('docs/records.md', () => {
  const tables: [string, FieldTable, string[]][] = [
    ['wellness', WELLNESS_FIELDS, ['date']],
    ['nutrition', NUTRITION_FIELDS, ['date', 'items']],
    ['item', ITEM_FIELDS, ['logged_at']],
  ];

  test.each(tables)('lists every %s field with its type', (kind, table, own) => {
    const rows = tableRows(page, `${kind} field`);
    expect(rows.slice(0, own.length).map(([name = '']) => quoted(name))).toEqual(
      own.map((name) => [name]),
    );
    expect(rows.slice(own.length)).toEqual(Object.entries(table).map(rowOf));
  });

  const examples = codeBlocks(page)
    .filter(({ language }) => language !== 'sh')
    .map(({ language, text }): [string, string] => [language, text]);

  test('contains an example of each form', () => {
    const forms = examples.map(([, text]) =>
      text.startsWith('[') ? 'array' : /^\{.*\}$/m.test(text) ? 'NDJSON' : 'object',
    );
    expect(new Set(forms)).toEqual(new Set(['object', 'array', 'NDJSON']));
  });

  test.each(examples)('has an example that is sent without a warning: %s %s', async (_, text) => {
    const kind: RecordKind = text.includes('logged_at') ? 'nutrition' : 'wellness';
    const { records, invalid, unreadable } = await prepareFiles(
      kind,
      { example: text },
      { strict: true },
    );
    expect([invalid, unreadable]).toEqual([[], []]);
    expect(records.length).toBeGreaterThan(0);
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([]);
  });
});
