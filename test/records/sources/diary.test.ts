import { describe, expect, it } from 'vitest';
import { read } from './read-table.ts';

const NONE = { empty: [], bodies: [], notes: [], invalid: [], unread: [], left: [] };

describe('a table with field names of the platform', () => {
  it.each([
    [
      'Strong',
      'Date,Workout Name,Exercise Name,Set Order,Weight,Reps\n2026-11-20,Legs,Squat,1,120,5\n',
      '"Workout Name", "Exercise Name", "Set Order", "Reps"',
    ],
    [
      'FitNotes',
      'Date,Exercise,Category,Weight,Weight Unit,Reps\n2026-11-20,Squat,Legs,120,kg,5\n',
      '"Exercise", "Category", "Reps"',
    ],
    ['prices', 'day,weight,price\n2026-11-20,25,9\n', '"price"'],
    ['a stock', 'date,close,steps\n2026-11-20,9,3\n', '"close"'],
    ['an inventory', 'date,sku,weight,quantity\n2026-11-20,X1,25,9\n', '"sku", "quantity"'],
    ['parcels', 'date,carrier,tracking,weight\n2026-11-20,DHL,77,25\n', '"carrier", "tracking"'],
    ['a column as good as the field', 'date,label,weight\n2026-11-20,x,25\n', '"label"'],
    ['goals', 'date,is_goal,weight (kg)\n2026-11-20,true,70\n', '"is_goal"'],
    ['several persons', 'date,name,restingHr\n2026-11-20,Ada,48\n', '"name"'],
    ['sums of weeks', 'week,date,steps\n47,2026-11-20,56000\n', '"week"'],
    ['a walk', 'date,distance_m,steps,floors\n2026-11-20,4000,3,2\n', '"distance_m"'],
  ])('is refused with its columns if they contradict a diary: %s', async (_, text, columns) => {
    const { refused, ...others } = await read(text);
    expect(others).toEqual(NONE);
    expect(refused).toEqual([expect.stringContaining(`diary: it has the columns ${columns}.`)]);
    expect(refused[0]).toContain('--source table');
    expect(refused[0]).toContain('records.md');
  });

  it.each([
    [
      'a scale',
      'Time of Measurement,Weight(kg),Body Water(%),BMR(kcal)',
      '72.4,55,1650',
      { weight: 72.4 },
    ],
    ['a goal', 'date,weight_kg,height_cm,goal_weight_kg', '72.4,180,70', { weight: 72.4 }],
    ['a pulse', 'Date,Resting Heart Rate,High', '48 bpm,160 bpm', { restingHr: 48 }],
    ['food', 'Date,Trend Weight (kg),Weight (kg),Calories', '72,72.4,2180', { weight: 72.4 }],
    ['a sure field', 'date,restingHr,anything', '48,x', { restingHr: 48 }],
  ])('is a diary if its other columns are of athletes: %s', async (_, header, cells, values) => {
    const { bodies, refused } = await read(`${header}\n2026-11-20,${cells}\n`);
    expect([bodies, refused]).toEqual([[{ date: '2026-11-20', ...values }], []]);
  });

  it('of Lose It has dates with the day first if a number above 12 shows it', async () => {
    const header =
      'Date,Name,Icon,Meal,Quantity,Units,Calories,Deleted,Fat (g),Protein (g),Carbohydrates (g),Saturated Fat (g),Sugars (g),Fiber (g),Cholesterol (mg),Sodium (mg)';
    const food = 'Oats,Oats,Breakfast,80,Grams,300,0,5,10,50,1,1,8,0,3';
    const dates = async (...written: string[]) => {
      const rows = written.map((date) => `${date},${food}\n`).join('');
      return (await read(`${header}\n${rows}`, { name: 'food.csv' })).bodies.map(
        ({ date }) => date,
      );
    };
    expect(await dates('20/11/2026', '05/11/2026')).toEqual(['2026-11-05', '2026-11-20']);
    expect(await dates('11/20/2026', '11/05/2026')).toEqual(['2026-11-05', '2026-11-20']);
    expect(await dates('05/11/2026')).toEqual(['2026-05-11']);
  });

  it('has the latest weight of a day if its rows have times', async () => {
    const rows = '2026.11.20,20:34:03,73.1\n2026.11.20,07:05:10,72.4\n';
    const { bodies } = await read(`Date,Time,Weight(kg)\n${rows}`);
    expect(bodies).toEqual([{ date: '2026-11-20', weight: 73.1 }]);
    const pulses = rows.replaceAll('7', '5');
    const { refused } = await read(`Date,Time,restingHr\n${pulses}`);
    expect(refused).toEqual([expect.stringContaining('is a second row for 2026-11-20')]);
  });

  it('is refused with the place if a day has two rows', async () => {
    const { refused, ...others } = await read('date,weightKg\n2026-11-20,25\n2026-11-20,26\n');
    expect(others).toEqual(NONE);
    expect(refused).toEqual([
      expect.stringContaining('f.csv:3 is a second row for 2026-11-20; a diary has one a day.'),
    ]);
    expect(refused[0]).toContain('--source table');
  });

  it('is sent if it is an athlete’s diary, or if the source is named', async () => {
    const diary = await read('date,weightKg,steps,waist,notes\n2026-11-20,72.4,8123,81,good\n');
    expect(diary.bodies).toEqual([{ date: '2026-11-20', weight: 72.4, steps: 8_123 }]);
    const named = await read('date,price,weightKg\n2026-11-20,9,72\n2026-11-20,9,73\n', {
      source: 'table',
    });
    expect(named.bodies).toEqual([{ date: '2026-11-20', weight: 73 }]);
  });

  it.each([
    ['Weight Unit', 139.6, 'lb', 63.3215],
    ['Unit', 139.6, 'LBS', 63.3215],
    ['units', 10, 'st', 63.5029],
    ['Units', 72.4, 'kg', 72.4],
  ])('has its weight in the unit of the column %s: %d %s', async (column, weight, unit, kg) => {
    const text = `Date,Weight,${column}\n2026-11-20,${weight},${unit}\n`;
    const found = await read(text, { strict: true });
    expect(found).toMatchObject({ bodies: [{ weight: kg }], invalid: [], notes: [] });
  });

  it('has its blood pressure from one row, and its date in one column', async () => {
    const rows = ['21:00,135,,72', '07:00,120,80,', '12:00,,,71'].map(
      (row) => `2026-11-20,Fri,${row}`,
    );
    for (const all of [rows, rows.toReversed()]) {
      const text = `date,day,time,systolic,diastolic,weightKg\n${all.join('\n')}\n`;
      const { bodies, unread } = await read(text);
      expect(bodies).toEqual([{ date: '2026-11-20', systolic: 120, diastolic: 80, weight: 72 }]);
      expect(unread).toEqual(['day']);
    }
    const half = 'date,systolic,diastolic\n2026-11-20,135,\n';
    expect((await read(half)).bodies).toEqual([{ date: '2026-11-20', systolic: 135 }]);
    for (const name of ['dateTime', 'localDate', 'measurement date', 'time of measurement']) {
      const { bodies } = await read(`date,${name},weightKg\n2026-11-20,x,72\n`);
      expect(bodies).toEqual([{ date: '2026-11-20', weight: 72 }]);
    }
  });

  it('with an unknown unit of the weight loses the weight', async () => {
    const { bodies, invalid } = await read('Date,Weight,Unit\n2026-11-20,139.6,oz\n');
    expect(bodies).toEqual([]);
    expect(invalid).toEqual([expect.stringContaining('is in "oz"; the known units are kg')]);
  });

  it('without a unit of the weight is refused, unless the user names it', async () => {
    const text = 'Date,Weight\n2026-11-20,139.6\n';
    const { refused, ...others } = await read(text);
    expect(others).toEqual(NONE);
    expect(refused).toEqual([
      expect.stringMatching(/does not state its unit\..*--unit weight=kg or --unit weight=lb/),
    ]);
    const beside = await read('Date,Weight,restingHr\n2026-11-20,139.6,47\n');
    expect(beside.bodies).toEqual([{ date: '2026-11-20', restingHr: 47 }]);
    expect(beside.left).toEqual([expect.stringContaining('weight: the file does not state')]);
    const units = { weight: 'lb' };
    const named = await read(text, { strict: true, units });
    expect(named).toMatchObject({ bodies: [{ weight: 63.3215 }], invalid: [], refused: [] });
    const answers = new Map<string, string>();
    const memory = {
      unitOf: (form: string, field: string) => answers.get(`${form} ${field}`),
      rememberUnit: (...[form, field, unit]: string[]) =>
        void answers.set(`${form ?? ''} ${field ?? ''}`, unit ?? ''),
    };
    const pounds = [{ date: '2026-11-20', weight: 63.3215 }];
    const askUnit = () => Promise.resolve('lb');
    expect((await read(text, { askUnit, memory })).bodies).toEqual(pounds);
    expect([...answers]).toEqual([['table: date,weight weight', 'lb']]);
    expect((await read(text, { memory, strict: true })).bodies).toEqual(pounds);
    answers.clear();
    await read(text, { memory, units });
    expect((await read(text, { memory })).bodies).toEqual(pounds);
    const kilograms = 'Date,Weight\n2026-11-21,63.1\n2026-11-22,63.3\n';
    expect((await read(kilograms, { memory, lastWeight: 63.3 })).refused).toEqual([
      expect.stringMatching(
        /is 28.6217 kg, read as lb, the unit that you named .* 63.3 kg: kg\?.*--unit weight=kg /,
      ),
    ]);
    const stated = await read('Date,Weight (lb)\n2026-11-20,139.6\n', { units });
    expect(stated.bodies).toEqual([{ date: '2026-11-20', weight: 63.32 }]);
  });

  it('has a note for a weight a quarter away from the one before, and is refused if strict', async () => {
    const text = 'date,weightKg\n2026-11-20,139.6\n2026-11-21,139.2\n';
    const { notes } = await read(text, { lastWeight: 63.3 });
    expect(notes).toEqual([
      'f.csv:2: is 139.6 kg, and the weight before was 63.3 kg. Sent as it is (2 times in this input)',
    ]);
    expect((await read(text, { lastWeight: 120 })).notes).toEqual([]);
    expect((await read(text, { lastWeight: 63.3, strict: true })).invalid).toHaveLength(2);
  });
});

