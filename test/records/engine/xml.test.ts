import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appleHealth } from '../../../src/records/sources/apple-health.ts';
import { prepareFiles } from '../support.ts';

const sample = readFileSync(
  join(import.meta.dirname, '../sources/samples/apple-health-export.xml'),
);
const golden = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../sources/samples/apple-health-export.golden.json'),
    'utf8',
  ),
) as unknown;

// eslint-disable-next-line @typescript-eslint/require-await -- an input's chunks are asynchronous
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 64 * 1024) {
  const { records, invalid, unreadable } = await prepareFiles(
    'wellness',
    { 'export.xml': pieces(bytes, size) },
    { sources: { list: [appleHealth] } },
  );
  const warnings = records.flatMap((record) => record.warnings);
  return { bodies: records.map(({ body }) => body), invalid, warnings, unreadable };
}

describe('an XML export', () => {
  it.each([1, 2, 3, 7, 100, 4096])(
    'is read the same in pieces of %i bytes, through elements and characters',
    async (size) => {
      const { bodies, invalid, unreadable } = await read(sample, size);
      expect(bodies).toEqual(golden);
      expect([...invalid, ...unreadable]).toEqual([]);
    },
  );

  it('sends nothing if it is cut off, and says so', async () => {
    const { bodies, unreadable } = await read(sample.subarray(0, sample.length - 40));
    expect(bodies).toEqual([]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      'export.xml is cut off: it ends before </HealthData>.',
    ]);
  });

  it.each([
    ['nests elements', '<Record>'.repeat(5_000), 'nests elements more than 100 deep'],
    ['has a value', `<Record value="${'a'.repeat(2_000_000)}"/>`, 'has a text of more than 1 MB'],
    ['has a comment', `<!-- ${'a'.repeat(2_000_000)} -->`, 'has a text of more than 1 MB'],
    ['has a tag', '<Rec\0ord value="812"/>', 'has a zero byte'],
  ])('is refused if it %s that no export has', async (_what, hostile, problem) => {
    const text = sample.toString().replace('</HealthData>', `${hostile}</HealthData>`);
    const { bodies, unreadable } = await read(Buffer.from(text));
    expect(bodies).toEqual([]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      `export.xml ${problem}, which no export does.`,
    ]);
  });

  it('expands no entity of its DTD', async () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "1000"><!ENTITY b SYSTEM "file:///etc/hostname">]>';
    const record = (value: string) =>
      `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="&b;" unit="count" value="${value}" ` +
      'startDate="2026-02-15 10:00:00 +0100" endDate="2026-02-15 10:01:00 +0100"/>';
    const document = (value: string) =>
      Buffer.from(`<?xml version="1.0"?>${entities}<HealthData>${record(value)}</HealthData>`);
    expect((await read(document('500'))).bodies).toEqual([{ date: '2026-02-15', steps: 500 }]);
    const { bodies, invalid } = await read(document('&a;'));
    expect(bodies).toEqual([]);
    expect(JSON.stringify(invalid)).toContain('&a;');
  });

  it.each([
    ['entities in the type', '&#72;KQuantityTypeIdentifierStepCount', '500', 'Watch'],
    ['entities in the value', 'HKQuantityTypeIdentifierStepCount', '&#x35;00', 'Watch'],
    [
      'entities in the name of the device',
      'HKQuantityTypeIdentifierStepCount',
      '500',
      '&lt;Watch&gt; &amp; &apos;more&apos;',
    ],
  ])('is read with %s', async (_what, type, value, source) => {
    const record =
      `<Record sourceName='${source}' type="${type}" unit="count" value="${value}" ` +
      'startDate="2026-02-15 10:00:00 &#43;0100" endDate="2026-02-15 10:01:00 +0100"/>';
    const { bodies, invalid } = await read(Buffer.from(`<HealthData>${record}</HealthData>`), 5);
    expect(bodies).toEqual([{ date: '2026-02-15', steps: 500 }]);
    expect(invalid).toEqual([]);
  });

  it.each([
    ['adds the records of one device', 'Zoë’s ⌚', 'Zoë’s ⌚', 1000],
    ['adds those of a name with entities', 'Zoë’s &amp; ⌚', 'Zo&#xEB;’s &#38; &#x231A;', 1000],
    ['counts a minute of two devices once', 'Zoë’s ⌚', 'Zoé’s ⌚', 750],
  ])('%s', async (_what, one, other, steps) => {
    const record = (source: string, minute: number) =>
      `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="${source}" unit="count" value="500" ` +
      `startDate="2026-02-15 10:0${minute}:00 +0100" endDate="2026-02-15 10:0${minute + 2}:00 +0100"/>`;
    const document = `<HealthData>${record(one, 0)}${record(other, 1)}</HealthData>`;
    const { bodies } = await read(Buffer.from(document), 3);
    expect(bodies).toEqual([{ date: '2026-02-15', steps }]);
  });

  it('is read although its DTD is not well-formed, as exports of iOS 16 have it', async () => {
    const text = sample
      .toString()
      .replace('<!ATTLIST Me', '<!ELEMENT Vision EMPTY>\n<!ATTLIST HealthData\n>\n]<!ATTLIST Me');
    const { bodies } = await read(Buffer.from(text));
    expect(bodies).toEqual(golden);
  });

  it('reads small calories as thousandths of kilocalories', async () => {
    const text = sample
      .toString()
      .replaceAll('unit="Cal"', 'unit="cal"')
      .replaceAll('"20.4"', '"20400"');
    const { bodies } = await read(Buffer.from(text));
    expect(bodies).toEqual(golden);
  });

  it('sends no wrist temperature, which starts on the evening before its day', async () => {
    const night =
      'startDate="2026-02-14 23:00:00 +0100" endDate="2026-02-15 06:30:00 +0100" sourceName="Watch"';
    const record = `<Record type="HKQuantityTypeIdentifierAppleSleepingWristTemperature" unit="degF" value="96.8" ${night}/>`;
    const text = sample.toString().replace('</HealthData>', `${record}</HealthData>`);
    const { bodies, invalid } = await read(Buffer.from(text));
    expect(bodies).toEqual(golden);
    expect(invalid).toEqual([]);
  });

  it('reports a unit that is not known, and sends the rest of the day', async () => {
    const text = sample.toString().replaceAll('unit="kg"', 'unit="slug"');
    const { bodies, warnings } = await read(Buffer.from(text));
    expect(bodies).toEqual([expect.not.objectContaining({ weight: 73.1 })]);
    expect(bodies).toEqual([expect.objectContaining({ bodyFat: 18.5 })]);
    const message = 'is in "slug"; the known units are kg, g, lb, st';
    const lost: unknown = expect.objectContaining({ field: 'weight', message, unsent: true });
    expect(warnings).toEqual([lost, lost]);
  });

  it('counts a sum that begins at midnight', async () => {
    const text = sample
      .toString()
      .replace(
        '<Correlation',
        '<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Ada’s Apple Watch" unit="count" startDate="2026-02-15 00:00:00 +0100" endDate="2026-02-15 00:05:00 +0100" value="40"/><Correlation',
      );
    const { bodies } = await read(Buffer.from(text));
    expect(bodies).toEqual([expect.objectContaining({ steps: 1230 })]);
  });
});
