import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonFault, MAX_DEPTH } from '../../../src/base/json.ts';
import { MAX_TREE_LENGTH, parseText } from '../../../src/records/read/json.ts';
import { lossesOf } from '../../../src/records/read/json-losses.ts';
import { positionOf } from '../../../src/records/read/text.ts';

/** `undefined` if the text is taken, else where it breaks and why. */
function faultIn(text: string): { offset: number | undefined; message: string } | undefined {
  try {
    parseText(text);
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
  const json = parseText(text);
  return { source: 'x', value: json.value, ...lossesOf(json).get(0) };
}

describe('parseText', () => {
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

  test('accepts exactly the texts that JSON.parse accepts and locates every error', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(json, damaged, damaged), (text) => {
        const ok = parses(text);
        seen[ok ? 'taken' : 'refused']++;
        const fault = faultIn(text);
        expect({ text, ok: fault === undefined }).toEqual({ text, ok });
        if (fault === undefined) return;
        expect({ text, offset: typeof fault.offset }).toEqual({ text, offset: 'number' });
        expect(fault.offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(225);
  });

  // The words are those of the Node.js version; the place and the hint are ours.
  test.each([
    ['{"a": 1,}', 8, /\(remove the comma before it\)$/],
    ['{"a":}', 5, /\(a value is missing before it\)$/],
    ['{"a":, "b": 1}', 5, /\(a value is missing before it\)$/],
    ['[1,, 2]', 3, /\(a comma too many\)$/],
    ['{"a": 1,, "b": 2}', 8, /\(a comma too many\)$/],
    ['[1, 2,]', 6, /^unexpected "\]" \(remove the comma before it\)$/],
    ["{'a': 1}", 1, /\(JSON has double quotes only\)$/],
    ['{a: 1}', 1, /^expected property name/],
    ['{"a" 1}', 5, /^expected ':' after property name$/],
    ['{"a": 1 "b": 2}', 8, /^expected ',' or '}' after property value$/],
    ['[1 2]', 3, /^expected ',' or ']' after array element$/],
    ['{"a": NaN}', 6, /^unexpected "NaN" \(write null for a missing number\)$/],
    ['{"a": -Infinity}', 7, /\(write null for a missing number\)$/],
    ['{"a": None}', 6, /^unexpected "None" \(write null\)$/],
    ['{"a": True}', 6, /^unexpected "True" \(write true or false in lower case\)$/],
    ['// x\n{}', 0, /^unexpected "\/" \(JSON has no comments\)$/],
    ['{"a": 1} # x', 9, /\(JSON has no comments\)$/],
    ['{"a": 012}', 7, /^unexpected number$/],
    ['{"a": 1.}', 8, /fraction/],
    ['{"a": .5}', 6, /^unexpected ".5"$/],
    ['{"a": "x\ny"}', 8, /^bad control character in string literal$/],
    ['{"a": "x\\y"}', 9, /^bad escaped character$/],
    ['{"a": "xy', 9, /^unterminated string$/],
    ['{"a": 1', 7, /^expected ',' or '}' after property value$/],
    ['{"a":', 5, /^the JSON ends too early$/],
    ['{} {}', 3, /^unexpected non-whitespace character after JSON$/],
    ['{"a": ä}', 6, /^unexpected "ä"$/],
  ])('reports the place and the reason of the error in %j', (text, offset, message) => {
    expect(parses(text)).toBe(false);
    expect(faultIn(text)).toEqual({ offset, message: expect.stringMatching(message) as unknown });
  });

  test('accepts the same characters and escapes in a string as JSON.parse', () => {
    const texts = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).flatMap(
      (character) => [`"a${character}b"`, `"\\${character}"`, `"\\u00e${character}"`, character],
    );
    expect(texts.filter((text) => (faultIn(text) === undefined) !== parses(text))).toEqual([]);
  });

  test('rejects JSON above the nesting limit, at any depth', () => {
    const nest = (depth: number, inner = ''): string =>
      '['.repeat(depth) + inner + ']'.repeat(depth);
    const tooDeep = expect.stringContaining(`more than ${MAX_DEPTH} deep`) as unknown;
    expect(faultIn(nest(MAX_DEPTH))).toBeUndefined();
    expect(faultIn(nest(MAX_DEPTH + 1))?.message).toEqual(tooDeep);
    expect(faultIn(nest(200_000))?.message).toEqual(tooDeep);
    expect(faultIn(nest(200_000, 'x'))?.message).toEqual(tooDeep);
    expect(faultIn('{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000))?.message).toEqual(tooDeep);
    expect(faultIn('{"a":'.repeat(200_000))?.message).toEqual(tooDeep);
    expect(faultIn(nest(MAX_DEPTH + 1))?.offset).toBe(MAX_DEPTH);
    expect(faultIn(`"${nest(MAX_DEPTH + 1)}"`)).toBeUndefined();
    expect(faultIn(`"\\"${'['.repeat(MAX_DEPTH + 1)}\\\\"`)).toBeUndefined();
  });

  test('locates no unexpected token in a text above the limit', () => {
    const filler = `"${'x'.repeat(MAX_TREE_LENGTH)}"`;
    expect(faultIn(`{"filler": ${filler}, "a": x}`)).toMatchObject({ offset: undefined });
    expect(faultIn(`{"filler": ${filler}, "a": 1,}`)?.offset).toBeGreaterThan(8e6);
  });
});

describe('parsing a JSON value', () => {
  test('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(read(text)).toMatchObject({ source: 'x', value: JSON.parse(text) as unknown });
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['{"weight": 70, "weight": 72}', 'weight', 'appears twice, as 70 and 72'],
    ['{"w": 70, "\\u0077": 72}', 'w', 'appears twice, as 70 and 72'],
    ['{"a": [{"b": {}, "b": []}]}', 'a/0/b', 'appears twice, as {} and []'],
    ['{"a/b~c": 1, "a/b~c": 2}', 'a~1b~0c', 'appears twice, as 1 and 2'],
    ['{"a": 1e400}', 'a', 'the number 1e400 is too large'],
    [`{"a": [-${'9'.repeat(400)}]}`, 'a/0', `the number -${'9'.repeat(36)}... is too large`],
  ])('names contradicting duplicates and numbers too large: %s', (text, field, problem) => {
    expect(read(text)).toMatchObject({ source: 'x', faults: [{ field, problem }] });
  });

  test('accepts a duplicate name with the same value', () => {
    expect(read('{"weight": 70, "weight": 70}')).toEqual({ source: 'x', value: { weight: 70 } });
  });

  test('names exactly the integers that lost digits', () => {
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

  test('examines no numbers inside strings and no fractions', () => {
    const text =
      '{"id": "9007199254740993", "q": "\\"1e400", "hrv": 61.439999999999998, "far": 1.5e-400}';
    expect(read(text)).toEqual({ source: 'x', value: JSON.parse(text) as unknown });
  });

  test('tells the losses of the records in a list apart', () => {
    const records =
      '[{"a": {"b": [1, 9007199254740993]}}, {"a": [{"a": 1}, null, true, false]}, ' +
      '{"a": 1, "b": "x", "a": 2, "b": "y"}, 9007199254740993]';
    const expected = new Map([
      [0, { inexact: [expect.objectContaining({ field: 'a/b/1' })] }],
      [
        2,
        {
          faults: [
            { field: 'a', problem: 'appears twice, as 1 and 2' },
            { field: 'b', problem: 'appears twice, as "x" and "y"' },
          ],
        },
      ],
      [3, { inexact: [expect.objectContaining({ field: '' })] }],
    ]);
    expect(lossesOf(parseText(records), {})).toEqual(expected);
    const document = `{"x": {"data": [{"a": 1, "a": 2}]}, "n": 1e999, "data": ${records}, "n": 2}`;
    expect(lossesOf(parseText(document), { member: 'data' })).toEqual(expected);
  });

  test('rejects a document whose list of records appears twice', () => {
    const text = '{"data": [{"a": 1}], "data": [{"a": 2}]}';
    expect(() => lossesOf(parseText(text), { member: 'data' })).toThrow(
      new JsonFault('"data" appears twice', 29),
    );
  });
});

describe('the position of an error', () => {
  test('counts lines, and counts characters instead of bytes', () => {
    const text = '{"a":\r\n"häß\u{1f6b4}": x}';
    expect(positionOf(text, text.indexOf('x'))).toEqual({ line: 2, column: 9 });
    expect(positionOf('{', 0)).toEqual({ line: 1, column: 1 });
  });
});
