import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonFault, MAX_DEPTH } from '../../../src/base/json.ts';
import { parseText } from '../../../src/records/read/json.ts';
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

  test('accepts exactly the texts that JSON.parse accepts, but for names that stand twice, and locates every error', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(json, damaged, damaged), (text) => {
        const ok = parses(text);
        seen[ok ? 'taken' : 'refused']++;
        const fault = faultIn(text);
        // The damage may have made one name of two.
        if (ok && fault?.message.endsWith('appears twice in one object')) return;
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

  test.each([
    ['{"weight": 70, "weight": 72}', 15, '"weight" appears twice in one object'],
    ['{"weight": 70, "weight": 70}', 15, '"weight" appears twice in one object'],
    ['{"w": 70, "\\u0077": 72}', 10, '"w" appears twice in one object'],
    ['[{"a": 1}, {"b": {"a": "x}{", "c": ["a"], "a": 2}}]', 42, '"a" appears twice in one object'],
  ])('rejects a member that stands twice: %s', (text, offset, message) => {
    expect(faultIn(text)).toEqual({ offset, message });
  });

  test('accepts one name in several objects, in texts and in lists', () => {
    const text = '{"a": {"a": [{"a": "a: {"}, {"a": 1}]}, "b": "\\"a\\":"}';
    expect(parseText(text)).toEqual(JSON.parse(text));
  });

  test('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(parseText(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
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
