import { describe, expect, it } from 'vitest';
import { unitsOf } from '../../../src/records/fields.ts';
import { renderText } from '../../../src/base/phrase.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { prepareFiles } from '../support.ts';
import { read } from './read-table.ts';

const DAY = '2026-11-20';

describe('a score of 1 to 10', () => {
  const days = (...all: object[]) =>
    JSON.stringify(all.map((day, at) => ({ date: `2026-11-${at + 11}`, ...day })));
  const RATINGS = 'sleepQuality,stress,mood,motivation,fatigue,soreness';

  it('is sent from own JSON, NDJSON and a table as it is, even if strict', async () => {
    const day = { date: DAY, stress: 1, mood: 7, motivation: 10, fatigue: 2, soreness: 3 };
    const sent = { bodies: [day], left: [], notes: [], refused: [] };
    const row = [DAY, 1, 7, 10, 2, 3].join();
    for (const text of [
      JSON.stringify([day]),
      `${JSON.stringify(day)}\n\n`,
      `date,stress,mood,motivation,fatigue,soreness\n${row}\n`,
    ]) {
      expect(await read(text, { strict: true })).toMatchObject(sent);
    }
  });

  it('of 0 was not measured, since the scale begins at 1', async () => {
    for (const text of [days({ hrv: 61, mood: 0 }), 'date,rmssd,mood\n2026-11-11,61,0\n']) {
      const { bodies, notes } = await read(text);
      expect(bodies).toEqual([{ date: '2026-11-11', hrv: 61 }]);
      expect(notes.join()).toContain('is 0, so it was not measured');
    }
  });

  it('above 10 is left out with the scale to name, and refused if strict', async () => {
    const found =
      'f.csv: mood: is 70 on 2026-11-12; the platform takes 1 to 10. Not sent; --unit mood=/100 converts points of 100';
    const json = days({ mood: 7 }, { mood: 70, hrv: 61 });
    const table = 'date,mood,rmssd\n2026-11-11,7,\n2026-11-12,70,61\n';
    for (const text of [json, table]) {
      const { bodies, left } = await read(text);
      expect(bodies).toEqual([
        { date: '2026-11-11', mood: 7 },
        { date: '2026-11-12', hrv: 61 },
      ]);
      expect(left).toEqual([found]);
      const { refused } = await read(text, { strict: true });
      expect(refused).toEqual([expect.stringContaining('--unit mood=/100 converts')]);
    }
  });

  it('is left out whole if most of its values are above 10, and refused if nothing else is there', async () => {
    const { bodies, left } = await read(days({ mood: 8, hrv: 61 }, { mood: 70 }, { mood: 45 }));
    expect(bodies).toEqual([{ date: '2026-11-11', hrv: 61 }]);
    expect(left).toEqual([expect.stringContaining('is 70 (2 values of this kind)')]);
    const { refused } = await read(days({ mood: 70 }));
    expect(refused).toEqual([expect.stringMatching(/no value to send: mood.*--unit mood=\/100/)]);
  });

  it('above the scale that --unit names is left out with that scale', async () => {
    const { left } = await read(days({ mood: 10, hrv: 61 }), { units: { mood: '/7' } });
    expect(left).toEqual([
      'f.csv: mood: is 15 on 2026-11-11 with --unit mood=/7; the platform takes 1 to 10. Not sent; --unit mood names the highest value of its scale',
    ]);
  });

  it.each([
    ['/5', [1, 2, 3, 4, 5], [1, 3, 6, 8, 10]],
    ['/4', [1, 2, 3, 4], [1, 4, 7, 10]],
    ['/10', [1, 5, 10], [1, 5, 10]],
    ['/7', [1, 4, 7], [1, 6, 10]],
    ['/100', [1, 4, 14, 15, 55, 100], [1, 1, 1, 2, 6, 10]],
  ])('is converted from %s in every form', async (scale, values, sent) => {
    const units = { soreness: scale };
    const rows = values.map((value, at) => `2026-11-${at + 11},${value}\n`);
    const objects = values.map((soreness) => ({ soreness }));
    const lines = objects.map((day, at) => JSON.stringify({ date: `2026-11-${at + 11}`, ...day }));
    const header = { '/7': 'soreness', '/4': 'soreness' }[scale] ?? `soreness (${scale})`;
    for (const [text, named] of [
      [days(...objects), units],
      [lines.join('\n'), units],
      [`date,soreness\n${rows.join('')}`, units],
      [`date,${header}\n${rows.join('')}`, header === 'soreness' ? units : {}],
    ] as const) {
      const { bodies, refused } = await read(text, { units: named });
      expect([bodies.map((body) => body['soreness']), refused]).toEqual([sent, []]);
    }
  });

  it('in a table of five rows that stays within 5 is left out until its scale is named', async () => {
    const table = (count: number) =>
      `date,mood,restingHr\n${[2, 3, 5, 1, 4]
        .slice(0, count)
        .map((mood, at) => `2026-11-${at + 11},${mood},47\n`)
        .join('')}`;
    const { bodies, left, unread } = await read(table(5));
    expect(bodies).toHaveLength(5);
    expect(bodies.flatMap(Object.keys)).not.toContain('mood');
    expect(left).toEqual([
      'f.csv: mood: no value is above 5, and the platform takes 1 to 10. Not sent; --unit mood=/5 or --unit mood=/10 names the scale',
    ]);
    expect(unread).toEqual(['mood']);
    expect((await read(table(5), { strict: true })).refused.join()).toContain('--unit mood=/5 or');
    expect((await read(table(5), { units: { mood: '/10' } })).bodies[0]).toMatchObject({ mood: 2 });
    expect((await read(table(4))).bodies[0]).toMatchObject({ mood: 2 });
    expect((await read(table(5).replace('mood', 'mood (1-10)'))).bodies[0]).toMatchObject({
      mood: 2,
    });
    const own = await read(days(...[2, 3, 5, 1, 4].map((mood) => ({ mood }))), { strict: true });
    expect(own.bodies.map(({ mood }) => mood)).toEqual([2, 3, 5, 1, 4]);
  });

  it('of intervals.icu is sent by the platform’s own mapping', async () => {
    const rows = [1, 2, 3, 4].map((value, at) => `2026-11-${at + 11},${`${value},`.repeat(6)}47\n`);
    const { bodies } = await read(`date,${RATINGS},rampRate\n${rows.join('')}`, { strict: true });
    const good = [10, 7, 4, 1];
    const bad = [1, 4, 7, 10];
    expect(bodies).toEqual(
      good.map((high, at) => ({
        date: `2026-11-${at + 11}`,
        ...{ sleepQuality: high, mood: high, motivation: high },
        ...{ stress: bad[at], fatigue: bad[at], soreness: bad[at] },
      })),
    );
  });

  it('is not what a device measures: Garmin’s stress is not sent', async () => {
    const day = { calendarDate: DAY, avgStressLevel: 32 };
    const found = 'stress: measured by the device, and the platform takes the athlete’s own word';
    const alone = await read(JSON.stringify(day), { name: 'f.json' });
    expect(alone).toMatchObject({ bodies: [], left: [`f.json: ${found}. Not sent`] });
    expect(alone.empty).toEqual([
      'f.json has no row with a value to send besides those left out: stress.',
    ]);
    const summary = { ...day, totalKilocalories: 2510, averageStressLevel: 8, totalSteps: 8123 };
    const { bodies, left } = await read(JSON.stringify(summary), { name: 'f.json', strict: true });
    expect(bodies).toEqual([{ date: DAY, totalCaloriesBurned: 2510, steps: 8123 }]);
    expect(left).toEqual([`f.json: ${found}. Not sent`]);
  });
});

