import { describe, expect, test } from 'vitest';
import { bodyOf, prepare, saidOf, UNSENT } from '../support.ts';

const date = '2026-02-15';
const at = '2026-02-15T08:00:00+01:00';
const gel = { name: 'Gel', carbs: 25, logged_at: at, absorptionType: 'RAPID' };

describe('the fields of a nutrition record', () => {
  test('are sent unchanged if all of them are valid', async () => {
    const record = {
      date,
      items: [
        gel,
        {
          name: 'Oats',
          calories: 389.5,
          carbs: 66.3,
          protein: 16.9,
          fat: 6.9,
          fiber: 10.6,
          sugar: 1,
          quantity: '100 g',
          meal: 'BREAKFAST',
          logged_at: '2026-02-15T07:00:00+01:00',
          absorptionType: 'DENSE',
        },
      ],
      calories: 520,
      carbs: 95.5,
      protein: 18,
      fat: 7,
      waterMl: 1500,
      rawJson: { app: 'x' },
    };
    expect(await bodyOf('nutrition', record)).toEqual(record);
  });

  test.each([
    ['carbs', -3, 'carbs: is -3; the range is 0 g or more'],
    ['waterMl', 'x', 'waterMl: is "x"; a whole number is expected, 0 to 2147483647 ml'],
    ['rawJson', [], 'rawJson: is a list; an object is expected'],
  ])('reject a total %s of %j', async (name, value, said) => {
    expect(await saidOf('nutrition', { date, items: [gel], [name]: value })).toEqual({
      said: [said],
    });
  });

  test('round totals if the service expects whole numbers', async () => {
    expect(
      await saidOf('nutrition', { date, items: [gel], calories: 2400.4, waterMl: '500' }),
    ).toEqual({
      body: { date, items: [gel], calories: 2400, waterMl: 500 },
      said: [
        'calories: is 2400.4; whole numbers only: rounded to 2400',
        'waterMl: is the text "500", not a number: read as 500',
      ],
    });
    const strict = await saidOf(
      'nutrition',
      { date, items: [gel], calories: 2400.4 },
      { strict: true },
    );
    expect(strict).toEqual({ said: ['calories: is 2400.4; whole numbers only'] });
  });

  test.each([
    ['loggedAt', 'logged_at', '2026-02-15T08:00:00+01:00'],
    ['carbs_g', 'carbs', 25],
    ['carbohydrates', 'carbs', 25],
    ['fibre', 'fiber', 5],
    ['sugars', 'sugar', 5],
    ['mealType', 'meal', 'LUNCH'],
    ['absorption_type', 'absorptionType', 'FAST'],
  ])('recognise %s as %s', async (spelling, name, value) => {
    const item = { logged_at: at, name: 'x', [name]: value };
    const { [name]: moved, ...rest } = item as Record<string, unknown>;
    expect(await bodyOf('nutrition', { date, items: [{ ...rest, [spelling]: moved }] })).toEqual({
      date,
      items: [item],
    });
  });

  test.each(['salt', 'energy', 'timestamp', 'time', 'netCarbs', 'addedSugar', 'weight'])(
    'leave out the unknown item field %s and report it',
    async (name) => {
      const item = { ...gel, [name]: { value: 12, source: null } };
      expect(await saidOf('nutrition', { date, items: [item] })).toEqual({
        body: { date, items: [gel] },
        said: [expect.stringMatching(`^items/0/${name}: not a field of|: ${UNSENT}: "${name}"`)],
      });
    },
  );

  test('report unknown fields of days and items once per input, and reject them if strict', async () => {
    const day = (items: object[]) => ({ date, items, coach: 'note', waterML: 500, protien: 3 });
    const values = [day([gel]), day([gel, { ...gel, carbz: 3 }, { ...gel, carbz: 4 }])];
    const { records } = await prepare('nutrition', values);
    const about = records[0]?.warnings.filter(({ message }) =>
      String(message).startsWith('not a field'),
    );
    expect(
      about?.map(({ source, field, message }) => `${source} ${field ?? ''}: ${String(message)}`),
    ).toEqual([
      `in.json#/0 protien: not a field of the platform; did you mean protein? It is in g. Not sent (2 times in this input)`,
      `in.json#/1 items/1/carbz: not a field of the platform; did you mean carbs? It is in g. Not sent (2 times in this input)`,
    ]);
    const { said } = await saidOf('nutrition', values[1], { strict: true });
    expect(said).toEqual([
      'items/1/carbz: not a field of the platform; did you mean carbs? It is in g',
      'items/2/carbz: not a field of the platform; did you mean carbs? It is in g',
      'coach: not a field of the platform',
      'protien: not a field of the platform; did you mean protein? It is in g',
    ]);
  });

  test.each([
    [
      { date, items: [{ logged_at: at, carbz: 5 }] },
      [
        'items/0: there is nothing in it that the platform takes',
        'items/0/carbz: not a field of the platform; did you mean carbs? It is in g',
      ],
    ],
    [
      { date, items: [], coach: 'x' },
      [': there is nothing in it that the platform takes', 'coach: not a field of the platform'],
    ],
    [
      { date, weight: 72.4, fat: 17.1 },
      [': there is nothing in it that is nutrition; is this a wellness file?'],
    ],
  ])('reject a record with unknown fields only: %j', async (record, said) => {
    expect(await saidOf('nutrition', record)).toEqual({ said });
    expect(await saidOf('nutrition', record, { strict: true })).toEqual({ said });
  });
});

