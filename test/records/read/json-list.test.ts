import { describe, expect, it } from 'vitest';
import { findList, firstElements, readList } from '../../../src/records/read/json-list.ts';
import type { Input } from '../../../src/records/read/input.ts';
import { matchInput } from '../../../src/records/read-input.ts';
import { prepareInputs } from '../../../src/records/prepare.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';

/** Cuts a text into chunks of `size` bytes. */
async function* inChunks(text: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 7): Promise<unknown[]> {
  const values = [];
  const place = findList(Buffer.from(text)) ?? { offset: 0, line: 1 };
  for await (const { index, value } of readList('in.json', inChunks(text, size), place)) {
    expect(index).toBe(values.length);
    values.push(value);
  }
  return values;
}

describe('reading a JSON list element by element', () => {
  it.each([
    ['[]'],
    [' [ ] \n'],
    ['[1]'],
    ['[1, "a,]}\\"[", {"b": [1, 2, {"c": "}"}]}, [], [[3]], null, true, -1.5e3]\n'],
    ['[{"a":"\\\\"},{"b":"\\\\\\""}]'],
    ['[\n  {"name": "Größe ライド"},\n  {"n": 2}\n]'],
  ])('finds the same as JSON.parse in %j, however it is cut', async (text) => {
    for (const size of [1, 2, 3, 5, 1000]) {
      expect(await read(text, size)).toEqual(JSON.parse(text));
    }
  });

  it('skips a byte order mark', async () => {
    expect(await read('\ufeff[1,2]', 1000)).toEqual([1, 2]);
  });

  it.each([
    ['[{"a":1},\n{"b":}]', /^in\.json:2: /],
    ['{"n":1,\n"l":[1,\n,2]}', /^in\.json:3: /],
    ['[1,,2]', /^in\.json:1: /],
    ['[{"a":1},\n{"b":2}', /^in\.json: the end is missing\.$/],
    ['{"a":[{"b":2}]', /^in\.json: the end is missing\.$/],
    ['{"a":[{"b":2}', /^in\.json: the end is missing\.$/],
    ['[1,\n]', /^in\.json:2: /],
    ['[1}', /^in\.json: more follows after the end of the list\.$/],
    ['[1] [2]', /^in\.json: more follows after the end of the list\.$/],
  ])('reports %j with its place', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(message) as unknown,
    });
  });

  it.each([
    ['{"a":[1,{"x":"]"}],"b":[2]}', [1, { x: ']' }]],
    ['{"next":null,"o":{"l":[0]},"s":"[","da\\"ta" : [ "x" ] } ', ['x']],
    ['{"a":[]}', []],
  ])('finds the first list of the object %j', async (text, expected) => {
    for (const size of [1, 3, 1000]) expect(await read(text, size)).toEqual(expected);
  });

  it('finds the place of a list', () => {
    expect(findList(Buffer.from('\ufeff [1]'))).toEqual({ offset: 4, line: 1 });
    const inObject = findList(Buffer.from('{"n":1,\n"da\\"ta":[1]}'));
    expect(inObject).toEqual({ member: 'da"ta', offset: 17, line: 2 });
    expect(findList(Buffer.from('{"a":{"b":[1]},"c":1}'))).toBeUndefined();
    expect(findList(Buffer.from('date,steps'))).toBeUndefined();
  });

  it('finds the first elements in the beginning of the text', () => {
    const first = (text: string, count = 2) =>
      firstElements('in', Buffer.from(text), { offset: text.indexOf('['), line: 1 }, count);
    expect(first('[1,2,3,4')).toEqual([1, 2]);
    expect(first('{"x":[{"a":1},{"b"', 9)).toEqual([{ a: 1 }]);
    expect(first('[')).toEqual([]);
  });
});

describe('a large JSON file', () => {
  const PADDING = 'x'.repeat(3_000);
  const days = Array.from({ length: 1_000 }, (_, index) => ({
    calendarDate: new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10),
    totalSteps: 1000 + index,
    userProfilePK: 1,
    padding: PADDING,
  }));

  /** @returns the input, and the number of bytes that were read of it */
  function inputOf(name: string, value: unknown): { input: Input; bytesRead: () => number } {
    const text = JSON.stringify(value);
    let size = 0;
    const chunks = {
      async *[Symbol.asyncIterator]() {
        for await (const chunk of inChunks(text, 65_536)) {
          size += chunk.length;
          yield chunk;
        }
      },
    };
    return { input: { name, chunks }, bytesRead: () => size };
  }

  const prepare = async (input: Input) =>
    await prepareInputs(
      'wellness',
      [input],
      {
        zone: { name: 'UTC', from: 'flag' },
        strict: false,
        sources: {
          list: SOURCES,
          named: false,
          choose: () => {
            throw new Error('asked');
          },
        },
      },
      new AbortController().signal,
    );

  it('with a list is recognised by its beginning', async () => {
    const { input, bytesRead } = inputOf('UDSFile_1.json', days);
    const [match] = await matchInput(input, SOURCES);
    expect(match?.source.name).toBe('garmin-export');
    expect(bytesRead()).toBeLessThan(2_300_000);
  });

  it('with a list gives the same days as in small files', async () => {
    const large = await prepare(inputOf('UDSFile_1.json', days).input);
    expect(large.unreadable).toEqual([]);
    expect(large.records).toHaveLength(1_000);
    const small = await prepare(inputOf('UDSFile_1.json', days.slice(400, 410)).input);
    expect(large.records.slice(400, 410).map(({ body }) => body)).toEqual(
      small.records.map(({ body }) => body),
    );
    expect(large.records[400]?.sources).toEqual(['UDSFile_1.json#/400']);
  });

  it('of an unknown program matches no source', async () => {
    const { input } = inputOf('other.json', { own: days.map(({ padding }) => ({ padding })) });
    expect(await matchInput(input, SOURCES)).toEqual([]);
  });

  it('with a list in an object gives the same days as in small files', async () => {
    const sleep = days.map(({ calendarDate: day }) => ({
      id: 'x',
      day,
      type: 'long_sleep',
      total_sleep_duration: 25_000,
      deep_sleep_duration: 5_000,
      average_hrv: 50,
      padding: PADDING,
    }));
    const { input, bytesRead } = inputOf('oura_sleep.json', { data: sleep, next_token: null });
    const [match] = await matchInput(input, SOURCES);
    expect(match?.source.name).toBe('oura');
    expect(bytesRead()).toBeLessThan(2_300_000);
    const large = await prepare(input);
    expect(large.unreadable).toEqual([]);
    expect(large.records).toHaveLength(1_000);
    const small = await prepare(inputOf('oura_sleep.json', { data: sleep.slice(7, 9) }).input);
    expect(large.records.slice(7, 9).map(({ body }) => body)).toEqual(
      small.records.map(({ body }) => body),
    );
    expect(large.records[7]?.sources).toEqual(['oura_sleep.json#/data/7']);
  });
});
