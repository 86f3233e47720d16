import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTooDeep, MAX_DEPTH, parseJson } from '../../src/base/json.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Nests a value in lists and objects, `depth` times. */
function nested(depth: number, inner: string): string {
  const [open, close] = ['[{"[\\"": ', '}]'];
  const odd = depth % 2 === 1;
  return `${odd ? '[' : ''}${open.repeat(depth >> 1)}${inner}${close.repeat(depth >> 1)}${odd ? ']' : ''}`;
}

describe('parseJson', () => {
  it('rejects exactly the values that are nested above the limit', () => {
    const innermost = fc.constantFrom('1', '"]["', '"\\"{"', '[]', '{"a": []}');
    const deep = fc.tuple(fc.nat({ max: 2 * MAX_DEPTH }), innermost);
    fc.assert(
      fc.property(deep, ([depth, inner]) => {
        const text = nested(depth, inner);
        const isTooDeep = depthOf(JSON.parse(text)) > MAX_DEPTH;
        if (isTooDeep) expect(() => parseJson(text)).toThrow(JsonTooDeep);
        else expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '{', '"\\', '[1,]', '{"a": }', ']]]]'])('throws a SyntaxError for %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('names the first bracket that is too deep, of a text without an end, too', () => {
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(
      expect.objectContaining({ offset: MAX_DEPTH }) as Error,
    );
  });
});