describe('two spellings of one field', () => {
  const late = '2026-02-16T23:00:00+01:00';

  test.each([
    [
      'of an item: loggedAt and logged_at',
      { date, items: [{ name: 'Gel', loggedAt: at, logged_at: late }] },
      [`items/0/logged_at: says "${late}", but loggedAt, the same field, says "${at}"`],
    ],
    [
      'of the list: Items and items',
      { date, Items: [gel], items: [{ ...gel, name: 'Bar' }] },
      ['items: says something else than Items, the same field'],
    ],
    [
      'of the list, and there is no date',
      { items: [gel], ITEMS: [] },
      ['ITEMS: says something else than items, the same field'],
    ],
    [
      'of the date: date and Date',
      { date, Date: '2026-02-16', items: [gel] },
      ['Date: says "2026-02-16", but date, the same field, says "2026-02-15"'],
    ],
  ])('reject the record if they differ, and drop neither: %s', async (_what, record, said) => {
    expect(await saidOf('nutrition', record)).toEqual({
      said: said.map((text) => `${text}: keep one of the two`),
    });
  });

  test('merge into one field if both have the same value', async () => {
    expect(
      await bodyOf('nutrition', {
        date,
        Date: date,
        Items: null,
        items: [{ ...gel, loggedAt: at, LoggedAt: null }],
        ITEMS: [{ ...gel, loggedAt: at, LoggedAt: null }],
      }),
    ).toEqual({ date, items: [gel] });
  });

  test('accept a date together with a time on that date', async () => {
    expect(await bodyOf('nutrition', { date, Date: at, items: [gel] })).toEqual({
      date,
      items: [gel],
    });
  });
});