describe('a value that was not measured', () => {
  const rows = (...cells: string[]) => `date;weight (kg);time\n${cells.join('\n')}\n`;
  const [morning, evening] = [`${DAY};72,5;07:00`, `${DAY};0;21:00`];

  it('does not hide an earlier one of the day, and is refused alone', async () => {
    const both = await read(rows(morning, evening), { strict: true });
    expect(both).toMatchObject({ bodies: [{ date: DAY, weight: 72.5 }], notes: [], refused: [] });
    const { bodies, invalid } = await read(rows(evening));
    expect([bodies, invalid]).toEqual([[], ['f.csv:2: holds nothing to send besides its date']]);
  });
});

describe('a score of 1 to 100 that never exceeds 10', () => {
  it('is left out of a table, together with the HRV beside it', async () => {
    const text = 'Date,restingHr,HRV,Readiness\n2026-11-20,47,62,8\n';
    const { bodies, left } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 47 }]);
    expect(left.join()).toContain('--unit readiness=/10 converts them if they are of 10');
    expect(left.join()).toContain('hrv: is a score, as the readiness is, or ms');
    const units = { readiness: '/10', hrv: 'ms' };
    expect((await read(text, { units })).bodies).toMatchObject([{ hrv: 62, readiness: 80 }]);
  });

  it('is left out if it never exceeds 1, until the scale is named', async () => {
    const text = 'date,restingHr,readiness\n2026-11-20,47,0.82\n';
    const { bodies, left } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 47 }]);
    expect(left.join()).toContain('--unit readiness=/1 converts them if they are of 1');
    const named = await read(text, { units: { readiness: '/1' } });
    expect(named.bodies).toEqual([{ date: DAY, restingHr: 47, readiness: 82 }]);
  });

  it('is sent with a note from own JSON, and refused if strict', async () => {
    const text = JSON.stringify({ date: DAY, readiness: 8, hrv: 61 });
    const { bodies, left } = await read(text);
    expect(bodies).toEqual([{ date: DAY, readiness: 8, hrv: 61 }]);
    expect(left).toEqual([expect.stringContaining('Sent as they are; --unit readiness=/100')]);
    expect((await read(text, { strict: true })).refused).toHaveLength(1);
    expect(await read(text, { strict: true, units: { readiness: '/100' } })).toMatchObject({
      ...{ bodies: [{ readiness: 8 }], left: [] },
    });
  });
});

describe('a sleepQuality beside a sleepScore of the day', () => {
  it('is left out, also if another file has the score', async () => {
    const both = JSON.stringify([
      { date: DAY, sleepScore: 82, sleepQuality: 7 },
      { date: '2026-11-21', sleepQuality: 6 },
    ]);
    const { bodies, left } = await read(both);
    expect(bodies).toEqual([
      { date: DAY, sleepScore: 82 },
      { date: '2026-11-21', sleepQuality: 6 },
    ]);
    expect(left).toEqual([
      'sleepQuality: the platform shows it in place of the sleepScore of the day. Not sent (2026-11-20)',
    ]);
  });
});

describe('sums of weeks and months', () => {
  const weeks = ['2026-11-02', '2026-11-09', '2026-11-16'];
  const months = ['2026-09-01', '2026-10-01', '2026-11-01'];
  const json = (dates: readonly string[], values: object) =>
    JSON.stringify(dates.map((date) => ({ date, ...values })));
  const ndjson = (dates: readonly string[], values: object) =>
    dates.map((date) => `${JSON.stringify({ date, ...values })}\n`).join('');
  const csv = (dates: readonly string[]) =>
    `date,restingHr,steps\n${dates.map((date) => `${date},51,61000\n`).join('')}`;
  const hae = (dates: readonly string[]) => {
    const metric = (name: string, units: string, qty: number) => {
      return { name, units, data: dates.map((date) => ({ date: `${date} 00:00:00 +0200`, qty })) };
    };
    const metrics = [
      metric('step_count', 'count', 61_000),
      metric('resting_heart_rate', 'bpm', 51),
    ];
    return JSON.stringify({ data: { metrics } });
  };
  const values = { restingHr: 51, steps: 61_000 };

  it.each([
    ['own JSON of weeks', json(weeks, values), 'a Monday', 'week'],
    ['own JSON of months', json(months, values), 'the first day of a month', 'month'],
    ['NDJSON', ndjson(weeks, values), 'a Monday', 'week'],
    ['a table', csv(weeks), 'a Monday', 'week'],
    ['Health Auto Export', hae(months), 'the first day of a month', 'month'],
  ])('are left out of %s, until they are confirmed', async (_, text, day, span) => {
    const { bodies, left } = await read(text);
    expect(bodies.map(({ restingHr, steps }) => [restingHr, steps])).toEqual(
      Array(3).fill([51, undefined]),
    );
    expect(left.filter((note) => note.includes('steps'))).toEqual([
      `f.csv: steps: every date is ${day}: are the values of the whole ${span}? Not sent; --unit steps=day confirms those of a day`,
    ]);
    expect((await read(text, { strict: true })).refused.join()).toContain('--unit steps=day');
    const { bodies: confirmed, refused } = await read(text, { ofDay: new Set(['steps']) });
    expect([confirmed.map(({ steps }) => steps), refused]).toEqual([Array(3).fill(61_000), []]);
  });

  it('are left out of the totals of nutrition days, not of items with times', async () => {
    const text = json(weeks, { calories: 11_000, waterMl: 9_000 });
    const { refused } = await read(text, { name: 'food.json' });
    expect(refused.join()).toMatch(/no value to send: calories.*--unit calories=day/);
    const items = JSON.stringify(
      weeks.map((date) => ({ logged_at: `${date}T12:30:00+01:00`, name: 'Rice', calories: 350 })),
    );
    expect((await read(items, { name: 'food.json' })).bodies).toHaveLength(3);
  });

  it('are perhaps means of months: measurements are sent with a note', async () => {
    const { bodies, left } = await read(json(months, { weight: 72.4 }));
    expect(bodies).toHaveLength(3);
    expect(left).toEqual([expect.stringContaining('means of the month? Sent as they are')]);
  });

  it('are no weights, scores or means, and need three dates', async () => {
    const text = json(weeks, { weight: 72.4, mood: 7, sleepSecs: 27_000, restingHr: 51 });
    expect(await read(text, { strict: true })).toMatchObject({ left: [], refused: [] });
    expect((await read(json(weeks.slice(1), values))).left).toEqual([]);
    expect((await read(json([...weeks, '2026-11-17'], values))).left).toEqual([]);
  });

  it('are suspected beyond 100,000 steps and 12,000 kcal in a day', async () => {
    const steps = json([DAY], { steps: 100_001, hrv: 61 });
    const { bodies, notes } = await read(steps);
    expect(bodies).toEqual([{ date: DAY, hrv: 61 }]);
    expect(notes).toEqual([expect.stringMatching(/several days.*--unit steps=day sends it/)]);
    expect((await read(steps, { ofDay: new Set(['steps']) })).bodies).toMatchObject([
      { steps: 100_001 },
    ]);
    expect((await read(json([DAY], { steps: 100_000 }))).bodies).toHaveLength(1);
    const food = { calories: 12_001, carbs: 60 };
    const day = json([DAY], food);
    const item = JSON.stringify([{ logged_at: `${DAY}T12:30:00+01:00`, ...food }]);
    for (const text of [day, item]) {
      const log = await read(text, { name: 'food.json' });
      expect(JSON.stringify(log.bodies)).not.toContain('calories');
      expect([...log.notes, ...log.left]).toEqual([expect.stringContaining('--unit calories=day')]);
      const sure = await read(text, { name: 'food.json', ofDay: new Set(['calories']) });
      expect(JSON.stringify(sure.bodies)).toContain('"calories":12001');
    }
  });
});

