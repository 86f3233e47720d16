import { expect, it } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { sanitize } from '../../src/base/printable.ts';

const TOKEN = new Secret('tok+en/1234==');

it.each<[string, unknown, string]>([
  [
    'what was sent',
    'You sent tok+en/1234== twice: tok+en/1234==.',
    'You sent [redacted] twice: [redacted].',
  ],
  [
    'any bearer token',
    'Got "Authorization: bearer abc.def-ghi~x==", sorry',
    'Got "Authorization: bearer [redacted]", sorry',
  ],
  ['a bearer token behind a line break', 'Bearer\n abc', 'Bearer [redacted]'],
  [
    'what only speaks of one',
    'The bearer token is too old: bearer tokens last an hour.',
    'The bearer token is too old: bearer tokens last an hour.',
  ],
  ['control characters', 'a\u001b[31mb\u0000\r\nc\u2028d\u202ee', 'a [31mb c de'],
  ['white space around it', '  a   b\t', 'a b'],
  ['what is no text', { message: 'x' }, ''],
  ['nothing', undefined, ''],
])('%s', (_what, value, shown) => {
  const text = typeof value === 'string' ? TOKEN.redactIn(value) : value;
  expect(sanitize(text)).toBe(shown);
});

it('keeps a word that holds a secret of a few characters, but not the secret itself', () => {
  const shown = (text: string, secret: string) => new Secret(secret).redactIn(text);
  expect(shown('{"success":true}', 't')).toBe('{"success":true}');
  expect(shown('hush, hushed: "hush"', 'hush')).toBe('[redacted], hushed: "[redacted]"');
});

it('is limited in length, and never cuts a character or a token', () => {
  expect(sanitize(TOKEN.redactIn('x'.repeat(5_000_000)))).toBe(`${'x'.repeat(399)}…`);
  expect(sanitize('x'.repeat(400))).toBe('x'.repeat(400));
  expect(sanitize(`${'x'.repeat(8)}🚲🚲`, 10)).toBe(`${'x'.repeat(8)}…`);
  expect(sanitize(TOKEN.redactIn(`${'x'.repeat(8)}${TOKEN.reveal()}`), 12)).toBe(
    `${'x'.repeat(8)}[re…`,
  );
});
