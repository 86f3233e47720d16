import { describe, expect, it } from 'vitest';
import type { FramedUpload } from '../../src/api/client.ts';
import { type UploadFields, frameUpload, textParts } from '../../src/upload/multipart.ts';

const BYTES = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 17) & 255));
const FIELDS: UploadFields = {
  filePart: 'file',
  fileName: 'ride.fit',
  name: 'Morning ride',
  metadata: { app_version: '1.0', device_id: 'edge' },
};

/** Read by a parser that shares nothing with the writer. */
async function parse({ contentType, body }: FramedUpload) {
  const form = await new Response(Buffer.concat(body), {
    headers: { 'content-type': contentType },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- small bodies, and a parser that is not ours
  }).formData();
  return await Promise.all(
    [...form.entries()].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, value }
        : {
            name,
            fileName: value.name,
            type: value.type,
            bytes: Buffer.from(await value.arrayBuffer()),
          },
    ),
  );
}

const filePart = (fileName: string, bytes: Uint8Array = BYTES) => ({
  name: 'file',
  fileName,
  type: 'application/octet-stream',
  bytes: Buffer.from(bytes),
});

describe('a framed recording', () => {
  it('contains the name, the metadata and the bytes in this order', async () => {
    expect(await parse(frameUpload(BYTES, FIELDS))).toEqual([
      { name: 'name', value: 'Morning ride' },
      { name: 'metadata', value: '{"app_version":"1.0","device_id":"edge"}' },
      filePart('ride.fit'),
    ]);
  });

  it('has no name part if there is no name', async () => {
    const parts = await parse(frameUpload(BYTES, { ...FIELDS, name: undefined }));
    expect(parts.map(({ name }) => name)).toEqual(['metadata', 'file']);
  });

  it('is not copied', () => {
    expect(frameUpload(BYTES, FIELDS).body).toContain(BYTES);
  });

  it('can be framed twice', async () => {
    frameUpload(BYTES, { ...FIELDS, name: 'A much longer name than the second' });
    const second = frameUpload(BYTES, { ...FIELDS, name: 'x' });
    expect(await parse(second)).toContainEqual({ name: 'name', value: 'x' });
    expect(await parse(second)).toContainEqual(filePart('ride.fit'));
  });

  it.each([3_000, 4_000, 4_096, 5_000, 300_000])('accepts a name of %i bytes', async (length) => {
    const name = 'n'.repeat(length);
    const parts = await parse(frameUpload(BYTES, { ...FIELDS, name }));
    expect(parts[0]).toEqual({ name: 'name', value: name });
    expect(parts[2]).toEqual(filePart('ride.fit'));
  });

  it.each([
    ['umlauts and emoji', 'Größe 🚴 日本.fit'],
    ['a quote, which is escaped as browsers do', 'my "best" ride.fit'],
    ['a line break, which cannot end the header', 'a\r\nx-evil: 1\r\n\r\nb.fit'],
    ['a backslash', 'a\\b.fit'],
    ['a percent sign', '100%22.fit'],
  ])('keeps a file name with %s', async (_what, fileName) => {
    const framed = frameUpload(BYTES, { ...FIELDS, fileName });
    const head = Buffer.concat(framed.body).toString('utf8').split('\r\n\r\n')[2] ?? '';
    expect(head.split('\r\n')).toHaveLength(4);
    const parts = await parse(framed);
    expect(parts).toHaveLength(3);
    expect(parts[2]?.name).toBe('file');
    expect('bytes' in (parts[2] ?? {}) && parts[2]).toMatchObject({ bytes: BYTES });
    // The parser of Node unescapes what browsers escape.
    expect((parts[2] as { fileName: string }).fileName.replaceAll('%0D%0A', '\r\n')).toBe(
      fileName.replaceAll('%22', '"'),
    );
  });

  it('keeps line breaks and quotes in a name and in metadata', async () => {
    const name = 'Line one\r\nline two "quoted" --not-a-boundary--';
    const metadata = { note: 'ä\n"x"', deep: { list: [1, null] } };
    const parts = await parse(frameUpload(BYTES, { ...FIELDS, name, metadata }));
    expect(parts[0]).toEqual({ name: 'name', value: name });
    expect(JSON.parse((parts[1] as { value: string }).value)).toEqual(metadata);
  });

  it('may be empty, or may contain text like a boundary', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('\r\n--athlete-sync-x--\r\n')]) {
      const parts = await parse(frameUpload(bytes, FIELDS));
      expect(parts[2]).toEqual(filePart('ride.fit', bytes));
    }
  });
});

it('shows the same text parts that it sends', async () => {
  const sent = await parse(frameUpload(BYTES, FIELDS));
  expect(textParts(FIELDS)).toEqual(sent.slice(0, 2));
});
