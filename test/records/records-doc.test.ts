import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../src/records/types.ts';
import { codeBlocks, readDocument } from '../support/documents.ts';
import { prepareFiles } from './support.ts';

const page = readDocument('docs/records.md');

describe('docs/records.md', () => {
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
