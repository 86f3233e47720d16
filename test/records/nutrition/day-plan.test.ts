import { describe, expect, test } from 'vitest';
import type { DayContent, SentItem } from '../../../src/ledger/nutrition.ts';
import { mergeDay } from '../../../src/records/nutrition/day-plan.ts';
import { itemIdentity } from '../../../src/records/nutrition/items.ts';
import { goneNote } from '../../../src/records/nutrition/words.ts';
import type { JsonObject, MergeMode, NutritionPart } from '../../../src/records/types.ts';

/** `gel 25` or `gel 25 @11:00`: a name, grams of carbs, a time. */
function item(text: string): JsonObject {
  const [, name = '', carbs, time = '10:00'] = /^(\S+) (\d+)(?: @(.+))?$/.exec(text) ?? [];
  return { name, carbs: Number(carbs), logged_at: `2026-02-15T${time}:00+01:00` };
}

const textOf = ({ name, carbs, logged_at: at }: JsonObject) => {
  const time = (at as string).slice(11, 16);
  return `${name as string} ${carbs as number}${time === '10:00' ? '' : ` @${time}`}`;
};

const inputOf = (name: string) => ({ kind: 'file', name }) as const;

/** A known item: `gel 25 < a`, with its id after `#`, and `-` in front if the athlete removed it. */
function sent(text: string): SentItem {
  const [, removed, body = '', input = '', id] = /^(-?)(.+) < (\w+)(?:#(.+))?$/.exec(text) ?? [];
  return {
    body: item(body),
    inputs: [inputOf(input)],
    ...(id === undefined ? {} : { id }),
    ...(removed === '-' ? { state: 'removed' } : {}),
  };
}

const sentText = ({ body, inputs: [input], id, state }: SentItem) =>
  `${state === 'removed' ? '-' : ''}${textOf(body)} < ${input?.name ?? ''}${id === undefined ? '' : `#${id}`}`;

const day = (items: readonly string[], fields: JsonObject = {}): DayContent => ({
  items: items.map(sent),
  fields,
});

const part = (input: string, ...items: string[]): NutritionPart => ({
  input: inputOf(input),
  items: items.map(item),
});

/** The id of a new version is that of the one that it replaces. */
function merge(
  known: DayContent,
  parts: readonly NutritionPart[],
  fields: JsonObject = {},
  mode: MergeMode = 'same-input',
) {
  const { items: merged, dropped, partialTotals, ...day } = mergeDay(known, parts, fields, mode);
  const left = new Set(dropped);
  const items = merged.map((each) => {
    const isVersion = ({ body }: SentItem) => itemIdentity(body) === itemIdentity(each.body);
    const before = each.state === 'new' ? [...left].find(isVersion) : undefined;
    if (before !== undefined) left.delete(before);
    return sentText(before?.id === undefined ? each : { ...each, id: before.id });
  });
  return {
    items,
    dropped: [...left].map(sentText),
    ...(Object.keys(day.fields).length === 0 ? {} : { fields: day.fields }),
    ...(partialTotals.length === 0 ? {} : { partialTotals }),
  };
}

describe('planning the items of a day', () => {
  test.each<
    [
      what: string,
      known: string[],
      parts: NutritionPart[],
      items: string[],
      dropped?: string[],
      mode?: MergeMode,
    ]
  >([
    ['come from the input of a new day', [], [part('a', 'gel 25')], ['gel 25 < a']],
    [
      'stay the same, ids included, if the same input comes again',
      ['gel 25 < a#1', 'bar 40 < a#2'],
      [part('a', 'bar 40', 'gel 25')],
      ['bar 40 < a#2', 'gel 25 < a#1'],
    ],
    [
      'lose what the same input has no longer',
      ['gel 25 < a#1', 'bar 40 < a#2'],
      [part('a', 'bar 40')],
      ['bar 40 < a#2'],
      ['gel 25 < a#1'],
    ],
    [
      'get what another input adds',
      ['gel 25 < a#1'],
      [part('b', 'rice 90')],
      ['gel 25 < a#1', 'rice 90 < b'],
    ],
    [
      'keep what an input that says nothing about items does not have',
      ['gel 25 < a#1'],
      [{ input: inputOf('a'), items: undefined }],
      ['gel 25 < a#1'],
    ],
    [
      'are gone if the same input says that there are none',
      ['gel 25 < a#1', 'bar 40 < b#2'],
      [part('a')],
      ['bar 40 < b#2'],
      ['gel 25 < a#1'],
    ],
    [
      'have a new version of an item with the instant and name of a known one, under its id',
      ['gel 25 < a#1'],
      [part('a', 'gel 30')],
      ['gel 30 < a#1'],
    ],
    [
      'have a new version from another input too',
      ['gel 25 < a#1'],
      [part('b', 'gel 30')],
      ['gel 30 < b#1'],
    ],
    [
      'treat a moved item as another one',
      ['gel 25 < a#1'],
      [part('a', 'gel 25 @11:00')],
      ['gel 25 @11:00 < a'],
      ['gel 25 < a#1'],
    ],
    [
      'leave an unchanged item its id, although a new version of its twin stands before it',
      ['gel 25 < a#1', 'gel 20 < a#2'],
      [part('a', 'gel 30', 'gel 20')],
      ['gel 30 < a#1', 'gel 20 < a#2'],
    ],
    [
      'keep two equal ones of one input as two',
      [],
      [part('a', 'gel 25', 'gel 25')],
      ['gel 25 < a', 'gel 25 < a'],
    ],
    [
      'keep two equal ones as two if the input comes again',
      ['gel 25 < a#1', 'gel 25 < a#2'],
      [part('a', 'gel 25', 'gel 25')],
      ['gel 25 < a#1', 'gel 25 < a#2'],
    ],
    [
      'lose one of two equal ones if the input has one left',
      ['gel 25 < a#1', 'gel 25 < a#2'],
      [part('a', 'gel 25')],
      ['gel 25 < a#1'],
      ['gel 25 < a#2'],
    ],
    [
      'are counted once if two inputs overlap',
      [],
      [part('a', 'gel 25', 'bar 40'), part('b', 'gel 25')],
      ['bar 40 < a', 'gel 25 < b'],
    ],
    [
      'are as many as the input has that has most of them',
      [],
      [part('a', 'gel 25', 'gel 25'), part('b', 'gel 25'), part('c', 'gel 25', 'gel 25', 'gel 25')],
      ['gel 25 < c', 'gel 25 < c', 'gel 25 < c'],
    ],
    [
      'are the same after the same input twice in one run',
      ['gel 25 < a#1'],
      [part('a', 'gel 25'), part('a', 'gel 25')],
      ['gel 25 < a#1'],
    ],
    [
      'lose nothing with --add, and get new versions',
      ['gel 25 < a#1', 'bar 40 < a#2'],
      [part('a', 'gel 30', 'rice 90')],
      ['bar 40 < a#2', 'gel 30 < a#1', 'rice 90 < a'],
      [],
      'add',
    ],
    [
      'lose what other inputs sent with --replace-day',
      ['gel 25 < a#1', 'bar 40 < b#2'],
      [part('c', 'gel 25')],
      ['gel 25 < c#1'],
      ['bar 40 < b#2'],
      'replace-day',
    ],
    [
      'are none after --replace-day with an input that has none',
      ['gel 25 < a#1'],
      [part('c')],
      [],
      ['gel 25 < a#1'],
      'replace-day',
    ],
    [
      'are those of all inputs of the run with --replace-day',
      ['tea 1 < x#1'],
      [part('a', 'gel 25'), part('b', 'bar 40')],
      ['gel 25 < a', 'bar 40 < b'],
      ['tea 1 < x#1'],
      'replace-day',
    ],
    [
      'stay removed if the athlete removed one and the input has not changed',
      ['-gel 25 < a#1', 'bar 40 < a#2'],
      [part('a', 'gel 25', 'bar 40')],
      ['-gel 25 < a#1', 'bar 40 < a#2'],
    ],
    [
      'come back if the input has a new version of one that the athlete removed',
      ['-gel 25 < a#1'],
      [part('a', 'gel 30')],
      ['gel 30 < a'],
    ],
    [
      'come back with --replace-day although the athlete removed one',
      ['-gel 25 < a#1'],
      [part('a', 'gel 25')],
      ['gel 25 < a'],
      [],
      'replace-day',
    ],
    [
      'do not count a removed one among those that are gone',
      ['-gel 25 < a', 'bar 40 < a#2'],
      [part('a', 'bar 40')],
      ['bar 40 < a#2'],
    ],
  ])('%s', (_what, known, parts, items, dropped = [], mode = 'same-input') => {
    expect(merge(day(known), parts, {}, mode)).toEqual({ items, dropped });
  });
});

describe('planning the fields of a day', () => {
  const GEL = ['gel 25 < a#1'];
  test.each<
    [
      what: string,
      known: DayContent,
      parts: NutritionPart[],
      fields: JsonObject,
      expected: { items: string[]; fields?: JsonObject; partialTotals?: string[] },
    ]
  >([
    [
      'that were sent before go along with a later input',
      day(GEL, { waterMl: 500 }),
      [part('b', 'bar 40')],
      {},
      { items: ['gel 25 < a#1', 'bar 40 < b'], fields: { waterMl: 500 } },
    ],
    [
      'replace earlier ones, and rawJson is laid over the earlier one',
      day(GEL, { waterMl: 500, rawJson: { a: 1, b: 1 } }),
      [{ input: inputOf('w'), items: undefined }],
      { waterMl: 900, rawJson: { b: 2 } },
      { items: GEL, fields: { waterMl: 900, rawJson: { a: 1, b: 2 } } },
    ],
    [
      'that are totals of the whole day are sent',
      day(GEL),
      [part('a', 'gel 25', 'bar 40')],
      { calories: 900, carbs: 65 },
      { items: ['gel 25 < a#1', 'bar 40 < a'], fields: { calories: 900, carbs: 65 } },
    ],
    [
      'that are totals of a part of the day are left out, and water is not',
      day(GEL),
      [part('b', 'bar 40')],
      { calories: 900, waterMl: 500 },
      {
        items: ['gel 25 < a#1', 'bar 40 < b'],
        fields: { waterMl: 500 },
        partialTotals: ['calories'],
      },
    ],
    [
      'that were totals of the day are left out when another input adds to it',
      day(GEL, { carbs: 25 }),
      [part('b', 'bar 40')],
      {},
      { items: ['gel 25 < a#1', 'bar 40 < b'], partialTotals: ['carbs'] },
    ],
    [
      'that were totals of the day are left out when its own input changes without them',
      day(GEL, { carbs: 25, waterMl: 500 }),
      [part('a', 'gel 30')],
      {},
      { items: ['gel 30 < a#1'], fields: { waterMl: 500 } },
    ],
    [
      'that are totals count as whole if the athlete removed what the input does not have',
      day(['-gel 25 < a#1']),
      [part('b', 'bar 40')],
      { carbs: 40 },
      { items: ['-gel 25 < a#1', 'bar 40 < b'], fields: { carbs: 40 } },
    ],
    [
      'that are totals without items speak of the day as it is',
      day(GEL, { waterMl: 500 }),
      [{ input: inputOf('t'), items: undefined }],
      { calories: 2400 },
      { items: GEL, fields: { waterMl: 500, calories: 2400 } },
    ],
  ])('%s', (_what, known, parts, fields, expected) => {
    expect(merge(known, parts, fields)).toEqual({ dropped: [], ...expected });
  });
});

test('a note names the first three items and counts the others', () => {
  const items = ['gel 25', 'bar 40', 'rice 90', 'tea 1', 'egg 2'].map((each) =>
    sent(`${each} < a`),
  );
  expect(String(goneNote({ sources: [] }, items, false).message)).toContain(
    ': "gel, 10:00, 25 g carbs"; "bar, 10:00, 40 g carbs"; "rice, 10:00, 90 g carbs"; 2 more (',
  );
});