describe('a number', () => {
  it('has points for thousands if other cells have decimal commas', async () => {
    const text = `date;weightKg;steps;distanceMeters\n${DAY};72,4;12.345;6.100\n`;
    const { bodies } = await read(text, { strict: true });
    expect(bodies).toEqual([{ date: DAY, weight: 72.4, steps: 12_345, distanceMeters: 6_100 }]);
  });

  const FIT =
    'Datum;Anzahl der Aktivitätsminuten;Kalorien (kcal);Distanz (m);Schrittzahl\n2026-11-20;40';
  it.each([
    ['Steps.csv', ',Actual,Goal\n11/20/2026,10.480,8.000\n', ['"10.480": write 10480 or 10']],
    [
      'Burned.csv',
      ',Active Calories,Resting Calories,Total\n11/20/2026,1.048,850,1898\n',
      ['"1.048": write 1048 or 1.0480'],
    ],
    ['fit.csv', `${FIT};2.345;8.012;10.480\n`, ['"10.480"', '"8.012"', '"2.345"']],
  ])('of a known program that may be a thousand is refused: %s', async (name, text, said) => {
    const { bodies, invalid } = await read(text, { name });
    expect(invalid).toHaveLength(said.length);
    for (const part of said) expect(invalid.join()).toContain(part);
    expect(JSON.stringify(bodies)).not.toMatch(/steps|activeCal|distance/);
  });

  it('of a known program is read if another cell shows what a point is', async () => {
    const commas = await read(`${FIT};2345,6;8.012;10.480\n`);
    expect(commas.bodies).toMatchObject([{ steps: 10_480, distanceMeters: 8_012 }]);
    const points = await read(`${FIT};2345.6;8.012;10480\n`);
    expect(points.bodies).toMatchObject([{ steps: 10_480, totalCaloriesBurned: 2_345.6 }]);
  });

  it('is not said to be rounded if it is not sent', async () => {
    const { bodies, notes } = await read(
      'date,readiness,restingHr\n2026-11-20,0.8,48\n2026-11-21,0.7,48\n',
    );
    expect(bodies).toMatchObject([{ restingHr: 48 }, { restingHr: 48 }]);
    expect(notes.join()).not.toContain('rounded');
  });

  it('in quotes between commas has a decimal comma if other cells of its fields show one', async () => {
    const table = (weight: string, note = '') =>
      `date,weight (kg),distance (km),steps\n2026-11-20,${weight},"1,234",1700\n2026-11-21,"72,1","2,5",3500\n${note}`;
    expect((await read(table('"72,4"'), { strict: true })).bodies).toEqual([
      { date: '2026-11-20', weight: 72.4, distanceMeters: 1_234, steps: 1_700 },
      { date: '2026-11-21', weight: 72.1, distanceMeters: 2_500, steps: 3_500 },
    ]);
    const both = await read(table('72.4'));
    expect(both.bodies[0]).toEqual({ date: '2026-11-20', weight: 72.4, steps: 1_700 });
    expect(both.invalid.join()).toContain('write 1234 or 1.234');
    const tags = 'date,steps,restingHr,tags\n2026-11-20,"11,234",47,"1,2"\n';
    expect((await read(tags)).bodies).toMatchObject([{ steps: 11_234 }]);
  });

  it('of a whole number’s field is rounded with a note, and refused if strict', async () => {
    const text = 'date;restingHr\n2026-11-20;47.345\n';
    const { bodies, notes } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 47 }]);
    expect(notes).toEqual(['f.csv:2: is 47.345; whole numbers only: rounded to 47']);
    expect((await read(text, { strict: true })).bodies).toEqual([]);
  });

  it('outside the range costs that value, with its own place and as the file has it', async () => {
    const metric = (name: string, units: string, qty: number) => {
      return { name, units, data: [{ date: `${DAY} 00:00:00 +0100`, qty }] };
    };
    const heart = metric('resting_heart_rate', 'count/min', 47);
    const fat = metric('body_fat_percentage', '%', 0.171);
    const hae = JSON.stringify({ data: { metrics: [heart, fat] } });
    const { bodies, invalid } = await read(hae);
    expect(bodies).toEqual([{ date: DAY, restingHr: 47 }]);
    expect(invalid).toEqual(['f.csv#/data/metrics/1/data/0: is 0.171; the range is 1 to 75 %']);
    expect((await read(hae, { strict: true })).bodies).toEqual([]);
    const pounds = await read('date,Weight (lb),steps\n2026-11-20,9000,8123\n');
    expect(pounds.bodies).toEqual([{ date: DAY, steps: 8_123 }]);
    expect(pounds.invalid[0]).toMatch(/range is 20 to 400 kg\. The file has "9000"/);
    const named = await read('date,weightKg,abdomenCm,steps\n2026-11-20,72.4 oz,3,8123\n');
    expect(named.invalid).toEqual([
      'f.csv:2: is 3; the range is 30 to 300 cm',
      expect.stringContaining('is "72.4 oz"; a number is expected'),
    ]);
  });

  it('in an unknown unit refuses the sum that it belongs to', async () => {
    const water = (unit: string, hour: number) => {
      const time = `${DAY} 0${hour}:00:00 +0100`;
      return `<Record type="HKQuantityTypeIdentifierDietaryWater" sourceName="A" unit="${unit}" startDate="${time}" endDate="${time}" value="1"/>`;
    };
    const bodies = async (...units: string[]) => {
      const rows = units.map(water).join('');
      return (await read(`<?xml version="1.0"?><HealthData>${rows}</HealthData>`)).bodies;
    };
    expect(await bodies('L', 'firkin')).toEqual([]);
    expect(await bodies('pt_us', 'pt_us')).toEqual([{ date: DAY, hydrationVolume: 946.352 }]);
  });
});

