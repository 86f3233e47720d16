import { describe, expect, it } from 'vitest';
import { read } from './read-table.ts';

const DAY = '2026-11-20';

describe('a score on another scale than points of 100', () => {
  it.each([
    ['a diary of 1 to 5', 'date,restingHr,mood,stress\n2026-11-20,47,2,3\n', ['mood', 'stress']],
    [
      'HRV4Training',
      `date,restingHr,sleepQuality,fatigue\n${DAY},47,8,2\n`,
      ['sleepQuality', 'fatigue'],
    ],
    ['Elite HRV', 'Date,restingHr,HRV,Readiness\n2026-11-20,47,62,8\n', ['readiness', 'hrv']],
    ['intervals.icu', `date,restingHR,rampRate,mood,stress\n${DAY},47,1,2,3\n`, ['stress', 'mood']],
  ])('is left out with a note: %s', async (_, text, fields) => {
    const { bodies, left, unread } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 47 }]);
    expect(left.join()).toMatch(/values up to \d are no points of 100: not sent/);
    expect(unread).toEqual(expect.arrayContaining(fields));
  });

  it('is converted if the user names the scale, and refused if nothing else is there', async () => {
    const text = 'date,mood,stress\n2026-11-20,4,2\n';
    const units = new Map([
      ['mood', 20],
      ['stress', 2],
    ]);
    const { bodies } = await read(text, { units });
    expect(bodies).toEqual([{ date: DAY, mood: 80, stress: 4 }]);
    const { refused } = await read(text);
    expect(refused).toEqual([
      expect.stringMatching(/^f\.csv has no value to send: .*--unit stress=\/10 converts them/),
    ]);
  });

  it('is sent with a note from the athlete’s own JSON, and refused if strict', async () => {
    const days = (...all: object[]) =>
      JSON.stringify(all.map((day, index) => ({ date: `2026-11-2${index}`, ...day })));
    const low = days({ mood: 3, stress: 2, hrv: 61 }, { mood: 4, fatigue: 30, readiness: 8 });
    const found = 'mood, stress, readiness: no value above 8, and the platform takes points of 100';
    const { bodies, notes } = await read(low);
    const sent = `${found}. Sent as they are; --unit FIELD=points confirms those of a field`;
    expect([bodies.length, notes]).toEqual([2, [`f.csv: ${sent}`]]);
    const { refused } = await read(low, { strict: true });
    expect(refused).toEqual([expect.stringContaining(`${found}. --unit FIELD=points confirms`)]);
    const units = new Map(['mood', 'stress', 'readiness'].map((field) => [field, 1]));
    expect((await read(low, { strict: true, units })).bodies).toHaveLength(2);
    expect((await read(days({ mood: 3, stress: 8 }, { mood: 71 }))).notes).toEqual([]);
  });

  it('is sent if the column exceeds it, stress as the tenth that the platform stores', async () => {
    const { bodies } = await read(
      'date,RMSSD (ms),Readiness (%),stress\n2026-11-20,61.5,8,9\n2026-11-21,60,71,42\n',
    );
    expect(bodies).toEqual([
      { date: DAY, hrv: 61.5, readiness: 8, stress: 1 },
      { date: '2026-11-21', hrv: 60, readiness: 71, stress: 4 },
    ]);
  });
});