describe('an item', () => {
  test.each([
    ['carbs', -0.1, 'items/1/carbs: is -0.1; the range is 0 g or more'],
    ['calories', [], 'items/1/calories: is a list; a number is expected, 0 to 2147483647 kcal'],
    ['meal', 3, 'items/1/meal: is 3; one of BREAKFAST, LUNCH, DINNER, SNACK, OTHER is expected'],
    [
      'logged_at',
      true,
      'items/1/logged_at: is true: write an ISO 8601 text, such as "2026-02-15T07:30:00+01:00"',
    ],
    [
      'logged_at',
      '8:00',
      'items/1/logged_at: "8:00": has no date: write 2026-02-15T07:30:00+01:00',
    ],
    [
      'logged_at',
      '15.02.2026 8:00',
      'items/1/logged_at: "15.02.2026 8:00": does not begin with the year: write 2026-02-15T07:30:00+01:00',
    ],
    [
      'logged_at',
      '2026-02-15',
      'items/1/logged_at: "2026-02-15": has no time of day: write 2026-02-15T07:30:00+01:00',
    ],
    [
      'logged_at',
      null,
      'items/1/logged_at: is missing: write "logged_at": "2026-02-15T07:30:00+01:00"',
    ],
    [
      'logged_at',
      '2026-02-15T25:00:00Z',
      'items/1/logged_at: "2026-02-15T25:00:00Z": there is no hour 25',
    ],
  ])('rejects the record, and is named, if its %s is %j', async (name, value, said) => {
    const record = { date, items: [gel, { ...gel, [name]: value }] };
    expect(await saidOf('nutrition', record)).toEqual({ said: [said] });
  });

  test('is named if it is not an object', async () => {
    expect(await saidOf('nutrition', { date, items: [gel, 'gel'] })).toEqual({
      said: ['items/1: is "gel"; an object is expected'],
    });
  });

  test.each([
    ['absorptionType', 'rapid', 'RAPID'],
    ['absorptionType', 'hyper load', 'HYPER_LOAD'],
    ['absorptionType', 'Hyper-Load', 'HYPER_LOAD'],
    ['meal', 'snack', 'SNACK'],
    ['meal', 'Snacks', 'SNACK'],
    ['meal', 'Morning Snack', 'SNACK'],
    ['meal', 'Supper', 'DINNER'],
  ])('is sent with its %s %j written as %s', async (name, value, sent) => {
    expect(await bodyOf('nutrition', { date, items: [{ ...gel, [name]: value }] })).toEqual({
      date,
      items: [{ ...gel, [name]: sent }],
    });
  });

  test.each([
    [
      'absorptionType',
      'slow',
      undefined,
      '"slow" is none of RAPID, FAST, BALANCED, DENSE, HYPER_LOAD. Left out',
    ],
    [
      'meal',
      'second breakfast',
      'OTHER',
      '"second breakfast" is none of BREAKFAST, LUNCH, DINNER, SNACK, OTHER. Sent as OTHER',
    ],
    ['quantity', 2, '2', 'is the number 2, not a text: sent as "2"'],
  ])('is accepted with a warning if its %s is %j', async (name, value, sent, said) => {
    expect(await saidOf('nutrition', { date, items: [{ ...gel, [name]: value }] })).toEqual({
      body: JSON.parse(JSON.stringify({ date, items: [{ ...gel, [name]: sent }] })) as unknown,
      said: [`items/0/${name}: ${said}`],
    });
  });

  test('is sent without null fields and without __proto__', async () => {
    const item = JSON.parse(
      `{"name": "Gel", "logged_at": "${at}", "carbs": null, "brand": null, "__proto__": {"x": 1}}`,
    ) as object;
    const { body } = await saidOf('nutrition', { date, items: [item] });
    expect(body).toEqual({ date, items: [{ name: 'Gel', logged_at: at }] });
  });
});

describe('the items of a nutrition record', () => {
  test.each([
    [{ date }, 'items: is missing; a list of items, each with logged_at, is expected'],
    [{ date, items: null }, 'items: is missing; a list of items, each with logged_at, is expected'],
    [
      { date, items: gel },
      'items: is an object; a list of items, each with logged_at, is expected',
    ],
    [{ items: [] }, 'date: is missing: write "date": "2026-02-15"'],
  ])('are required: %j', async (record, said) => {
    expect(await saidOf('nutrition', record)).toEqual({ said: [said] });
  });

  test.each([
    [{ date, items: [] }],
    [{ date, items: [], waterMl: 500 }],
    [{ date, waterMl: 500 }],
    [{ date, calories: 2400, carbs: 300 }],
    [{ date, items: null, waterMl: 500 }],
  ])('may be empty if the list is empty or the day has other fields: %j', async (record) => {
    const { items, ...fields } = record as { items?: unknown };
    expect(await bodyOf('nutrition', record)).toEqual({ ...fields, items: [] });
    const { records } = await prepare('nutrition', [record]);
    const [prepared] = records;
    // Without a list, the record says nothing about the items that the day holds.
    expect(prepared?.kind === 'nutrition' && prepared.parts).toEqual([
      { input: { kind: 'file', name: 'in.json' }, items: items ?? undefined },
    ]);
  });
});