describe('a file with all values in doubt', () => {
  it.each([
    ['sleepSecs', 'date,sleepSecs\n2026-11-20,7.5\n', 'is 7.5 s: hours?'],
    ['distanceMeters', 'date,distanceMeters\n2026-11-20,6.1\n', 'kilometres or miles?'],
    [
      'totalCaloriesBurned',
      `date,totalCaloriesBurned\n${DAY},10500\n`,
      'kilojoules? That would be 2510 kcal',
    ],
    ['hrv', 'date,rmssd\n2026-11-20,4.1\n', 'ln RMSSD'],
    ['abdomen', 'date,abdomen\n2026-11-20,32\n', 'inches?'],
    ['exerciseMinutes', 'date,exerciseMinutes\n2026-11-20,1200\n', 'seconds?'],
    ['hydrationVolume', 'date,hydrationVolume\n2026-11-20,64\n', 'fluid ounces?'],
  ])('is refused with the unit to name: %s', async (field, text, doubt) => {
    const { bodies, refused } = await read(text);
    expect(bodies).toEqual([]);
    expect(refused[0]).toContain(`has no value to send: ${field}`);
    expect(refused[0]).toContain(doubt);
    expect(refused[0]).toContain(`--unit ${field}=`);
    const named = await read(text, { units: { [field]: Object.keys(unitsOf(field))[0] ?? '' } });
    expect(named.bodies).toHaveLength(1);
  });

  it('is sent without them if it has other values, and refused if strict', async () => {
    const remedy = 'Left out; --unit sleepSecs=min (of s, min, h, hrs, hours) names its unit';
    for (const rows of ['2026-11-20,480,47', '2026-11-20,480,47\n2026-11-21,27000,48']) {
      const text = `date,sleepSecs,restingHr\n${rows}\n`;
      const { bodies, notes } = await read(text);
      expect(bodies[0]).toEqual({ date: DAY, restingHr: 47 });
      expect(notes).toEqual([`f.csv:2: is 480 s: minutes? That would be 28800 s. ${remedy}`]);
      const strict = await read(text, { strict: true });
      expect(strict.bodies).toHaveLength(bodies.length - 1);
      const units = { sleepSecs: 'min' };
      expect((await read(text, { units })).bodies[0]).toMatchObject({ sleepSecs: 28_800 });
    }
  });

  it('has all of a field left out if most values are in doubt', async () => {
    const rows = [7_600, 8_300, 9_100].map((kcal, at) => `2026-11-1${at},${kcal},47\n`).join('');
    const { bodies, notes } = await read(`date,totalCaloriesBurned (kcal),restingHr\n${rows}`);
    expect(bodies.flatMap(Object.keys)).not.toContain('totalCaloriesBurned');
    expect(notes[0]).toContain('kilojoules?');
  });

  it('loses its energy if that is of its carbs, protein and fat in kilojoules', async () => {
    const log = (row: string) =>
      `logged_at,name,calories,carbs,protein,fat\n${DAY}T19:00:00+01:00,${row}\n`;
    const text = log('Pasta,2142,65,10,5');
    const { bodies: left, notes } = await read(text, { name: 'food.csv' });
    expect(JSON.stringify(left)).not.toContain('calories');
    expect(notes[0]).toContain('have 345 kcal: kilojoules? Left out; --unit calories=kJ');
    const units = { calories: 'kJ' };
    const { bodies } = await read(text, { units, name: 'food.csv' });
    expect(bodies).toMatchObject([{ items: [{ calories: 511.9503 }] }]);
    const wine = await read(log('Wine,125,4,0,0'), { strict: true, name: 'food.csv' });
    expect(wine).toMatchObject({ refused: [], invalid: [] });
  });

  it('is refused if Fitbit’s pounds are kilograms', async () => {
    const weights = JSON.stringify(
      [19, 20, 21].map((day, logId) => {
        return { logId, weight: 72.4, bmi: 22, date: `11/${day}/26`, time: '07:00:00' };
      }),
    );
    const { refused } = await read(weights);
    expect(refused[0]).toContain('weight is 32.84 kg');
    const { bodies } = await read(weights, { units: { weight: 'kg' } });
    expect(bodies[0]).toMatchObject({ weight: 72.4 });
  });
});

describe('a cell', () => {
  it.each([
    ['sleep (hours)', '7:32', 27_120],
    ['sleepHours', '7:32', 27_120],
    ['sleepHours', '7h 32m', 27_120],
    ['sleepSecs', '7:32:15', 27_135],
    ['sleepSecs', 'PT7H31M', 27_060],
    ['sleep (min)', '7h 32min', 27_120],
  ])('in a column %s may be a duration: %s', async (column, cell, sleepSecs) => {
    const { bodies, notes, invalid } = await read(`date,${column}\n${DAY},${cell}\n`);
    expect(bodies).toEqual([{ date: DAY, sleepSecs }]);
    expect([...notes, ...invalid]).toEqual([]);
  });

  it.each([
    // Perhaps minutes and seconds.
    ['sleep (min)', '452:30'],
    ['sleep (min)', '45:30'],
    ['sleepHours', '7:75'],
  ])('in a column %s is no duration: %s', async (column, cell) => {
    const { bodies, invalid } = await read(`date,${column},restingHr\n${DAY},${cell},48\n`);
    expect(bodies).toEqual([{ date: DAY, restingHr: 48 }]);
    expect(invalid).toEqual([expect.stringContaining(`is "${cell}"`)]);
    expect(invalid[0]).not.toContain('write');
  });

  it.each([
    ['\r\n', '\n'],
    ['\n', '\r\n'],
  ])('in quotes has none of them if rows end differently: %j and %j', async (first, other) => {
    const text = `date,comments${first}2026-11-14,"a"${other}2026-11-15,"b"${other}`;
    const { bodies, invalid } = await read(text, { source: 'table' });
    expect(bodies).toEqual([
      { date: '2026-11-14', comments: 'a' },
      { date: '2026-11-15', comments: 'b' },
    ]);
    expect(invalid).toEqual([]);
  });

  it.each(['\n', '\r\n'])('after cells with line breaks %j is named with its line', async (end) => {
    const rows = ['date,comments,"resting', 'HR"', '2026-11-14,"a', 'b",48', '', '2026-11-15,,x'];
    const { invalid } = await read(rows.join(end) + end, { source: 'table' });
    expect(invalid).toEqual([expect.stringContaining('f.csv:6: ')]);
  });

  it('with a time decides which of several rows is the latest of the day', async () => {
    const rows = `${DAY},19:01:00,73.1\n${DAY},07:01:00,72.4\n`;
    const { bodies } = await read(`Date,Time,Weight (kg)\n${rows}`, { source: 'table' });
    expect(bodies).toEqual([{ date: DAY, weight: 73.1 }]);
  });
});

describe('a date with the year last', () => {
  it.each([
    ['11/20/2026', '11/12/2026', ['2026-11-12', DAY]],
    ['20.11.2026', '05.11.2026', ['2026-11-05', DAY]],
  ])('is read if the column settles the order: %s', async (one, other, dates) => {
    const text = `date,steps\n${other},8000\n${one},8123\n`;
    const { bodies, invalid } = await read(text, { strict: true });
    expect(bodies.map(({ date }) => date)).toEqual(dates);
    expect(invalid).toEqual([]);
  });

  it.each([
    ['no number above 12', '11/10/2026,1\n11/12/2026'],
    ['a contradiction', '11/20/2026,1\n20/11/2026'],
    ['a year of two digits', '26/11/20,1\n26/11/21'],
  ])('is refused with what to write instead: %s', async (_, rows) => {
    const { bodies, refused } = await read(`date,steps\n${rows},8123\n`);
    expect(bodies).toEqual([]);
    expect(refused).toEqual([expect.stringMatching(/^f\.csv:2: .*with the year first/)]);
  });
});

