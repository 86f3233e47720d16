import { describe, expect, it } from 'vitest';
import { wrap } from '../../src/terminal/wrap.ts';

describe('a text in a terminal', () => {
  it.each<[string, string, string[]]>([
    ['breaks between words', 'one two three four five', ['one two three four', 'five']],
    ['keeps short lines and their order', 'one\n\ntwo', ['one', '', 'two']],
    ['keeps the indentation', '  one two three four five', ['  one two three four', '  five']],
    ['indents below a bullet', '- one two three four five', ['- one two three four', '  five']],
    ['indents by a label', 'Zone  UTC; for a day or two', ['Zone  UTC; for a day', '      or two']],
    ['leaves a long label', 'a label of 15  and its text', ['a label of 15  and', 'its text']],
    ['keeps a command whole', 'Now run `sync login x`.', ['Now run', '`sync login x`.']],
    [
      'breaks a command that is longer than a line',
      'Run `sync push wellness a.json` now',
      ['Run `sync push', 'wellness a.json` now'],
    ],
    [
      'keeps a long path whole',
      'See /home/ada/.local/state/sync/log now',
      ['See', '/home/ada/.local/state/sync/log', 'now'],
    ],
    ['keeps a number with its unit', 'Open water swim 800 m', ['Open water swim', '800 m']],
    ['keeps a time ago whole', 'uploaded, 33 seconds ago', ['uploaded,', '33 seconds ago']],
    ...['  ssh -N -L 1:a:1 ada@example.com', 'export SYNC_A=b SYNC_C=d'].map(
      (line): [string, string, string[]] => ['keeps a line to copy whole', line, [line]],
    ),
    ['counts wide characters', '日本の朝 日本の朝 日本の朝', ['日本の朝 日本の朝', '日本の朝']],
    ['keeps the space after a question', 'Is this the right one? ', ['Is this the right', 'one? ']],
    ['keeps a single backtick', 'it`s one two three four', ['it`s one two three', 'four']],
  ])('%s', (_what, text, lines) => {
    expect(wrap(text, 20).split('\n')).toEqual(lines);
  });

  it('is wrapped within the time limit although it holds 200,000 spaces', () => {
    // Quadratic time would be minutes.
    expect(wrap(`one${' '.repeat(200_000)}two`, 20)).toMatch(/^one\s+two$/);
    expect(wrap(`one two three four five${' '.repeat(200_000)}`, 20).trimEnd()).toBe(
      'one two three four\nfive',
    );
  });

  it('does not change without a terminal', () => {
    const text = 'a line that is longer than every terminal '.repeat(20);
    expect(wrap(text, 0)).toBe(text);
  });
});