describe('a number', () => {
  it('has points for thousands if other cells have decimal commas', async () => {
    const text = `date;weightKg;steps;distanceMeters\n${DAY};72,4;12.345;6.100\n`;
    const { bodies } = await read(text, { strict: true });
    expect(bodies).toEqual([{ date: DAY, weight: 72.4, steps: 12_345, distanceMeters: 6_100 }]);
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
    const named = await read('date,weightKg,abdomenCm,steps\n2026-11-20,72.4 kg,3,8123\n');
    expect(named.invalid).toEqual([
      'f.csv:2: is 3; the range is 30 to 300 cm',
      expect.stringContaining('write 72.4, without the unit'),
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
    ['sleepDeepSecs', 'date,sleepSecs,sleepDeepSecs\n2026-11-20,27000,92\n', 'minutes?'],
    ['distanceMeters', 'date,steps,distanceMeters\n2026-11-20,8123,6.1\n', 'kilometres or miles?'],
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
    expect(refused[0]).toContain(`no value of ${field} is plausible`);
    expect(refused[0]).toContain(doubt);
    expect(refused[0]).toContain(`--unit ${field}=`);
    const named = await read(text, { units: new Map([[field, 1]]) });
    expect(named.bodies).toHaveLength(1);
  });

  it('is sent without them if other values are plausible, and refused if strict', async () => {
    const text = 'date,sleepSecs,restingHr\n2026-11-20,480,47\n2026-11-21,27000,48\n';
    const { bodies, notes } = await read(text);
    expect(bodies[0]).toEqual({ date: DAY, restingHr: 47 });
    expect(notes).toEqual([
      'f.csv:2: is 480 s: minutes? That would be 28800 s. Left out; --unit sleepSecs=s sends it',
    ]);
    expect((await read(text, { strict: true })).bodies).toHaveLength(1);
  });

  it('is refused if its energy is that of its carbs, protein and fat in kilojoules', async () => {
    const log = (row: string) =>
      `logged_at,name,calories,carbs,protein,fat\n${DAY}T19:00:00+01:00,${row}\n`;
    const text = log('Pasta,2142,65,10,5');
    const { refused } = await read(text, { name: 'food.csv' });
    expect(refused[0]).toContain('have 345 kcal: kilojoules?');
    const units = new Map([['calories', 0.239006]]);
    const { bodies } = await read(text, { units, name: 'food.csv' });
    expect(bodies).toMatchObject([{ items: [{ calories: 511.9509 }] }]);
    const wine = await read(log('Wine,125,4,0,0'), { strict: true, name: 'food.csv' });
    expect(wine).toMatchObject({ refused: [], invalid: [] });
  });

  it('is refused if Fitbit’s pounds are kilograms, from three values on', async () => {
    const weights = JSON.stringify(
      [19, 20, 21].map((day, logId) => {
        return { logId, weight: 72.4, bmi: 22, date: `11/${day}/26`, time: '07:00:00' };
      }),
    );
    const { refused } = await read(weights);
    expect(refused[0]).toContain('weight is plausible: it is 32.84 kg');
    const { bodies } = await read(weights, { units: new Map([['weight', 1]]) });
    expect(bodies[0]).toMatchObject({ weight: 72.4 });
  });
});

describe('a cell', () => {
  it.each([
    ['7h 55min', 28_500],
    ['PT7H31M', 27_060],
    ['7:30', 27_000],
  ])('with a duration gets the seconds to write: %s', async (text, seconds) => {
    const { bodies, invalid } = await read(`date,sleepSecs,steps\n2026-11-20,${text},8123\n`);
    expect(bodies).toEqual([{ date: DAY, steps: 8_123 }]);
    expect(invalid[0]).toContain(`write ${seconds}`);
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

  const GRAMS = 'Fat (g),Protein (g),Carbohydrates (g)';
  it.each([
    ['Lose It!', `Date,Name,Quantity,Units,Meal,Calories,Deleted,${GRAMS}`],
    ['foods and times', `Date,Time,Meal,Food,Calories,${GRAMS}`],
    ['totals with net carbs', 'Date,Energy (kcal),Net Carbs (g)'],
  ])('is not taken for another program’s: %s', async (_, header) => {
    const cells = header.replace('Date', DAY).replaceAll(/,[^,]+/g, ',9');
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

  it('without any value that is read is refused', async () => {
    const stones = `Date,Weight (kg),Fat mass (kg)\n${DAY} 07:00:00,,\n`;
    expect((await read(stones)).refused[0]).toContain('f.csv has no value that sync reads');
    const pressure = `Day,Metric,Unit,Amount\n${DAY},Blood Pressure,mmHg,121/79\n`;
    expect((await read(pressure)).refused[0]).toContain('f.csv has no value that sync reads');
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
    expect(refused[0]).toContain('the columns "#Version: 6"');
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
    ['lactate in mg/dl', 'date,lactate\n2026-11-20,18\n2026-11-21,21\n', '--unit lactate=UNIT'],
    ['JSON with units of its own', IMPERIAL, 'states units of its own: "units"'],
    ['own JSON of minutes', MINUTES, '--unit sleepSecs=s sends it as it is'],
  ])('is refused with the reason: %s', async (_, text, reason) => {
    const { bodies, refused } = await read(text, { name: 'f' });
    expect([bodies, refused.join()]).toEqual([[], expect.stringContaining(reason)]);
  });

  it.each([
    ['commas', '12,345;9,120', 'write 12345'],
    ['points', '8.123;9.120', 'write 8123 or 8.123'],
  ])('with thousands that may be decimals costs these values: %s', async (_, cells, hint) => {
    const text = `date;steps;distanceMeters;restingHr\n2026-11-20;${cells};48\n`;
    const { bodies, invalid } = await read(text);
    expect(bodies).toEqual([{ date: DAY, restingHr: 48 }]);
    expect(invalid).toHaveLength(2);
    expect(invalid.join()).toContain(hint);
    const points = `date;weightKg;steps;distanceMeters\n${DAY};72.4;12,345;812.345\n`;
    expect((await read(points)).bodies).toEqual([
      { date: DAY, weight: 72.4, steps: 12_345, distanceMeters: 812.345 },
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
      expect(refused.join()).toContain(`does not say the unit of ${field}`);
      expect((await read(`date,${field} (kcal)\n2026-11-20,2510\n`)).left).toEqual([]);
    }
  });

  it('is sent without rows that sum up its foods', async () => {
    const rows = `${DAY}T12:30,Rice,350,78\n${DAY}T19:00,Pasta,600,100\n${DAY}T23:59,Total,950,178\n`;
    const text = `logged_at,name,calories,carbs\n${rows}`;
    const { bodies, left } = await read(text, { name: 'food.csv' });
    expect(bodies).toMatchObject([{ items: [{ name: 'Rice' }, { name: 'Pasta' }] }]);
    expect(left).toEqual(['food.csv: food.csv:4 sums up other rows: not sent']);
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
  const { bodies, refused } = await read(text, { name: 'f.json' });
  expect([bodies, refused]).toEqual([[], [expect.stringContaining('does not say the unit')]]);
  const unitOf = () => Promise.resolve(0.45359237);
  const asked = await read(text, { name: 'f.json', unitOf });
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