describe('a file', () => {
  it('of a food log with a foreign column, or with deleted rows, sends neither', async () => {
    const logged = `${DAY}T12:00:00+01:00`;
    const priced = `logged_at,name,price,fat\n${logged},Milk,1.29,3.5\n`;
    const { refused } = await read(priced, { name: 'food.csv' });
    expect(refused[0]).toContain('perhaps no food log: it has the columns "price"');
    expect(refused[0]).toContain('--source food-log');
    const deleted = `logged_at,name,fat,Deleted\n${logged},Milk,3,false\n${logged},Oil,9,true\n`;
    const { bodies } = await read(deleted, { name: 'food.csv' });
    expect(bodies).toMatchObject([{ items: [{ name: 'Milk' }] }]);
  });

  it('of whole days of food with two rows for a day is refused, whether its source is named or not', async () => {
    const text = `date,carbs,fat
${DAY},200,60
${DAY},50,10
`;
    for (const options of [{}, { source: 'food-log' }]) {
      const { bodies, refused } = await read(text, { name: 'food.csv', ...options });
      expect(bodies).toEqual([]);
      expect(refused).toEqual([
        expect.stringMatching(/^food\.csv:3 is a second row .* add a column "meal"/),
      ]);
    }
  });

  it('with a date for each food is a food log, and foreign columns make it none', async () => {
    const foods = `Date,Time,Meal,Food,Calories (kJ),${GRAMS}`;
    const row = `${DAY},7:30 pm,Dinner,Rice,1255.2,1,6,65`;
    const { bodies } = await read(`${foods}\n${row}\n`, { name: 'food.csv' });
    const rice = { name: 'Rice', meal: 'DINNER', calories: 300, fat: 1, protein: 6, carbs: 65 };
    expect(bodies).toMatchObject([
      { date: DAY, items: [{ ...rice, logged_at: `${DAY}T19:30:00+01:00` }] },
    ]);
    const priced = `${foods},Price\n${row},1.29\n`;
    const { refused } = await read(priced, { name: 'food.csv' });
    expect(refused[0]).toContain('perhaps no food log: it has the columns "Price"');
  });

  const GRAMS = 'Fat (g),Protein (g),Carbohydrates (g)';
  it.each([
    ['weekly sums', `Week,Name,Quantity,Calories,${GRAMS}`],
    ['meals without foods', `Date,Time,Meal,Calories,${GRAMS}`],
    ['totals with net carbs', 'Date,Energy (kcal),Net Carbs (g)'],
  ])('is not taken for another program’s: %s', async (_, header) => {
    const cells = header.replace(/Date|Week/, DAY).replaceAll(/,[^,]+/g, ',9');
    const { refused } = await read(`${header}\n${cells}\n`, { name: 'food.csv' });
    expect(refused[0]).toContain('is a table from an unknown program');
  });

  it('of a known program lists the unread columns', async () => {
    const biometrics = `Day,Time,Metric,Unit,Amount,Brand\n${DAY},07:00,Weight,kg,72.4,x\n${DAY},07:00,HRV (Oura),ms,56,x\n`;
    const unread = ['Brand', 'HRV (Oura)'];
    expect(await read(biometrics)).toMatchObject({ bodies: [{ weight: 72.4 }], unread });
  });

  it.each([
    ['date,weight (kg)\n', 'has no row with a value to send'],
    ['date,weight (kg),steps\n2026-11-20,--,\n', 'has no row with a value to send'],
    ['[]', 'holds an empty list'],
    ['{"wellness": []}', 'holds an empty list'],
  ])('without a record is named: %j', async (text, problem) => {
    expect(await read(text)).toMatchObject({ bodies: [], empty: [`f.csv ${problem}.`] });
  });

  it.each([
    `Date,Weight (kg),Fat mass (kg)\n${DAY} 07:00:00,,\n`,
    `Day,Metric,Unit,Amount\n${DAY},Blood Pressure,mmHg,121/79\n`,
  ])('without any value that is read is named: %j', async (text) => {
    expect(await read(text)).toMatchObject({
      empty: ['f.csv has no row with a value to send.'],
      refused: [],
    });
  });

  it.each([
    ['utf16le', `\ufeffdate\tweightKg\tcomments\n${DAY}\t72,4\tmüde\n`, []],
    ['latin1', `date;weightKg;comments\n${DAY};72,4;müde\n`, [expect.stringContaining('Latin-1')]],
  ] as const)('in %s is read', async (encoding, text, notes) => {
    const { bodies, left } = await read(Buffer.from(text, encoding));
    expect(bodies).toEqual([{ date: DAY, weight: 72.4, comments: 'müde' }]);
    expect(left).toEqual(notes);
  });

  it('without a header on its first line is refused as a table', async () => {
    const { refused } = await read('#Version: 6\n#date;weight\n');
    expect(refused[0]).toContain('other lines before its header, which is perhaps line 2.');
  });

  it('of Samsung has the offset of its times in milliseconds', async () => {
    const header = 'start_time,time_offset,weight,datauuid';
    const rows = '1767223800000,UTC+0900,72.4,x\n';
    const { bodies } = await read(`com.samsung.health.weight,1,2\n${header}\n${rows}`);
    expect(bodies).toEqual([{ date: '2026-01-01', weight: 72.4 }]);
  });
});