describe('a row that does not fit its header', () => {
  it('is refused alone if it has more cells, with the decimal comma', async () => {
    const rows = '2026-11-19,72.1,8000\n2026-11-20,72,4,8123\n2026-11-21,72.3,9000\n';
    const { bodies, invalid, refused } = await read(`date,weightKg,steps\n${rows}`);
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19', '2026-11-21']);
    expect(refused).toEqual([]);
    expect(invalid).toEqual(['f.csv:3: 4 cells, the header has 3: is 72,4 a decimal comma?']);
  });

  it('is refused alone if it lacks a separator', async () => {
    const rows = '2026-11-19,72.1,50,8000\n2026-11-20,72.3,8123\n';
    const { bodies, invalid } = await read(`date,weightKg,restingHr,steps\n${rows}`);
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(invalid).toEqual([
      'f.csv:3: 3 cells, the header has 4: is a separator missing, or was the line cut off?',
    ]);
  });

  it('is refused each time, also if several rows lack cells', async () => {
    const rows =
      '2026-11-19,72.1\n2026-11-20,72.3,8123\n2026-11-21,8200\n2026-11-22,72,\n2026-11-23\n';
    const { bodies, invalid } = await read(`date,weightKg,steps\n${rows}`);
    expect(bodies).toEqual([
      { date: '2026-11-20', weight: 72.3, steps: 8_123 },
      { date: '2026-11-22', weight: 72 },
    ]);
    expect(invalid).toHaveLength(3);
  });

  it('is refused alone if an empty last cell hides a separator too many', async () => {
    const rows = '2026-11-19,72.1,50,8000\n2026-11-20,72.3,,50,\n';
    const { bodies, invalid } = await read(`date,weightKg,restingHr,steps\n${rows}`);
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(invalid).toEqual(['f.csv:3: 5 cells, the header has 4']);
    const ends = await read('date,steps\n2026-11-19,8000,\n2026-11-20,8001,\n');
    expect(ends.bodies).toHaveLength(2);
  });

  it('is refused alone if it begins with a letter', async () => {
    const rows = 'Fri 2026-11-20,72,4,8123\nSat 2026-11-21,72.3\n2026-11-22,72.3,9000\n';
    const { bodies, invalid } = await read(`date,weightKg,steps\n${rows}`);
    expect(bodies).toEqual([{ date: '2026-11-22', weight: 72.3, steps: 9_000 }]);
    expect(invalid).toEqual([
      'f.csv:2: 4 cells, the header has 3: is 72,4 a decimal comma?',
      'f.csv:3: 2 cells, the header has 3: is a separator missing, or was the line cut off?',
    ]);
  });

  it('is ignored if it is a remark', async () => {
    const text = 'date,weightKg,steps\n2026-11-19,72.1,8000\nwritten by hand\n';
    expect(await read(text)).toMatchObject({ invalid: [], notes: [], bodies: [{ steps: 8_000 }] });
  });
});

