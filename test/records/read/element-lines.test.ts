import { describe, expect, test } from 'vitest';
import { elementLines } from '../../../src/records/read/element-lines.ts';

describe('the lines of the elements of a list', () => {
  test.each([
    ['of the root', '[\n{"a": 1},\n{\n"a": [1,\n2]\n}, 3]\n', undefined, [2, 3, 6]],
    ['of an empty root', '[\n]\n', undefined, []],
    ['with brackets in texts', '["[,\\"]",\n"]",\n{"x": "}"}]', undefined, [1, 2, 3]],
    ['of a member', '{\n"b": [1,\n2],\n"data": [\n{"data": [7]},\n\n{}]\n}', 'data', [5, 7]],
    ['of a member with escapes', '{"x": {"a\\n": [0]},\n"a\\n":\n[1,\n2]}', 'a\n', [3, 4]],
    ['with CRLF', '[\r\n1,\r\n2]', undefined, [2, 3]],
  ])('are found: %s', (_case, text, member, lines) => {
    expect(elementLines(text, member)).toEqual(lines);
    const document = JSON.parse(text) as unknown[] & Record<string, unknown[]>;
    const list = member === undefined ? document : document[member];
    expect(list).toHaveLength(lines.length);
  });
});