describe('an export of no known program', () => {
  const TWICE = 'date,weight (kg),steps,weight (kg)';
  const IMPERIAL = '{"units": "imperial", "data": [{"date": "2026-11-20", "weight": 139.6}]}';
  const MINUTES = JSON.stringify(
    [18, 19, 20].map((day) => ({ date: `2026-11-${day}`, sleepSecs: 440 + day })),
  );

  it.each([
    ['an hour of steps', 'Date,Time,Steps\n2026-11-20,10:00,812\n', 'has the columns "time"'],
    [
      'a column that is there twice',
      `${TWICE}\n${DAY},72.4,8123,71.9\n`,
      'has the column "weight (kg)" twice',
    ],
    [
      'lactate in mg/dl',
      'date,lactate\n2026-11-20,18\n2026-11-21,21\n',
      '--unit lactate=mg/dl (of mmol/l, mg/dl)',
    ],
    ['JSON with units of its own', IMPERIAL, 'states units of its own: "units"'],
    ['own JSON of minutes', MINUTES, '--unit sleepSecs=min (of s, min, h, hrs, hours)'],
  ])('is refused with the reason: %s', async (_, text, reason) => {
    const { bodies, refused } = await read(text, { name: 'f' });
    expect([bodies, refused.join()]).toEqual([[], expect.stringContaining(reason)]);
  });

  it.each([
    [{ weight: 140.2 }, { weight: 'lb' }, { weight: 63.5937 }],
    [{ weightKg: 72.4 }, { weight: 'lb' }, { weight: 72.4 }],
    [{ sleepSecs: '450' }, { sleepSecs: 'min' }, { sleepSecs: 27_000 }],
    [{ distanceMetres: 7.8 }, { distanceMeters: 'km' }, { distanceMeters: 7_800 }],
    [{ sleepSecs: 450 }, { sleepSecs: 's' }, { sleepSecs: 450 }],
    [{ mood: 0, hrv: 61 }, { mood: '/5' }, { hrv: 61 }],
    [{ calories: 9_000, items: [] }, { calories: 'kJ' }, { calories: 2_151, items: [] }],
  ])('of the athlete is in the unit that the user names: %j', async (values, units, sent) => {
    const name = 'items' in values ? 'food' : 'f';
    const { bodies } = await read(JSON.stringify({ date: DAY, ...values }), { name, units });
    expect(bodies).toEqual([{ date: DAY, ...sent }]);
  });

  it.each([
    ['commas', '12,345;9,120', 'write 12345'],
    ['points', '8.123;9.120', 'write 8123 or 8\n'],
  ])('with thousands that may be decimals costs these values: %s', async (_, cells, hint) => {
    const text = `date;steps;distanceMeters;restingHr\n2026-11-20;${cells};48\n`;
    const { bodies, invalid } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 48 }]);
    expect(invalid).toHaveLength(2);
    expect(invalid.concat('').join('\n')).toContain(hint);
    const mixed = await read(`date;weightKg;steps\n${DAY};72.4;2.345\n`);
    expect([mixed.bodies, mixed.invalid]).toEqual([
      [{ date: DAY, weight: 72.4 }],
      [expect.stringContaining('write 2345 or 2')],
    ]);
    const points = `date;weightKg;steps;distanceMeters\n${DAY};72.4;2,345;812.345\n`;
    expect((await read(points)).bodies).toEqual([
      { date: DAY, weight: 72.4, steps: 2_345, distanceMeters: 812.345 },
    ]);
  });

  it('costs a weight a quarter away from the rows before, unless the next one is near to it', async () => {
    const rows = (...all: number[]) =>
      `date,weight (kg)\n${all.map((kg, at) => `2026-11-1${at},${kg}\n`).join('')}`;
    const weights = async (text: string) => (await read(text)).bodies.map(({ weight }) => weight);
    expect(await weights(rows(63.5, 63.4, 140.1, 63.3))).toEqual([63.5, 63.4, 63.3]);
    expect(await weights(rows(63.5, 90, 90.4))).toEqual([63.5, 90.4]);
    expect((await read(rows(63.5, 63.4, 140.1))).invalid).toEqual([
      'f.csv:4: is 140.1 kg, and the weight before was 63.4 kg',
    ]);
  });

  it.each([
    ['Weight [lb]', 'weight', 159.6, 72.39],
    ['weight_lb', 'weight', 159.6, 72.39],
    ['weight (st)', 'weight', 11.4, 72.39],
    ['distance (mi)', 'distanceMeters', 4.1, 6_598.31],
    ['sleep (min)', 'sleepSecs', 450, 27_000],
    ['totalCaloriesBurned (kJ)', 'totalCaloriesBurned', 10_500, 2_509.56],
    ['lactate (mg/dl)', 'lactate', 18, 2],
    ['bloodGlucose (mg/dl)', 'bloodGlucose', 88, 88],
  ])('has its unit in the header: %s', async (header, field, value, sent) => {
    const text = `date,${header}\n2026-11-20,${value}\n`;
    expect((await read(text, { strict: true })).bodies).toEqual([{ date: DAY, [field]: sent }]);
  });

  it('has a note about an energy without a unit, which is refused if strict', async () => {
    for (const kind of ['active', 'resting', 'total']) {
      const field = `${kind}CaloriesBurned`;
      const bare = `date,${field}\n2026-11-20,2510\n`;
      const { left } = await read(bare);
      expect(left.join()).toContain(`--unit ${field}=kJ converts`);
      const { refused } = await read(bare, { strict: true });
      expect(refused.join()).toContain(`${field}: the file does not state its unit`);
      expect((await read(`date,${field} (kcal)\n2026-11-20,2510\n`)).left).toEqual([]);
    }
  });

  it('is sent without a row that is the sum of its other foods, whatever its name is', async () => {
    const food = (name: string, amounts: string) => `${DAY}T12:30,${name},${amounts}\n`;
    const header = 'logged_at,name,calories,carbs,protein,fat\n';
    const foods = `${food('Oats', '300,60.4,10,5')}${food('Rice', '400,90.2,8,2')}`;
    const { bodies, notes } = await read(
      `${header}${foods}${food('Gesamtergebnis', '700,150.6,18,7')}`,
      {
        name: 'food.csv',
      },
    );
    expect(bodies[0]?.['items']).toMatchObject([{ name: 'Oats' }, { name: 'Rice' }]);
    expect(notes).toEqual(['food.csv:4: "Gesamtergebnis" sums up other items. Not sent']);
    const other = await read(`${header}${foods}${food('Feast', '700,150.6,20,9')}`, {
      name: 'food.csv',
    });
    expect(other.bodies[0]?.['items']).toHaveLength(3);
  });

  it('is sent without rows that sum up its foods', async () => {
    const rows = `${DAY}T12:30,Rice,350,78\n${DAY}T19:00,Pasta,600,100\n${DAY}T23:59,Total,950,178\n`;
    const text = `logged_at,name,calories,carbs\n${rows}`;
    const { bodies, notes } = await read(text, { name: 'food.csv' });
    expect(bodies).toMatchObject([{ items: [{ name: 'Rice' }, { name: 'Pasta' }] }]);
    expect(notes).toEqual(['food.csv:4: "Total" sums up other items. Not sent']);
  });
});

describe('a value that a program writes without a measurement', () => {
  it('is no phase of a night that Garmin did not record', async () => {
    const night = { sleepStartTimestampGMT: 'x', sleepWindowConfirmationType: 'OFF_WRIST' };
    const phases = { deepSleepSeconds: 0, lightSleepSeconds: 0, remSleepSeconds: 0 };
    const text = JSON.stringify([{ calendarDate: DAY, ...night, ...phases, awakeSleepSeconds: 0 }]);
    const { bodies, empty } = await read(text, { name: 'f.json' });
    expect([bodies, empty]).toEqual([[], ['f.json has no row with a value to send.']]);
  });

  it('is no total of a day on which Cronometer has no food', async () => {
    const header = 'Date,Energy (kcal),Carbs (g),Fat (g),Protein (g),Completed';
    const text = `${header}\n${DAY},0.00,0,0,0,false\n2026-11-21,2410,300,70,120,true\n`;
    const { bodies } = await read(text, { name: 'food.csv' });
    expect(bodies).toMatchObject([{ date: '2026-11-21', calories: 2_410 }]);
  });

  it('is no percentage if Cronometer has the fat in kilograms', async () => {
    const text = `Day,Group,Metric,Unit,Amount\n${DAY},,Body Fat,kg,13\n${DAY},,Weight,kg,72.4\n`;
    const { bodies, invalid } = await read(text);
    expect(bodies).toEqual([{ date: DAY, weight: 72.4 }]);
    expect(invalid).toEqual([expect.stringContaining('is in "kg"; the known units are %')]);
  });
});

