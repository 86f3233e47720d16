import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareInputs } from '../../../src/records/prepare.ts';
import { appleHealth } from '../../../src/records/sources/apple-health.ts';
import { MAX_XML_DEPTH } from '../../../src/records/sources/xml.ts';
import { BERLIN } from '../support.ts';

const sample = readFileSync(join(import.meta.dirname, 'samples/apple-health-export.xml'));
const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, 'samples/apple-health-export.golden.json'), 'utf8'),
) as unknown;

// eslint-disable-next-line @typescript-eslint/require-await -- an input's chunks are asynchronous
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 64 * 1024) {
  const choose = () => Promise.reject(new Error('several'));
  const { records, invalid, unreadable } = await prepareInputs(
    'wellness',
    [{ name: 'export.xml', chunks: pieces(bytes, size) }],
    { ...BERLIN, sources: { list: [appleHealth], named: false, choose } },
    new AbortController().signal,
  );
  return { bodies: records.map(({ body }) => body), invalid, unreadable };
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

  it('is refused if it is nested too deep', async () => {
    const head = sample.subarray(0, sample.indexOf('<HealthData') + '<HealthData>'.length);
    const deep = Buffer.from(
      `${head.toString().replace(/<HealthData.*/s, '<HealthData>')}${'<a>'.repeat(500_000)}`,
    );
    const { bodies, unreadable } = await read(deep);
    expect(bodies).toEqual([]);
    expect(unreadable.map(({ problems }) => problems)).toEqual([
      [{ problem: `export.xml is nested more than ${MAX_XML_DEPTH} deep.` }],
    ]);
  });

  it('sends nothing if it is cut off, and says so', async () => {
    const { bodies, unreadable } = await read(sample.subarray(0, sample.length - 40));
    expect(bodies).toEqual([]);
    expect(unreadable.map(({ problems }) => problems[0].problem)).toEqual([
      'export.xml is cut off: it ends before </HealthData>.',
    ]);
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
    const { bodies, invalid } = await read(Buffer.from(text));
    expect(bodies).toEqual([expect.not.objectContaining({ weight: 73.1 })]);
    expect(bodies).toEqual([expect.objectContaining({ bodyFat: 18.5 })]);
    expect(invalid.map(({ problems }) => problems)).toEqual([
      [{ field: 'weight', problem: 'is in "slug"; the known units are kg, g, lb, st' }],
      [{ field: 'weight', problem: 'is in "slug"; the known units are kg, g, lb, st' }],
    ]);
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