describe('a value that the database of a platform cannot store', () => {
  const NUL = 'has a NUL character in it, which no platform can store: remove it';
  const HALF = 'has half of a surrogate pair in it, which no platform can store: remove it';
  test.each([
    [{ date, items: [{ ...gel, name: 'a\0b' }] }, `items/0/name: ${NUL}`],
    [{ date, items: [{ ...gel, quantity: '\ud800' }] }, `items/0/quantity: ${HALF}`],
    [{ date, items: [gel], rawJson: { a: ['\udc00x'] } }, `rawJson/a/0: ${HALF}`],
    [{ date, items: [gel], rawJson: { 'a\0': 1 } }, `rawJson/a\0: ${NUL}`],
    [
      { date, items: [gel], waterMl: 2 ** 31 },
      'waterMl: is 2147483648; the range is 0 to 2147483647 ml',
    ],
    [
      { date, items: [gel], calories: 2 ** 31 },
      'calories: is 2147483648; the range is 0 to 2147483647 kcal',
    ],
    [
      { date, items: [gel, { ...gel, status: 'planned' }] },
      'items/1/status: is "planned": only what was measured or eaten on the day is sent',
    ],
    [
      { date, items: [{ ...gel, calories: 2 ** 31 }] },
      'items/0/calories: is 2147483648; the range is 0 to 2147483647 kcal',
    ],
  ])('rejects a nutrition record, and is named: %j', async (record, said) => {
    expect(await saidOf('nutrition', record)).toEqual({ said: [said] });
  });

  test.each([
    [{ date, comments: 'a\0b' }, `comments: ${NUL}`],
    [{ date, comments: '\ud83d!' }, `comments: ${HALF}`],
    [{ date, rawJson: { a: { b: '\udfff' } } }, `rawJson/a/b: ${HALF}`],
  ])('is left out of a wellness record, and is named: %j', async (record, said) => {
    expect(await saidOf('wellness', record)).toEqual({ said: [said] });
    const more = await saidOf('wellness', { ...record, hrv: 60 });
    expect(more).toEqual({ body: { date, hrv: 60 }, said: [said] });
  });

  test('does not include a complete surrogate pair or a large integer in rawJson', async () => {
    const record = { date, items: [{ ...gel, name: 'gel \u{1f36f}' }], rawJson: { n: 2 ** 40 } };
    expect(await bodyOf('nutrition', record)).toEqual(record);
  });
});

describe('an item with a time of day', () => {
  test.each([
    ['2026-02-15', { time: '07:30' }, '2026-02-15T07:30:00+01:00'],
    ['2026-02-15', { Time: '7:30:15' }, '2026-02-15T07:30:15+01:00'],
    ['2026-02-15', { time: '7:30 pm' }, '2026-02-15T19:30:00+01:00'],
    ['2026-02-15', { time: '12:05 AM' }, '2026-02-15T00:05:00+01:00'],
    ['2026-02-15T22:00:00Z', { time: '07:30' }, '2026-02-15T07:30:00+01:00'],
    [null, { date: '2026/02/15', time: '07:30' }, '2026-02-15T07:30:00+01:00'],
    [null, { time: '2026-02-15T07:30:00Z' }, '2026-02-15T08:30:00+01:00'],
  ])('has the date of the record (%s) or its own: %j', async (date, time, expected) => {
    const record = { date, items: [{ name: 'Rice', ...time }] };
    const { records, invalid } = await prepare('nutrition', [record], { strict: true });
    expect(invalid).toEqual([]);
    expect(records.map(({ body, warnings }) => [body['items'], warnings])).toEqual([
      [[{ name: 'Rice', logged_at: expected }], []],
    ]);
  });

  test('is rejected without a date, and with an hour that does not exist', async () => {
    const rejected = async (record: object) => (await saidOf('nutrition', record)).said;
    expect(await rejected({ items: [{ name: 'Rice', time: '07:30' }] })).toEqual([
      'items/0/time: "07:30": has no date: write 2026-02-15T07:30:00+01:00',
    ]);
    expect(
      await rejected({ date: '2026-02-15', items: [{ name: 'Rice', time: '25:00' }] }),
    ).toEqual(['items/0/time: "2026-02-15T25:00": there is no hour 25']);
  });
});

