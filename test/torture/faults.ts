import type { Random } from '../../src/seed/random.ts';
import type { LineFault } from './bad-line.ts';
import type { Scene } from './scene.ts';

/** Statuses that a service, or a machine in front of it, answers with; 503 and 429 see below. */
const STATUSES = [
  ...[300, 301, 302, 303, 304, 307, 308],
  ...[
    400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 418, 421, 422, 423,
  ],
  ...[
    425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 522, 530,
  ],
];

/**
 * Returns a fault and its count, or others where they would say the truth: an interface's 409 means a known recording.
 * If it refuses two days, and takes them with fewer fields, it knows only those.
 */
export function faultAt({ platform }: Scene, route: string, fault: string, times: string): string {
  const isTaken = fault === '409' && (route === 'upload-fit' || route === 'any');
  if (platform === 'interface' && isTaken) return `503${times}`;
  const isOfFields = /^(?:400|422)(?!.*(?:invalid_token|invalid_grant))/.test(fault);
  return platform === 'interface' && isOfFields && times === '*2' ? fault : `${fault}${times}`;
}

/** Every kind of fault that a sandbox plays, without its route; silences have a kind of their own. */
export const SERVICE_FAULTS: readonly [string, ...string[]] = [
  'success-false',
  ...STATUSES.map(String),
  // By any other 4xx, a service says that it did not act.
  ...[408, 500, 502, 503, 504].map((status) => `${status}(after)`),
  ...['invalid_grant', 'invalid_token', 'server_error'].map((error) => `400(error=${error})`),
  '401(error=invalid_token)',
  ...['0', '1', '7', '61', '3600', '99999999999'].map((after) => `503(retry-after=${after})`),
  '429(retry-after=1)',
  '429(retry-after-date=2)',
  '503(retry-after-date=99999)',
  '504(retry-after=1,after)',
  ...['html', 'html(after)', 'html(status=200)', 'html(status=200,after)'],
  ...[403, 404, 413, 500, 503, 504].map((status) => `html(status=${status})`),
  ...['reset', 'reset-after', 'reset-mid', 'close-mid', 'truncate', 'delay=30ms'],
];

/** Sizes of pieces after which a line breaks: in a head, at its end, in a body. */
const PIECES = [0, 1, 9, 60, 200, 400, 1_000, 2_500] as const;

/** Bytes before an answer: of another protocol, of another answer, of nothing. None reports success. */
const GARBAGE = [
  '\0',
  '\r\n\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}',
  '<html>',
] as const;

/** Returns any misbehaviour of a line. Silences end after a moment. */
export function lineFault(random: Random): LineFault {
  const after = random.pick(PIECES) + random.integer(0, 8);
  const how = random.chance(0.5) ? 'reset' : 'close';
  const ms = random.integer(5, 60);
  return random.pick<LineFault>([
    { what: 'cut', in: 'request', after, how },
    { what: 'cut', in: 'answer', after, how },
    { what: 'stall', in: 'request', after, ms },
    { what: 'stall', in: 'answer', after, ms },
    { what: 'half-close', in: 'answer', after },
    { what: 'drip' },
    { what: 'garbage', bytes: random.pick(GARBAGE) },
    { what: 'double' },
    { what: 'never-read', ms },
  ]);
}