describe('the last line of a table without a line break', () => {
  const cut = 'date,weightKg,steps\n2026-11-19,72.1,8000\n2026-11-20,72.4,81';

  it('gets one note, and is refused if strict', async () => {
    const { bodies, notes } = await read(cut);
    expect(bodies).toHaveLength(2);
    expect(notes).toEqual(['f.csv:3: the last line has no line break: was the file cut off?']);
    const strict = await read(cut, { strict: true });
    expect(strict.bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(strict.invalid).toEqual([expect.stringContaining('f.csv:3: the last line has no line')]);
  });

  it('is refused if it has fewer cells than the header', async () => {
    const { bodies, invalid } = await read(cut.slice(0, -3));
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(invalid).toEqual([
      'f.csv:3: 2 cells, the header has 3: is a separator missing, or was the line cut off?',
    ]);
    expect((await read('date,steps\n2026-11-20,5000\n2026-11-21\n')).invalid).toEqual([
      'f.csv:3: 1 cell, the header has 2: is a separator missing, or was the line cut off?',
    ]);
  });
});

describe('a table whose header does not settle its values', () => {
  it.each([
    [
      'a second header in another order',
      'date,weightKg,bodyFat\n2026-11-19,72.4,38\ndate,bodyFat,weightKg\n2026-11-20,38,72\n',
      'f.csv:3 is a second header, with other columns than the first.',
    ],
    [
      'a second header with another column',
      'date,restingHr\n2026-11-19,51\ndate,hrv\n2026-11-20,61\n',
      'f.csv:3 is a second header, with other columns than the first.',
    ],
    [
      'sums of weeks',
      'date,steps\n2026-11-02,65012\n2026-11-16,69321\n2026-11-09,71234\n',
      'every date is a Monday',
    ],
    [
      'sums of months',
      'date,steps\n2026-09-01,240000\n2026-10-01,251000\n2026-11-01,180000\n',
      'every date is the first day of a month',
    ],
  ])('is refused: %s', async (_, text, reason) => {
    const { refused, ...others } = await read(text);
    expect(others).toEqual(NONE);
    expect(refused).toEqual([expect.stringContaining(reason)]);
  });

  it('is read on if the same header appears again', async () => {
    const { bodies, invalid } = await read(
      'date,weightKg\n2026-11-19,72.4\ndate,weightKg\n2026-11-20,72.6\n',
    );
    expect([bodies.length, invalid]).toEqual([2, []]);
  });

  it('loses a weight in stones and pounds of two columns', async () => {
    const { bodies, invalid } = await read(
      'date,weight_st,weight_lb,hrv (ms)\n2026-11-20,11,6,61\n',
    );
    expect(bodies).toEqual([{ date: '2026-11-20', hrv: 61 }]);
    expect(invalid).toEqual([expect.stringContaining('is 2.7216; the range is 20 to 400 kg')]);
  });

  it('has a note that its bare HRV is read as milliseconds, and is refused if strict', async () => {
    const text = 'date,hrv\n2026-11-20,61\n';
    const { left } = await read(text);
    expect(left).toEqual([
      'f.csv: hrv: the file does not state its unit: read as ms. Sent as they are; --unit hrv=ms confirms it',
    ]);
    const { refused } = await read(text, { strict: true });
    expect(refused).toEqual([expect.stringContaining('--unit hrv=ms confirms it.')]);
    const units = { hrv: 'ms' };
    expect(await read(text, { strict: true, units })).toMatchObject({ left: [], refused: [] });
  });
});