it('Samsung’s only weight is read, whose row ends with a separator', async () => {
  const header = 'start_time,weight,body_fat,time_offset,datauuid';
  const text = `com.samsung.health.weight,6,5\n${header}\n${DAY} 06:30:00.000,72.4,18.2,UTC+0100,u,\n`;
  expect((await read(text)).bodies).toEqual([{ date: DAY, weight: 72.4, bodyFat: 18.2 }]);
});

it('a weight of Fitbit’s API has no unit: it is asked for', async () => {
  const weight = { bmi: 22, date: DAY, fat: 18.2, logId: 1, time: '06:58:00', weight: 139.6 };
  const text = JSON.stringify({ weight: [weight] });
  const { bodies, left } = await read(text, { name: 'f.json' });
  expect(bodies).toEqual([{ date: DAY, bodyFat: 18.2 }]);
  expect(left).toEqual([expect.stringContaining('weight: the file does not state its unit')]);
  const askUnit = () => Promise.resolve('lb');
  const asked = await read(text, { name: 'f.json', askUnit });
  expect(asked.bodies).toEqual([{ date: DAY, weight: 63.32, bodyFat: 18.2 }]);
});

it('members of a food list that are not read are listed', async () => {
  const text = JSON.stringify([{ logged_at: `${DAY}T12:30`, name: 'Egg', servings: 2, kcal: 78 }]);
  expect(await read(text, { name: 'food.json' })).toMatchObject({ unread: ['servings'] });
});

it('a day that --tz moves in an export has a note', async () => {
  const text = 'date,weightKg\n2026-11-20T23:50:00-08:00,72.4\n';
  const { bodies, left } = await read(text, { zone: { name: 'Europe/Berlin', from: 'flag' } });
  expect(bodies).toMatchObject([{ date: '2026-11-21' }]);
  expect(left).toEqual([
    'f.csv: a time in another zone: --tz Europe/Berlin moves it from 2026-11-20 to 2026-11-21',
  ]);
});

it('times of Health Auto Export are in the unit that it states', async () => {
  const date = `${DAY} 00:00:00 +0100`;
  const metric = (name: string, units: string, value: object) => ({
    ...{ name, units },
    data: [{ date, ...value }],
  });
  const metrics = [
    metric('sleep_analysis', 'min', { totalSleep: 432, awake: 24 }),
    metric('apple_exercise_time', 'hr', { qty: 0.75 }),
  ];
  const { bodies } = await read(JSON.stringify({ data: { metrics } }), { name: 'f.json' });
  expect(bodies).toEqual([
    { date: DAY, sleepSecs: 25_920, sleepAwakeSecs: 1_440, exerciseMinutes: 45 },
  ]);
});

describe('a unit that the file states', () => {
  it.each([
    ['in the cell', 'Weight', '159.6 lb', { weight: 72.3933 }],
    ['in the cell, against the header', 'weight (kg)', '159.6 lbs', { weight: 72.3933 }],
    ['in the cell, as the field has it', 'restingHr', '47 bpm', { restingHr: 47 }],
    ['in the cell, of hours', 'sleepSecs', '7.5 h', { sleepSecs: 27_000 }],
    ['in the header, after a comma', '"Weight, lb"', '159.6', { weight: 72.39 }],
    ['in the header, as words', 'weight in lb', '159.6', { weight: 72.39 }],
    ['in a neighbouring column', 'hrv,hrv unit', '61,ms', { hrv: 61 }],
    [
      'in a neighbouring column, of an energy',
      'totalCaloriesBurned,totalCaloriesBurned unit',
      '10500,kJ',
      { totalCaloriesBurned: 2_509.5602 },
    ],
    ['in a second column that agrees', 'Weight,Weight (kg)', '159.6,72.4', { weight: 72.3933 }],
  ])('costs no note and no flag, also if strict: %s', async (_, header, cells, values) => {
    const text = `date,${header}\n${DAY},${cells}\n`;
    const found = await read(text, { strict: true });
    expect(found).toMatchObject({ left: [], notes: [], invalid: [], refused: [] });
    expect(found.bodies).toEqual([{ date: DAY, ...values }]);
  });

  it('is asked for if no column settles it, or if one cell lacks it', async () => {
    for (const rows of ['2026-11-19,72.1 kg,47\n2026-11-20,159.6,48', '2026-11-19,72.1,47']) {
      const { bodies, left } = await read(`date,weight,restingHr\n${rows}\n`);
      expect(bodies.at(-1)).not.toHaveProperty('weight');
      expect(left).toEqual([expect.stringContaining('--unit weight=kg or --unit weight=lb')]);
    }
    const two = await read(`date,hrv (ms),weight,weight (kg)\n${DAY},61,180,72.4\n`);
    expect(two.bodies).toEqual([{ date: DAY, hrv: 61 }]);
  });
});

it('a record with a bad value is one record, sent without it', async () => {
  for (const text of [
    JSON.stringify([{ date: DAY, restingHr: 'abc', hrv: 71 }]),
    `date,restingHr,rmssd\n${DAY},abc,71\n`,
  ]) {
    const { records, invalid } = await prepareFiles(
      'wellness',
      { f: text },
      { sources: { list: SOURCES } },
    );
    expect([records.length, invalid]).toEqual([1, []]);
    expect(records[0]).toMatchObject({
      body: { date: DAY, hrv: 71 },
      warnings: [{ field: 'restingHr', message: /is "abc"/, unsent: true }],
    });
  }
});

describe('a field that a record states twice', () => {
  it.each([
    ['two columns', `date,hrv (ms),weight (kg),weightKg\n${DAY},61,72.4,80.1\n`],
    ['two units', `date,hrv (ms),weight (lb),weight (kg)\n${DAY},61,159.6,80.1\n`],
    ['two names', `date,hrv (ms),restingHr,rhr\n${DAY},61,48,60\n`],
    ['JSON', JSON.stringify({ date: DAY, hrv: 61, weight: 72.4, weightKg: 80.1 })],
    ['NDJSON', `${JSON.stringify({ date: DAY, hrv: 61, rhr: 48, restingHr: 60 })}\n\n`],
  ])('is not sent if the two differ: %s', async (_, text) => {
    const { bodies, invalid } = await read(text);
    expect(bodies).toEqual([{ date: DAY, hrv: 61 }]);
    expect(invalid).toEqual([expect.stringContaining('the same field, says')]);
    expect((await read(text, { strict: true })).bodies).toEqual([]);
  });

  it.each([
    ['two columns', `date,weight (kg),weightKg\n${DAY},72.4,72.35\n`],
    ['two units', `date,weight (lb),weight (kg)\n${DAY},159.6,72.4\n`],
    ['JSON', JSON.stringify({ date: DAY, weight: 72.4, weightKg: 72.35 })],
  ])('is sent if the two differ by rounding alone: %s', async (_, text) => {
    const { bodies, refused } = await read(text, { strict: true });
    expect([bodies.length, refused]).toEqual([1, []]);
    expect(bodies[0]?.['weight']).toBeCloseTo(72.4, 1);
  });
});

