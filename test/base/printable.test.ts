import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { joinTexts, linesOf, phrase, renderText, sync } from '../../src/base/phrase.ts';
import {
  printable,
  printableLines,
  setShell,
  shellWord,
  toJson,
} from '../../src/base/printable.ts';
import { missingTools, skipNote } from '../support/shell.ts';
import { FORBIDDEN, hostileText } from '../support/hostile.ts';

describe('a text from outside', () => {
  it.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a [2Jb'],
    ['a title', 'a\u001b]0;x\u0007b', 'a ]0;x b'],
    ['a clipboard', 'a\u001b]52;c;eA==\u001b\\b', 'a ]52;c;eA== \\b'],
    ['a carriage return', 'all is well\rbad', 'all is well bad'],
    ['a back space', 'a\u0008b', 'a b'],
    ['NUL and DEL', 'a\u0000\u007fb', 'a  b'],
    ['a tab', 'a\tb', 'a b'],
    ['one-byte sequences', 'a\u009b2Jb', 'a 2Jb'],
    ['line breaks and the space around them', 'a\nb.fit: uploaded \r\n\t c', 'a b.fit: uploaded c'],
    ['other line breaks', 'a\u0085b\u2028c\u2029d\u000be\u000cf', 'a b c d e f'],
    ['a turn of direction', 'gpj\u202etif.exe', 'gpjtif.exe'],
    ['isolates', 'a\u2066b\u2069', 'ab'],
    ['marks of direction', 'a\u200e\u200f\u061cb', 'ab'],
    ['width zero', 'a\u200b\u2060\ufeff\u180e\u00adb', 'ab'],
    ['joiners between Latin letters', 'Gar\u200dmin Edge\u200c', 'Garmin Edge'],
    ['tags', 'a\u{e0041}\u{e0042}\u{e007f}', 'a'],
    ['annotations', 'a\ufff9b\ufffac\ufffb', 'abc'],
    ['a variation selector behind an annotation', 'a\ufff9\ufe00b', 'ab'],
    ['fillers', 'a\u115f\u3164\uffa0\u034fb', 'ab'],
    ['data in variation selectors', 'a\ufe01\ufe02\u{e0101}b', 'a\ufe01b'],
    ['lone surrogates', 'a\ud83db\udeb4', 'a\ufffdb\ufffd'],
  ])('shows no %s', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each([
    ['umlauts and quotes', 'Größe „1“'],
    ['emoji of several characters', '🚴🏽‍♀️ 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️'],
    ['right-to-left letters', 'שלום العربية'],
    ['Persian with a joiner', 'می\u200cخواهم'],
    ['Sinhala with a joiner', 'ශ්\u200dරී'],
    ['Malayalam with a joiner at its end', 'അവന്\u200d'],
    ['a Japanese name with a variant', '葛\u{e0100}城'],
    ['several spaces', 'a   b'],
  ])('keeps %s', (_what, text) => {
    expect(printable(text)).toBe(text);
  });

  it('keeps the lines and tabs of a text of this program', () => {
    expect(printableLines('a\n\tb\u001b[1m\u200b\n')).toBe('a\n\tb [1m\n');
  });

  it('holds no forbidden character, whatever it was', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(FORBIDDEN);
        expect(shown).not.toContain('\n');
        expect(printable(shown)).toBe(shown);
        expect(printableLines(text).replaceAll(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['spaces', ' '],
    ['no-break spaces', '\u00a0'],
    ['line breaks', '\n'],
    ['joiners', '\u200d'],
    ['selectors', '\ufe0f'],
  ])('is shown within the time limit although it holds 200,000 %s', (_what, character) => {
    const text = `é${character.repeat(200_000)}é`;
    // Quadratic time would be minutes.
    expect(printable(text)).toMatch(/^é[\ufe0f\s]*é$/u);
    expect(printableLines(text)).toMatch(/^é[\ufe0f\s]*é$/u);
  });

  it('adds no line to any phrase', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (one, two) => {
        const text = joinTexts(
          [phrase`${one}: ${phrase`no\n  ${two}`}`, two, phrase`${sync('upload', one, two)}`],
          '\n',
        );
        const shown = renderText(text, one);
        expect(shown.split('\n')).toHaveLength(4);
        expect(shown.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
        expect(renderText(one, undefined)).toBe(printable(one));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the lines of a layout', () => {
    expect(String(linesOf('{\n  "a": 1\n}\n'))).toBe('{\n  "a": 1\n}\n');
  });
});

it('JSON escapes what cannot be seen, and means the same', () => {
  expect(toJson({ 'a\u009b': '\u007f\u202e\ufeff\u{e0041}ü' })).toBe(
    '{"a\\u009b":"\\u007f\\u202e\\ufeff\\udb40\\udc41ü"}',
  );
  fc.assert(
    fc.property(
      fc.dictionary(hostileText(), hostileText()),
      fc.constantFrom(0, 2),
      (value, indent) => {
        const json = toJson(value, { indent });
        expect(json.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      },
    ),
    { numRuns: 200 },
  );
});

describe('a word for a shell', () => {
  afterEach(() => setShell('linux'));

  it.each([
    ['ride.fit', 'ride.fit', 'ride.fit'],
    ['my ride.fit', '"my ride.fit"', '"my ride.fit"'],
    ["it's $5.fit", `'it'\\''s $5.fit'`, '"it\'s `$5.fit"'],
    ['C:\\Users\\me', `'C:\\Users\\me'`, 'C:\\Users\\me'],
    ['a & b “c”', '"a & b “c”"', '"a & b `“c`”"'],
    [
      'a\u001b]52;c;x\u0007%\nb',
      String.raw`"$(printf 'a\033\13552\073c\073x\007%%\012b')"`,
      '"a$([char]27)]52;c;x$([char]7)%$([char]10)b"',
    ],
    ["-\u202e'", String.raw`"$(printf '\055\342\200\256\047')"`, `"-$([char]8238)'"`],
  ])('quotes %j', (word, posix, powerShell) => {
    expect(shellWord(word)).toBe(posix);
    setShell('win32');
    expect(shellWord(word)).toBe(powerShell);
  });

  describe.each(['dash', 'bash', 'zsh', 'busybox'])('for %s', (shell) => {
    const missing = missingTools(shell);

    it.skipIf(missing.length > 0)(`means the same${skipNote(missing)}`, () => {
      // One shell for all words. An argument holds no NUL and no lone surrogate.
      const words = fc
        .sample(hostileText(), { numRuns: 300, seed: 1 })
        .map((word) => word.toWellFormed().replaceAll('\0', '').replace(/\n+$/, ''));
      const script = words.map((word) => `printf '%s\\0' ${shellWord(word)}`).join('\n');
      const args = shell === 'busybox' ? ['sh', '-c', script] : ['-c', script];
      const { stdout } = spawnSync(shell, args, {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    });
  });
});