describe('the day of an item', () => {
  const times = [
    '2026-02-15T22:59:00Z',
    '2026-02-15T23:00:00Z',
    '2026-02-15T23:30:00-05:00',
    '2026-02-16T00:10',
  ];
  const items = times.map((logged_at) => ({ name: logged_at, logged_at }));

  test('is the date if the record has none: a record that spans days is split into one per day', async () => {
    const { records, invalid } = await prepare('nutrition', [{ items }]);
    expect(invalid).toEqual([]);
    expect(
      records.map(({ body, sources, warnings, zoneUsed }) => ({
        body,
        sources,
        warnings,
        zoneUsed,
      })),
    ).toEqual([
      {
        body: {
          date: '2026-02-15',
          items: [
            { name: times[0], logged_at: '2026-02-15T23:59:00+01:00' },
            { name: times[2], logged_at: '2026-02-15T23:30:00-05:00' },
          ],
        },
        sources: ['in.json#/0'],
        warnings: [],
        zoneUsed: true,
      },
      {
        body: {
          date: '2026-02-16',
          items: [
            { name: times[1], logged_at: '2026-02-16T00:00:00+01:00' },
            { name: times[3], logged_at: '2026-02-16T00:10:00+01:00' },
          ],
        },
        sources: ['in.json#/0'],
        warnings: [],
        zoneUsed: true,
      },
    ]);
  });

  test('is the date that the record states, with a warning for items of another date', async () => {
    const { records } = await prepare('nutrition', [{ date: '2026-02-16', items: items.slice(2) }]);
    expect(records).toMatchObject([
      {
        body: {
          date: '2026-02-16',
          items: [
            { logged_at: '2026-02-15T23:30:00-05:00' },
            { logged_at: '2026-02-16T00:10:00+01:00' },
          ],
        },
        warnings: [
          {
            source: 'in.json#/0',
            field: 'items/0/logged_at',
            message:
              '2026-02-15T23:30:00-05:00 is on 2026-02-15, the record says 2026-02-16: kept as said',
          },
        ],
      },
    ]);
  });

  test('does not count as derived from the zone if every item has an offset', async () => {
    const { records } = await prepare('nutrition', [{ date, items: [gel] }, { items: [gel] }]);
    expect(records.map((record) => record.zoneUsed)).toEqual([false]);
  });

  test('receives only the warnings about its own times', async () => {
    const { records } = await prepare('nutrition', [
      {
        items: [
          { name: 'a', logged_at: '2026-03-28T12:00' },
          { name: 'b', logged_at: '2026-03-29T02:30' },
        ],
      },
    ]);
    expect(records.map(({ date, warnings }) => [date, warnings.map(({ field }) => field)])).toEqual(
      [
        ['2026-03-28', []],
        ['2026-03-29', ['items/1/logged_at']],
      ],
    );
  });
});

describe('a day far in the future', () => {
  test('is reported once per input, by its date or item, and rejected if strict', async () => {
    const ahead = { ...gel, logged_at: '2026-12-15T08:00:00+01:00' };
    const now = Date.parse('2026-02-15');
    const values = [{ items: [gel, ahead] }, { date: '2026-12-16', items: [], waterMl: 500 }];
    const { records } = await prepare('nutrition', values, { now });
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([
      {
        source: 'in.json#/0',
        field: 'items/1/logged_at',
        message:
          '2026-12-15 is 303 days ahead of today, 2026-02-15. Sent as it is (2 times in this input)',
      },
    ]);
    const strict = await prepare('nutrition', values, { now, strict: true });
    expect(strict.invalid.map(({ field }) => field)).toEqual(['items/1/logged_at', 'date']);
  });
});

describe('a record that spans days', () => {
  const morning = { name: 'a', logged_at: '2026-02-15T08:00:00+01:00' };
  const nextDay = { name: 'b', logged_at: '2026-02-16T08:00:00+01:00' };
  const record = { items: [morning, nextDay], calories: 900, rawJson: { app: 'x' } };

  test('loses its fields about all days together, and reports that', async () => {
    const { records } = await prepare('nutrition', [record]);
    expect(records.map(({ body }) => body)).toEqual([
      { date: '2026-02-15', items: [morning], rawJson: { app: 'x' } },
      { date: '2026-02-16', items: [nextDay], rawJson: { app: 'x' } },
    ]);
    const said = [
      ['calories', 'is about all 2 days that the items are on: not sent'],
      ['rawJson', 'is sent with each of the 2 days that the items are on'],
    ];
    for (const { warnings } of records) {
      expect(warnings.map(({ field, message }) => [field, message]).sort()).toEqual(said);
    }
  });

  test('is rejected because of such fields if strict', async () => {
    expect((await saidOf('nutrition', record, { strict: true })).said).toEqual([
      'calories: is about all 2 days that the items are on',
    ]);
  });
});
