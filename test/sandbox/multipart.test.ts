import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryOf, MultipartError, parseMultipart } from '../../src/sandbox/multipart.ts';
import { multipart } from './support.ts';

const parse = (text: string, boundary = 'B') =>
  parseMultipart(Buffer.from(text, 'latin1'), boundary);
const HEAD = 'Content-Disposition: form-data; name="a"';

describe('the boundary', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; boundary="a b:c"', 'a b:c'],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=abc', null],
  ])('of %s is %s', (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });
});

describe('a multipart body', () => {
  it('gives its parts back, bytes and all, whatever they hold', () => {
    const part = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .array(
            fc.constantFrom('\r\n', '--', '--BOUNDARY', '\r\n--BOUNDARYx', '\r\n\r\n', 'x', '-'),
          )
          // A part cannot hold its own delimiter: that is what a boundary is chosen for.
          .map((words) => words.join('').replaceAll(/\r\n--BOUNDARY(?!x)/g, ''))
          .filter((text) => !/^--BOUNDARY|\r\n--BOUNDARY(--|[ \t]*\r\n)/.test(`\r\n${text}\r\n`))
          .map((text) => new Uint8Array(Buffer.from(text))),
      ),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const form = multipart(parts.map((each) => ({ ...each, fileName: 'x.fit' })));
        const parsed = parseMultipart(form.body, 'BOUNDARY');
        expect(parsed.map(({ name, bytes }) => [name, bytes.toString('hex')])).toEqual(
          parts.map(({ name, content }) => [name, Buffer.from(content).toString('hex')]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is read as the platform of browsers writes it', async () => {
    const form = new FormData();
    form.append('file', new Blob(['bytes']), 'Größe "1".fit');
    form.append('name', 'Zwölf\r\nkm');
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const body = Buffer.from(await request.arrayBuffer());
    const boundary = boundaryOf(request.headers.get('content-type') ?? '') ?? '';
    expect(
      parseMultipart(body, boundary).map(({ name, fileName, bytes }) => [
        name,
        fileName,
        bytes.toString(),
      ]),
    ).toEqual([
      ['file', 'Größe "1".fit', 'bytes'],
      ['name', null, 'Zwölf\r\nkm'],
    ]);
  });

  it('may have a preamble, blanks after a boundary, and escaped quotes', () => {
    const [part] = parse(
      `preamble\r\n--B \t\r\nContent-Disposition: form-data; name="a"; filename="x\\"y.fit"\r\n\r\n1\r\n--B--\r\nepilogue`,
    );
    expect([part?.name, part?.fileName, part?.bytes.toString()]).toEqual(['a', 'x"y.fit', '1']);
  });

  it('may be without parts', () => {
    expect(parse('--B--\r\n')).toEqual([]);
  });

  it.each([
    ['another boundary', `--C\r\n${HEAD}\r\n\r\n1\r\n--C--`, 'does not occur'],
    ['no end', `--B\r\n${HEAD}\r\n\r\n1`, 'without its closing boundary'],
    ['an end that is cut', `--B\r\n${HEAD}\r\n\r\n1\r\n--B`, 'without its closing boundary'],
    ['headers that do not end', `--B\r\n${HEAD}\r\n`, 'no end of headers'],
    ['no disposition', `--B\r\nX: y\r\n\r\n1\r\n--B--`, 'part 1 has no Content-Disposition'],
    ['no headers at all', `--B\r\n\r\n1\r\n--B--`, 'part 1 has no Content-Disposition'],
    ['a line end of another system', `--B\n${HEAD}\n\n1\n--B--`, 'not followed by a line end'],
  ])('with %s is refused', (_what, text, message) => {
    expect(() => parse(text)).toThrow(MultipartError);
    expect(() => parse(text)).toThrow(message);
  });
});
