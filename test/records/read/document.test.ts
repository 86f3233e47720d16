import { describe, expect, it } from 'vitest';
import { MAX_JSON_BYTES } from '../../../src/records/read/json.ts';
import { matchInput } from '../../../src/records/read-input.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import { chunks, prepareFiles } from '../support.ts';

const MB = 1024 * 1024;
const DAY = '{"date":"2026-02-15","mood":3}';

async function prepare(pieces: AsyncIterable<Uint8Array>, name = 'in.json', sources = SOURCES) {
  return await prepareFiles('wellness', { [name]: pieces }, { sources: { list: sources } });
}

/** A document whose list repeats an element up to a size (bytes), in chunks of 1 MB. */
async function* repeated(start: string, element: string, end: string, size: number) {
  await Promise.resolve();
  yield Buffer.from(start);
  const chunk = Buffer.from(`${element},`.repeat(Math.ceil(MB / element.length)));
  for (let written = 0; written < size; written += chunk.length) yield chunk;
  yield Buffer.from(`${element}${end}`);
}

describe('a document that would take too much memory', () => {
  const OWN =
    'Write one record on each line, or split it, for example by year. Nothing of it is sent.';
  const metrics = '{"data":{"metrics":[{"name":"step_count","units":"count","data":[';
  const point = '{"qty":12,"date":"2026-02-15 08:00:00 +0100","source":"Watch"}';
  it.each([
    ['of more than 64 MB', repeated('[', DAY, ']', MAX_JSON_BYTES), 'is larger than 64 MB.', OWN],
    [
      'of more than 64 MB, with the remedy of its source',
      repeated(metrics, point, ']}]}}', MAX_JSON_BYTES),
      'is larger than 64 MB.',
      /^Export a shorter span\. .*"Summarize Data" switched on\. Nothing of it is sent\.$/,
    ],
    ['of many values', repeated('[', '0', ']', 6 * MB), 'has more than 3,000,000 values.', OWN],
    [
      'of an object with many members',
      chunks(`{"a":[${'"b":1,'.repeat(1_000)}{${'"b":1,'.repeat(200_000)}"c":1}]}`),
      'has more than 200,000 members in an object.',
      OWN,
    ],
  ])('is refused: %s', async (_case, pieces, problem, hint) => {
    const { records, invalid, unreadable } = await prepare(pieces);
    expect([records, invalid]).toEqual([[], []]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([`in.json ${problem}`]);
    const said = unreadable[0]?.hint;
    const text = typeof said === 'string' ? said : said?.render(undefined);
    expect(text).toMatch(hint);
  });

  it('is refused if it has more than 200,000 invalid records', async () => {
    const { records, unreadable } = await prepare(chunks(`[${'0,'.repeat(200_000)}0]`));
    expect(records).toEqual([]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      expect.stringMatching(
        /^More than 200,000 records .* wellness, the last of them is in\.json#\/200000: is /,
      ),
    ]);
  });

  it('costs one line of NDJSON', async () => {
    const wide = `{"x":[${'0,'.repeat(3_000_000)}0]}`;
    const { records, invalid } = await prepare(chunks(`${DAY}\n${wide}\n${DAY}`));
    expect(records).toHaveLength(1);
    expect(invalid.map(({ source, problem }) => [source, problem])).toEqual([
      ['in.json:2', 'has more than 3,000,000 values'],
    ]);
  });

  it('matches no source if none has such names', async () => {
    const other = { name: 'o.json', chunks: repeated('[', '{"own":1}', ']', MAX_JSON_BYTES) };
    expect(await matchInput(other, SOURCES)).toEqual([]);
    const large = { name: 'h.json', chunks: repeated(metrics, point, ']}]}}', MAX_JSON_BYTES) };
    await expect(matchInput(large, SOURCES)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe('a document of 3 MB', () => {
  const dayOf = (index: number) =>
    new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  const padding = 'x'.repeat(3_000);
  const nights = Array.from({ length: 1_000 }, (_, index) => ({
    id: 'x',
    day: dayOf(index),
    type: 'long_sleep',
    total_sleep_duration: 25_000,
    deep_sleep_duration: 5_000,
    average_hrv: 50,
    padding,
  }));
  const sleep = (own: typeof nights) => chunks(JSON.stringify({ data: own, next_token: null }));

  it('gives the same days as its parts in small files', async () => {
    const input = { name: 'oura_sleep.json', chunks: sleep(nights) };
    const [match] = await matchInput(input, SOURCES);
    expect(match?.source.name).toBe('oura');
    const large = await prepare(sleep(nights), 'oura_sleep.json');
    expect(large.unreadable).toEqual([]);
    expect(large.records).toHaveLength(1_000);
    const small = await prepare(sleep(nights.slice(7, 9)), 'oura_sleep.json');
    expect(large.records.slice(7, 9).map(({ body }) => body)).toEqual(
      small.records.map(({ body }) => body),
    );
    expect(large.records[7]?.sources).toEqual(['oura_sleep.json#/data/7']);
  });

  it('that is cut off, or has a fault, is refused with its place', async () => {
    const text = JSON.stringify(nights, null, 1);
    const cut = await prepare(chunks(text.slice(0, -3)));
    expect(cut.unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      "in.json:9001:2: expected ',' or '}' after property value.",
    ]);
    const faulty = await prepare(
      chunks(text.replace('"average_hrv": 50,\n', '"average_hrv": ,\n')),
    );
    expect(faulty.unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      'in.json:8:18: unexpected "," (a value is missing before it).',
    ]);
  });
});
