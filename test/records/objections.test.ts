import { expect, test } from 'vitest';
import { prepare, saidOf } from './support.ts';

const date = '2026-02-15';
const oats = { name: 'Oats', logged_at: '2026-02-15T07:30:00+01:00', carbs: 60, calories: 380 };
test('an item that has nothing but its time is rejected', async () => {
  const items = [oats, { logged_at: oats.logged_at }, { logged_at: oats.logged_at, name: null }];
  const problem = 'has nothing but its time: write a "name" or "carbs"';
  expect(await saidOf('nutrition', { date, items })).toEqual({
    said: [`items/1: ${problem}`, `items/2: ${problem}`],
  });
});

test('a doubt is named as the record spells the field, and counted once per input', async () => {
  const values = [1, 2, 3, 4].map((day) => ({
    date: `2026-02-0${day}`,
    hrv: 61,
    'Sleep Seconds': day > 2 ? 27_000 : 420 + day,
  }));
  const { records } = await prepare('wellness', values);
  expect(records.flatMap(({ warnings }) => warnings)).toEqual([
    {
      source: 'in.json#/0',
      field: 'Sleep Seconds',
      message:
        'is 421 s: minutes? That would be 25260 s. Left out; --unit sleepSecs=min (of s, min, h, hrs, hours) names its unit (2 times in this input)',
    },
  ]);
});

test('a weight of 0 is near to none, and a night without sleep has no phases', async () => {
  const days = [0, 72.4].map((weight, at) => ({ date: `2026-02-0${at + 1}`, hrv: 61, weight }));
  const { records } = await prepare('wellness', days);
  expect(records.map(({ body }) => body)).toMatchObject([{ hrv: 61 }, { weight: 72.4 }]);
  const phases = { sleepDeepSecs: 0, sleepRemSecs: 0, sleepLightSecs: 0 };
  const { body } = await saidOf('wellness', { date, hrv: 61, sleepSecs: 0, ...phases });
  expect(body).toEqual({ date, hrv: 61 });
});
