import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody } from '../../../src/sandbox/http/request-body.ts';
import { multipart } from '../support.ts';

const HEAD = 'Content-Disposition: form-data; name="a"';

async function decode(body: Buffer | string, contentType = 'multipart/form-data; boundary=B') {
  const { parts, problem } = await decodeBody(contentType, Buffer.from(body));
  if (problem !== undefined) return 'malformed';
  return parts?.map(({ name, fileName, bytes }) => [name, fileName, bytes.toString('utf8')]);
}

describe('decodeBody of multipart/form-data', () => {
  it.each([
    'multipart/form-data; boundary=B',
    'Multipart/Form-Data;boundary=B',
    'multipart/form-data; charset=utf-8; boundary="B"',
  ])('finds the boundary in "%s"', async (contentType) => {
    expect(await decode(`--B\r\n${HEAD}\r\n\r\n1\r\n--B--\r\n`, contentType)).toEqual([
      ['a', null, '1'],
    ]);
  });

  it('returns every part with its exact bytes', async () => {
    const part = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .array(fc.constantFrom('\r\n', '--', '--BOUND', '\r\n--', '\r\n\r\n', 'x', '-'))
          .map((words) => words.join(''))
          // A client chooses a boundary that its parts do not contain.
          .filter((text) => !text.includes('--BOUNDARY'))
          .map((text) => new Uint8Array(Buffer.from(text))),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const form = multipart(parts.map((each) => ({ ...each, fileName: 'x.fit' })));
        const decoded = await decodeBody(form.headers['content-type'], form.body);
        expect(decoded.parts?.map(({ name, bytes }) => [name, bytes.toString('hex')])).toEqual(
          parts.map(({ name, content }) => [name, Buffer.from(content).toString('hex')]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('reads a form as browsers write it', async () => {
    const form = new FormData();
    form.append('file', new Blob(['bytes']), 'Größe "1".fit');
    form.append('name', 'Zwölf\r\nkm');
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const contentType = request.headers.get('content-type') ?? '';
    expect(await decode(Buffer.from(await request.arrayBuffer()), contentType)).toEqual([
      ['file', 'Größe "1".fit', 'bytes'],
      ['name', null, 'Zwölf\r\nkm'],
    ]);
  });

  it('reads a form without parts', async () => {
    expect(await decode('--B--\r\n')).toEqual([]);
  });

  it.each([
    ['another boundary', `--C\r\n${HEAD}\r\n\r\n1\r\n--C--`],
    ['no closing boundary', `--B\r\n${HEAD}\r\n\r\n1`],
    ['a closing boundary that is cut off', `--B\r\n${HEAD}\r\n\r\n1\r\n--B`],
    ['headers that do not end', `--B\r\n${HEAD}\r\n`],
    ['a part without Content-Disposition', `--B\r\nX: y\r\n\r\n1\r\n--B--`],
    ['a part without headers', `--B\r\n\r\n1\r\n--B--`],
    ['line feeds as line ends', `--B\n${HEAD}\n\n1\n--B--`],
    ['blanks after a boundary', `--B \t\r\n${HEAD}\r\n\r\n1\r\n--B--\r\n`],
  ])('calls a body with %s malformed', async (_what, body) => {
    expect(await decode(body)).toBe('malformed');
  });

  it('calls a body malformed if Content-Type names no boundary', async () => {
    expect(await decode('--B--\r\n', 'multipart/form-data')).toBe('malformed');
  });
});
