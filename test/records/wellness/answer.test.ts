import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/records/types.ts';
import { notKeptWarnings } from '../../../src/records/wellness/answer.ts';

const date = '2026-02-15';

/** Returns the messages about an answer: `FIELD: MESSAGE`. */
function saidOf(fields: JsonObject, row: Readonly<Record<string, unknown>> | undefined) {
  const record = { date, fields, sources: ['in.json#/0', 'in.json#/1'] };
  const { dropped, notes } = notKeptWarnings(record, row, true);
  for (const { source } of notes) expect(source).toBe('in.json#/0');
  return { dropped, said: notes.map(({ field, message }) => `${field ?? ''}: ${String(message)}`) };
}

const UNKNOWN = 'the platform took the day without it: it does not know this field';
const NOTHING = { dropped: [], said: [] };

describe('the answer to a wellness day', () => {
  test.each([
    ['has what was sent', { hrv: 62.5 }, { hrv: 62.5, date: `${date}T00:00:00.000Z`, mood: null }],
    ['rounds in a way that changes nothing', { hrv: 62.5 }, { hrv: 62.50001 }],
    ['says nothing', { hrv: 62.5 }, undefined],
    ['shows none of the fields, so that it is no row', { hrv: 62.5 }, { id: 'x', hrv: null }],
    ['lacks a field that was sent as null', { hrv: 62.5, weight: null }, { hrv: 62.5 }],
    ['adds to rawJson', { hrv: 1, rawJson: { a: 1 } }, { hrv: 1, rawJson: { a: 1, before: 2 } }],
    ['lacks a field that no platform knows', { hrv: 62.5, note: 'x' }, { hrv: 62.5 }],
    ['has a date that is no text', { hrv: 62.5 }, { hrv: 62.5, date: 20_260_215 }],
  ])('gives no warning if it %s', (_what, fields, row) => {
    expect(saidOf(fields, row)).toEqual(NOTHING);
  });

  test.each([
    [
      'a field that the platform does not know is dropped',
      { hrv: 62.5, steps: 9000, floors: 3 },
      { hrv: 62.5, floors: null },
      { dropped: ['steps', 'floors'], said: [`steps: ${UNKNOWN}`, `floors: ${UNKNOWN}`] },
    ],
    [
      'a value that the platform adapts is named, and is not dropped',
      { stress: 45, spO2: 0.97 },
      { stress: 5, spO2: 97 },
      {
        dropped: [],
        said: ['stress: the platform stored 5 for 45', 'spO2: the platform stored 97 for 0.97'],
      },
    ],
    [
      'a rawJson without what was sent is named',
      { hrv: 1, rawJson: { a: 1 } },
      { hrv: 1, rawJson: { a: 2 } },
      { dropped: [], said: [expect.stringMatching(/^rawJson: the platform stored /) as string] },
    ],
    [
      'a text for a number is named',
      { hrv: 62.5 },
      { hrv: 'good' },
      { dropped: [], said: ['hrv: the platform stored "good" for 62.5'] },
    ],
    [
      'another day is named',
      { hrv: 62.5 },
      { hrv: 62.5, date: '2026-02-14T00:00:00.000Z' },
      { dropped: [], said: ['date: the platform filed 2026-02-15 under 2026-02-14'] },
    ],
  ])('%s', (_what, fields, row, said) => {
    expect(saidOf(fields, row)).toEqual(said);
  });
});
