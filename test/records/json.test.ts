import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { JsonFault, JsonScanner, MAX_DEPTH } from '../../src/records/json-scan.ts';
import { readValue } from '../../src/records/json-value.ts';
import { invalidUtf8At, positionOf } from '../../src/records/text.ts';

/** `undefined` if the scanner takes the text, else where it stopped and why. */
function faultIn(text: string): { offset: number; message: string } | undefined {
  const scanner = new JsonScanner(Buffer.from(text));
  try {
    scanner.value();
    scanner.finish();
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { offset: error.offset, message: error.message };
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function read(text: string): unknown {
  const bytes = Buffer.from(text);
  return readValue('x', bytes, 0, bytes.length);
}

describe('the JSON scanner', () => {
  const json = fc.json({ depthSize: 'medium' });
  /** JSON with one piece cut out, put in or exchanged: mostly broken, sometimes not. */
  const damaged = fc
    .record({
      text: fc.oneof(
        json,
        fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 1)),
      ),
      at: fc.nat({ max: 200 }),
      cut: fc.nat({ max: 3 }),
      put: fc.constantFrom(
        ...Array.from('{}[],:"\\0123456789.-+eE/tfnul \n\r\tx\u00e9\u0001'),
        '',
        '\\u12',
        '""',
      ),
    })
    .map(({ text, at, cut, put }) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    });

  test('takes exactly what JSON.parse takes', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(json, damaged, damaged), (text) => {
        const ok = parses(text);
        seen[ok ? 'taken' : 'refused']++;
        expect({ text, ok: faultIn(text) === undefined }).toEqual({ text, ok });
      }),
      { numRuns: 20_000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(3_000);
  });

  test.each([
    [
      '{"a": 1,}',
      8,
      'found "}" where a name in double quotes is expected (is there a comma too many before it?)',
    ],
    ['[1, 2,]', 6, 'found "]" where a value is expected (is there a comma too many before it?)'],
    [
      "{'a': 1}",
      1,
      `found "'" where a name in double quotes is expected (JSON has double quotes only)`,
    ],
    ['{a: 1}', 1, 'found "a" where a name in double quotes is expected'],
    ['{"a" 1}', 5, 'found "1" where a colon after the name is expected'],
    ['{"a": 1 "b": 2}', 8, 'found "\\"" where a comma or } after the value is expected'],
    ['[1 2]', 3, 'found "2" where a comma or ] after the value is expected'],
    ['{"a": NaN}', 6, 'found "NaN" where a value is expected (write null for a missing number)'],
    [
      '{"a": -Infinity}',
      7,
      'found "Infinity" where a digit is expected (write null for a missing number)',
    ],
    ['{"a": None}', 6, 'found "None" where a value is expected (write null)'],
    [
      '{"a": True}',
      6,
      'found "True" where a value is expected (write true or false in lower case)',
    ],
    ['// x\n{}', 0, 'found "/" where a value is expected (JSON has no comments)'],
    ['{"a": 012}', 6, 'a number begins with a zero'],
    ['{"a": 1.}', 8, 'found "}" where a digit is expected'],
    ['{"a": .5}', 6, 'found ".5" where a value is expected'],
    ['{"a": "x\ny"}', 8, 'a string holds a line break, which must be escaped'],
    ['{"a": "x\\y"}', 8, 'a string holds a backslash that begins no escape'],
    ['{"a": "xy', 6, 'the text ends inside this string'],
    ['{"a": 1', 7, 'the text ends where a comma or } after the value is expected'],
    ['{"a":', 5, 'the text ends where a value is expected'],
    ['{} {}', 3, 'there is more text after the end of the JSON value'],
    ['{"a": ä}', 6, 'found "ä" where a value is expected'],
  ])('says where and why %j is no JSON', (text, offset, message) => {
    expect(parses(text)).toBe(false);
    expect(faultIn(text)).toEqual({ offset, message });
  });

  test('takes the characters in a string, and the escapes, that JSON.parse takes', () => {
    const texts = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).flatMap(
      (character) => [`"a${character}b"`, `"\\${character}"`, `"\\u00e${character}"`, character],
    );
    expect(texts.filter((text) => (faultIn(text) === undefined) !== parses(text))).toEqual([]);
  });

  test('refuses what is nested too deep, however deep', () => {
    const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(faultIn(nest(MAX_DEPTH))).toBeUndefined();
    expect(faultIn(nest(MAX_DEPTH + 1))?.message).toContain(`more than ${MAX_DEPTH} deep`);
    expect(faultIn('{"a":'.repeat(1_000_000))?.message).toContain(`more than ${MAX_DEPTH} deep`);
  });
});

describe('a JSON value', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(read(text)).toMatchObject({ source: 'x', value: JSON.parse(text) as unknown });
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['{"weight": 70, "weight": 72}', 'weight', 'appears twice, as 70 and 72'],
    ['{"w": 70, "\\u0077": 72}', 'w', 'appears twice, as 70 and 72'],
    ['{"a": [{"b": {}, "b": []}]}', 'a/0/b', 'appears twice, as {} and []'],
    ['{"a/b~c": 1, "a/b~c": 2}', 'a~1b~0c', 'appears twice, as 1 and 2'],
    ['{"a": 1e400}', 'a', 'the number 1e400 is too large'],
    [`{"a": [-${'9'.repeat(400)}]}`, 'a/0', `the number -${'9'.repeat(400)} is too large`],
  ])('that says two things, or too much, is refused: %s', (text, field, problem) => {
    expect(read(text)).toEqual({ source: 'x', field, problem });
  });

  test('may say the same thing twice', () => {
    expect(read('{"weight": 70, "weight": 70}')).toEqual({ source: 'x', value: { weight: 70 } });
  });

  test('names the integers that lost digits, and no others', () => {
    const text =
      '{"id": 9007199254740993, "ok": 9007199254740992, "pi": 3.14159265358979323846, "e": 1e22}';
    expect(read(text)).toEqual({
      source: 'x',
      value: { id: 9007199254740992, ok: 9007199254740992, pi: Math.PI, e: 1e22 },
      inexact: [
        {
          field: 'id',
          problem:
            '9007199254740993 has more digits than a number keeps, it is read as 9007199254740992: ' +
            'write it as text, "9007199254740993"',
        },
      ],
    });
  });

  test('with the names of an object’s own machinery pollutes nothing', () => {
    const result = read(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.keys((result as { value: object }).value)).toEqual(['__proto__', 'constructor']);
  });
});

describe('the place of an error', () => {
  test('of encoding is the first byte that no longer is UTF-8', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    );
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const bytes = Buffer.concat(parts);
        const at = invalidUtf8At(bytes);
        seen[at === undefined ? 'valid' : 'invalid']++;
        expect(at === undefined).toBe(isUtf8(bytes));
        if (at === undefined) return;
        expect(isUtf8(bytes.subarray(0, at))).toBe(true);
        // No character begins here, whatever its length.
        for (let length = 1; length <= 4; length++) {
          if (at + length <= bytes.length)
            expect(isUtf8(bytes.subarray(at, at + length))).toBe(false);
        }
      }),
      { numRuns: 10_000 },
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(1_000);
  });

  test('counts lines, and characters rather than bytes', () => {
    const text = '\ufeff{"a":\r\n"häß\u{1f6b4}": x}';
    const at = Buffer.from(text).indexOf('x');
    expect(positionOf(Buffer.from(text), at)).toEqual({ line: 2, column: 9 });
    expect(positionOf(Buffer.from('\ufeff{'), 3)).toEqual({ line: 1, column: 1 });
  });
});
