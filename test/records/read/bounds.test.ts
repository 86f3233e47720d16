import { describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../../../src/base/json.ts';
import { MAX_KINDS, MAX_PROBLEMS } from '../../../src/records/read-record.ts';
import { prepare, prepareFiles } from '../support.ts';

/** Far more than any real file has; a step that compares each with each would take minutes. */
const MANY = 100_000;

/** A call takes about 125,000. */
const MORE_THAN_ARGUMENTS = 130_000;

const DATE = '2026-02-15';

function times<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index));
}

/** Prepares the wellness records of a text. */
const read = (text: string | AsyncIterable<Uint8Array>) =>
  prepareFiles('wellness', { 'in.json': text }, { sources: {} });

describe('a record with 100,000 unknown fields', () => {
  const unknown = Object.fromEntries(times(MANY, (index) => [`restHr${index}x`, index]));

  test('has a note that names a few of them and counts the others', async () => {
    const { records } = await prepare('wellness', [{ date: DATE, mood: 3, ...unknown }]);
    expect(records.map(({ body }) => body)).toEqual([{ date: DATE, mood: 3 }]);
    const [record] = records;
    expect(record?.warnings.length).toBeLessThanOrEqual(51);
    expect(JSON.stringify(record?.warnings)).toMatch(/and 9[0-9],\d{3} more/);
  });

  test('has at most 50 problems if strict, and a count of the others', async () => {
    const record = { date: DATE, mood: 3, ...unknown };
    const { invalid } = await prepare('wellness', [record], { strict: true });
    expect(invalid).toHaveLength(1);
    expect(invalid[0]?.problems).toHaveLength(MAX_PROBLEMS + 1);
    expect(invalid[0]?.problems.at(-1)).toEqual({ problem: 'there are 99,950 more problems' });
  });
});

describe('many records', () => {
  test('of one day become one, with the members of all rawJson objects', async () => {
    const lines = times(30_000, (index) =>
      JSON.stringify({ date: DATE, mood: 3, rawJson: { [`k${index}`]: index } }),
    );
    const { records, invalid, unreadable } = await read(lines.join('\n'));
    expect([...invalid, ...unreadable]).toEqual([]);
    const [record] = records;
    const { rawJson = {}, ...body } = record?.body ?? {};
    expect(body).toEqual({ date: DATE, mood: 3 });
    expect(Object.keys(rawJson as object)).toHaveLength(30_000);
    expect(record?.warnings.length).toBeLessThanOrEqual(51);
  });

  test('have at most 100 different notes, and a count of the others', async () => {
    const days = times(MAX_KINDS + 12, (index) => {
      const day = new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
      return { date: day, items: [{ name: 'a', logged_at: `${day}T08:00`, meal: `word${index}` }] };
    });
    const { records } = await prepare('nutrition', days);
    const notes = records.flatMap(({ warnings }) => warnings.map(({ message }) => String(message)));
    expect(notes).toHaveLength(MAX_KINDS + 1);
    expect(notes.at(-1)).toBe('there are 12 more such notes about fields and dates of this input');
  });

  test('that are all invalid are each reported', async () => {
    const bad = times(MORE_THAN_ARGUMENTS, () => `{"date":"${DATE}","hrv":-9}`);
    const { records, invalid } = await read(`[${bad.join(',')}]`);
    expect([records.length, invalid.length]).toEqual([0, MORE_THAN_ARGUMENTS]);
  });
});

test('rawJson of several records keeps a member named __proto__', async () => {
  const layers = ['{"a": 1, "__proto__": {"b": 1}}', '{"a": 2}'];
  const lines = layers.map((layer) => `{"date": "${DATE}", "mood": 3, "rawJson": ${layer}}`);
  const { records } = await read(`[${lines.join()}]`);
  expect(JSON.stringify(records[0]?.body)).toBe(
    `{"date":"${DATE}","mood":3,"rawJson":{"a":2,"__proto__":{"b":1}}}`,
  );
});

test('a document is read after 10 MB of blanks', async () => {
  const text = `${' '.repeat(10 * 1024 * 1024)}{"date": "${DATE}", "mood": 3}`;
  // In pieces, as a pipe gives them.
  const pieces = (async function* () {
    for (let at = 0; at < text.length; at += 65_536) {
      yield Buffer.from(text.slice(at, at + 65_536));
      await Promise.resolve();
    }
  })();
  const { records } = await read(pieces);
  expect(records.map(({ body }) => body)).toEqual([{ date: DATE, mood: 3 }]);
});

describe('JSON that is nested 200,000 deep', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const problem = `the JSON is nested more than ${MAX_DEPTH} deep`;

  test.each([
    ['a document', `{"date": "${DATE}", "mood": 3, "x": ${deep}}`],
    ['a list', deep],
    ['a document without an end', '['.repeat(5_000_000)],
    ['a large list', `[${times(20_000, () => `{"date":"${DATE}","mood":3}`).join()},${deep}]`],
  ])('makes %s unreadable, with its place', async (_, text) => {
    const { records, unreadable } = await read(text);
    expect(records).toEqual([]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      expect.stringMatching(new RegExp(`^in\\.json:1:\\d+: ${problem}\\.$`)),
    ]);
  });

  test('costs one line of NDJSON', async () => {
    const good = `{"date": "${DATE}", "mood": 3}`;
    const { records, invalid } = await read(`${good}\n{"x": ${deep}}\n${good}`);
    expect(records).toHaveLength(1);
    expect(invalid.map(({ source, problem: found }) => [source, found])).toEqual([
      ['in.json:2', `is not JSON: ${problem} (column 206)`],
    ]);
  });
});

test('a message shows the beginning of a number with 100,000 digits, and of such a name', async () => {
  const digits = '7'.repeat(MANY);
  const name = 'n'.repeat(MANY);
  const lines = [
    `{"date": "${DATE}", "weight": ${digits}}`,
    `{"date": "${DATE}", "mood": 3, "${name}": 1, "${name}": 2}`,
    `{"date": "${DATE}", "mood": 3, "${name}": 1}`,
  ];
  const { invalid, records } = await read(lines.join('\n'));
  expect(invalid).toHaveLength(2);
  expect(records).toHaveLength(1);
  const said = JSON.stringify([invalid, records[0]?.warnings]);
  expect(said).toContain('weight');
  expect(said.length).toBeLessThan(2_000);
});

test('130,000 records whose values are all in doubt are judged one by one', async () => {
  const records = Array.from({ length: MORE_THAN_ARGUMENTS }, () => ({
    date: DATE,
    readiness: 8,
    hrv: 4,
  }));
  const { records: days } = await prepare('wellness', records);
  expect(days.map(({ body }) => body)).toEqual([{ date: DATE, readiness: 8 }]);
});
