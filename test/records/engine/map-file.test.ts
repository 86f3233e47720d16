import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/base/phrase.ts';
import { readMapFile } from '../../../src/records/engine/map-file.ts';
import { errorText } from '../../../src/terminal/output.ts';
import { caught } from '../../support/failure.ts';

const errorOf = (text: string) => caught(() => readMapFile('my.json', Buffer.from(text)));

function mistakeIn(text: string): string {
  return errorOf(text).message;
}

/** Returns what a person sees. */
function linesOfMistakes(text: string): string[] {
  return renderText(errorText(errorOf(text), { verbose: false }), undefined).split('\n');
}

const DAY = '"day": { "from": "Day" }';

describe('a mapping file', () => {
  it.each([
    [
      'a field that the platform does not have',
      `{ "kind": "wellness", "format": "csv", ${DAY},\n  "fields": {\n    "restingHeart": "Puls"\n  } }`,
      'my.json:3: fields.restingHeart is no field of the platform; did you mean restingHr?.',
    ],
    [
      'a member that is not part of the form',
      `{ "kind": "wellness", "format": "csv",\n  "colour": 1, ${DAY}, "fields": {} }`,
      'my.json:2: colour is not part of the form.',
    ],
    [
      'a member that is missing',
      '{ "kind": "wellness", "format": "csv", "fields": {} }',
      'my.json:1: day is missing.',
    ],
    [
      'a factor that is no number',
      `{ "kind": "wellness", "format": "csv", ${DAY},\n "fields": {\n "weight": { "from": "kg",\n "factor": "2,2" } } }`,
      'my.json:4: fields.weight.factor is "2,2"; a number is expected.',
    ],
    [
      'a word outside a set',
      `{ "kind": "wellness", "format": "xls", ${DAY}, "fields": {} }`,
      'my.json:1: format is "xls"; "json" or "csv" is expected.',
    ],
    [
      'another kind',
      '{ "kind": "sleep", "format": "csv" }',
      'my.json:1: kind is "sleep"; "wellness" or "nutrition" is expected.',
    ],
    ['broken JSON', '{ "kind": }', 'my.json:1:11: '],
  ])('is refused with the line of %s', (_, text, message) => {
    expect(mistakeIn(text)).toContain(message);
  });

  it('is refused with every mistake in it, one on a line', () => {
    const text = `{ "kind": "wellness", "format": "csv", ${DAY},\n"fields": { "hrw": "a",\n"weihgt": "b" } }`;
    expect(linesOfMistakes(text)).toEqual([
      'Error: my.json has 2 mistakes.',
      expect.stringMatching(/^ {2}my\.json:2: fields\.hrw /),
      expect.stringMatching(/^ {2}my\.json:3: fields\.weihgt /),
      expect.stringMatching(/^ {2}The form of a mapping, with examples: https:/),
    ]);
  });
});

describe('a mapping file of unusual size', () => {
  it('has 20 mistakes reported, and a count of the others', () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => `"zz${index}": "x"`).join();
    const text = `{"kind": "wellness", "format": "csv", ${DAY}, "fields": {${fields}}}`;
    const lines = linesOfMistakes(text);
    expect(lines).toHaveLength(23);
    expect(lines[0]).toBe('Error: my.json has 5,000 mistakes.');
    expect(lines[1]).toBe('  my.json:1: fields.zz0 is no field of the platform');
    expect(lines[21]).toBe('  and 4,980 more');
  });

  it('is refused above 1 MB', () => {
    expect(mistakeIn(' '.repeat(1024 * 1024 + 1))).toBe(
      'my.json is larger than any mapping (1 MB).',
    );
  });
});