describe('sums among the values of a file', () => {
  const table = (rows: readonly (readonly [day: number, steps: number])[]) =>
    `date,restingHr,steps\n${rows.map(([day, steps]) => `2026-11-${day},48,${steps}\n`).join('')}`;

  it('are left out: a dated total, a running total', async () => {
    const total = table([
      [18, 9_000],
      [19, 8_200],
      [20, 8_123],
      [24, 25_323],
    ]);
    const { bodies, left } = await read(total);
    expect(bodies.map(({ steps }) => steps)).toEqual([9_000, 8_200, 8_123, undefined]);
    expect(left).toEqual([expect.stringContaining('the sum of the values before it. Not sent')]);
    const running = table([
      [16, 8_000],
      [17, 17_200],
      [18, 25_300],
      [19, 34_000],
      [20, 43_100],
    ]);
    const { bodies: days, left: notes } = await read(running);
    expect(days.map(({ steps }) => steps)).toEqual(Array(5).fill(undefined));
    expect(notes).toEqual([expect.stringContaining('counted from the first one on?')]);
    for (const text of [total, running]) {
      expect((await read(text, { strict: true })).refused.join()).toContain('--unit steps=day');
      const sure = await read(text, { ofDay: new Set(['steps']), strict: true });
      expect(sure.bodies.flatMap(({ steps }) => steps ?? [])).toHaveLength(sure.bodies.length);
    }
  });

  it('are no growing training, and no small numbers', async () => {
    const growing = table([
      [16, 8_000],
      [17, 8_200],
      [18, 9_000],
      [19, 9_500],
      [20, 11_000],
    ]);
    expect((await read(growing, { strict: true })).left).toEqual([]);
    const floors = 'date,floors\n2026-11-17,3\n2026-11-18,2\n2026-11-19,4\n2026-11-20,9\n';
    expect((await read(floors, { strict: true })).bodies).toHaveLength(4);
  });

  it.each([
    'Total',
    'Breakfast total',
    'Breakfast subtotal',
    'Daily total',
    'Goal',
    'Remaining',
    'Calories remaining',
  ])('are no foods, in own JSON and in a table: %s', async (name) => {
    const logged = `${DAY}T08:00:00+01:00`;
    const items = [
      { logged_at: logged, name: 'Oats', calories: 303 },
      { logged_at: logged, name, calories: 303 },
    ];
    const csv = `logged_at,name,calories\n${logged},Oats,303\n${logged},${name},303\n`;
    for (const text of [JSON.stringify({ date: DAY, items }), JSON.stringify(items), csv]) {
      const { bodies, notes } = await read(text, { name: 'food.x' });
      expect(bodies).toMatchObject([{ items: [{ name: 'Oats' }] }]);
      expect(bodies[0]?.['items']).toHaveLength(1);
      expect(notes.join()).toContain('sums up other items. Not sent');
    }
  });

  it('are foods if only a part of the name says so', async () => {
    const names = ['FAGE Total 0%', 'Total cereal', 'Goal bar', 'Remaining rice'];
    const items = names.map((name) => ({ logged_at: `${DAY}T08:00:00+01:00`, name, calories: 90 }));
    const { bodies } = await read(JSON.stringify(items), { name: 'food.json', strict: true });
    expect(bodies[0]?.['items']).toHaveLength(4);
  });
});

describe('energy against macronutrients', () => {
  const food = (values: object, at: number) => {
    return { logged_at: `${DAY}T0${at}:00:00+01:00`, name: `Food ${at}`, ...values };
  };
  const log = (...all: object[]) => JSON.stringify(all.map(food));
  const odd = { calories: 0.303, carbs: 54, protein: 10, fat: 5 };
  const true1 = { calories: 303, carbs: 54, protein: 10, fat: 5 };

  it('has a note for one food, and is left out if most of the foods contradict it', async () => {
    const one = await read(log(odd, true1, true1), { name: 'food.json' });
    expect(JSON.stringify(one.bodies)).toContain('"calories":0.303');
    expect(one.notes).toEqual([expect.stringContaining('have 301 kcal. Sent as it is')]);
    const most = await read(log(odd, odd, odd, true1), { name: 'food.json' });
    expect(JSON.stringify(most.bodies)).not.toContain('0.303');
    expect(most.notes.join()).toContain('--unit calories=kJ (of kcal, kJ)');
  });
});

it('hours with decimals below .60 throughout are asked for from eight rows on', async () => {
  const table = (...all: number[]) =>
    `date,sleepHours,restingHr\n${all.map((hours, at) => `2026-11-${at + 11},${hours},48\n`).join('')}`;
  const clock = [7.3, 6.45, 8.15, 7.55, 7.2, 6.5, 7.05, 8.1];
  const { bodies, left } = await read(table(...clock));
  expect(bodies.flatMap(Object.keys)).not.toContain('sleepSecs');
  expect(left).toEqual([expect.stringContaining('--unit sleepSecs=h confirms hours')]);
  expect((await read(table(...clock), { units: { sleepSecs: 'h' } })).bodies[0]).toMatchObject({
    sleepSecs: 26_280,
  });
  for (const hours of [clock.slice(1), [...clock, 7.75], [7, 7.5, 8, 7.5, 6.5, 7, 7, 8]]) {
    expect((await read(table(...hours), { strict: true })).left).toEqual([]);
  }
});

describe('several files', () => {
  it('have a note of two programs that names the file with the value', async () => {
    const sources = { list: SOURCES };
    const files = {
      'rest.csv': `date,weight (kg)\n${DAY},72.4\n`,
      'icu.csv': `date,hrv,rampRate\n${DAY},61.5,1\n`,
      'diary.csv': `date,hrv (ms)\n${DAY},61.1\n`,
    };
    const { records } = await prepareFiles('wellness', files, { sources });
    const notes = records
      .flatMap(({ warnings }) => warnings)
      .filter(({ field }) => field === 'hrv');
    expect(notes.map(({ source }) => source)).toEqual(['diary.csv:2']);
  });

  it.each([
    ['wellness', { items: [{ logged_at: `${DAY}T08:00`, name: 'Oats', carbs: 54 }] }, 'nutrition'],
    ['nutrition', { hrv: 61 }, 'wellness'],
  ] as const)(
    'of the other kind are refused once, with the command: %s',
    async (kind, day, other) => {
      const week = [11, 12, 13].map((date) => ({ date: `2026-11-${date}`, ...day }));
      const { unreadable, invalid } = await prepareFiles(kind, {
        'week.json': JSON.stringify(week),
      });
      expect(invalid).toEqual([]);
      expect(
        unreadable.map(({ problems, hint }) => [problems[0].problem, renderText(hint, undefined)]),
      ).toEqual([
        [`week.json is ${other}.`, expect.stringContaining(`sync push ${other} week.json`)],
      ]);
    },
  );
});

it('two exports of a program may differ in the totals of a day: the later file counts', async () => {
  const table = (kcal: number) =>
    `Date,Energy (kcal),Carbs (g),Fat (g),Protein (g),Completed\n2026-06-10,${kcal},300,80,150,true\n`;
  const { records, invalid } = await prepareFiles(
    'nutrition',
    {
      'a.csv': table(2_700),
      'b.csv': table(2_800),
    },
    { sources: { list: SOURCES, named: false } },
  );
  expect(invalid).toEqual([]);
  expect(records).toMatchObject([{ body: { calories: 2_800 } }]);
});
