import type { Random } from '../../src/seed/random.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { realRecordings } from '../support/real-recordings.ts';
import { sealed } from './fit-walker.ts';

/** Real recordings up to this size are mutated; the larger ones take too long (bytes). */
const LARGEST_REAL = 300_000;

/** Returns a whole recording of a random shape: usually an activity. */
export function anyRecording(random: Random): Uint8Array {
  if (realRecordings.present && random.chance(0.1)) return realRecording(random);
  if (random.chance(0.35)) return oddRecording(random);
  return plainRecording(random);
}

/** Returns a recording as devices write it, in one of the encodings that they use. */
export function plainRecording(random: Random): Uint8Array {
  return makeRecording({
    seed: random.uint32(),
    startTime: new Date(Date.UTC(2026, 0, 1) + random.integer(0, 300 * 86_400) * 1000),
    durationSecs: random.integer(1, 120),
    sport: random.pick([1, 2, 5, 11, 15, 0, 254]),
    subSport: random.pick([0, 0, 3, 17, 58]),
    furtherSports: random.chance(0.2) ? [random.pick([1, 2, 3]), random.pick([1, 2])] : [],
    localOffsetMinutes: random.pick([undefined, 0, 60, -210, 345, 840]),
    type: random.pick([4, 4, 4, 4, 4, 4, 2, 5, 6, 32]),
    headerSize: random.pick([12, 14]),
    headerCrc: random.pick(['right', 'zero', 'garbage']),
    bigEndian: random.chance(0.3),
    developerField: random.chance(0.3),
    compressedTimestamps: random.chance(0.3),
    chained: random.chance(0.2) ? random.integer(1, 3) : 0,
  });
}

function realRecording(random: Random): Uint8Array {
  const [first = '', ...more] = realRecordings.names();
  for (;;) {
    const bytes = realRecordings.read(random.pick([first, ...more]));
    if (bytes.length <= LARGEST_REAL) return bytes;
  }
}

const LOCALS = 16;
/**
 * `session`, `lap`, `record`, `activity`, `event`, `sport`, descriptions of developer fields, `file_id`,
 * and numbers that no profile has.
 */
const GLOBALS = [18, 19, 20, 20, 20, 34, 21, 12, 206, 207, 0, 4_000, 0xff00, 0xfffe] as const;

/**
 * Returns a recording of random definitions and messages, all within the specification: any field,
 * size and byte order, local types defined again, fields of no bytes, messages of 60 KB.
 */
function oddRecording(random: Random): Uint8Array {
  const parts: Buffer[] = [fileId(random)];
  const sizes = new Map<number, number>([[0, 1]]);
  const count = random.integer(1, 60);
  for (let i = 0; i < count; i++) {
    const local = random.integer(0, LOCALS - 1);
    const size = sizes.get(local);
    if (size === undefined || random.chance(0.15)) {
      const defined = anyDefinition(random, local);
      parts.push(defined.bytes);
      sizes.set(local, defined.size);
      continue;
    }
    const isCompressed = local < 4 && random.chance(0.2);
    const header = isCompressed ? 0x80 | (local << 5) | random.integer(0, 31) : local;
    parts.push(Buffer.from([header]), randomBytes(random, size));
  }
  const header = Buffer.from([random.pick([12, 14]), 0x20, 0x54, 8, 0, 0, 0, 0, ...FIT, 0, 0]);
  return sealed(Buffer.concat([header.subarray(0, header[0]), ...parts, Buffer.alloc(2)]));
}

const FIT = Buffer.from('.FIT');

function fileId(random: Random): Buffer {
  const type = random.pick([4, 4, 4, 4, 2, 6, 255]);
  return Buffer.from([0x40, 0, 0, 0, 0, 1, 0, 1, 0, 0, type]);
}

/** The base types of the specification. */
const TYPES = [0, 1, 2, 7, 10, 13, 0x83, 0x84, 0x85, 0x86, 0x88, 0x89, 0x8b, 0x8c, 0x8e] as const;

/**
 * Fields of a definition have numbers below this. It is the number of the time stamp: with that in the
 * message, a compressed header is ambiguous.
 */
const FIELD_NUMBERS = 253;

function anyDefinition(random: Random, local: number): { bytes: Buffer; size: number } {
  const isBig = random.chance(0.5);
  const global = random.pick(GLOBALS);
  const numbers = new Set<number>();
  // Rarely, as many and as long fields as a definition can have.
  const most = random.chance(0.03) ? FIELD_NUMBERS : 12;
  const longest = random.chance(0.1) ? 255 : 8;
  const count = random.integer(0, most);
  while (numbers.size < count) numbers.add(random.integer(0, FIELD_NUMBERS - 1));
  const fields = [...numbers].map((number) => [
    number,
    random.chance(0.7) ? random.pick([1, 2, 4]) : random.integer(0, longest),
    random.pick(TYPES),
  ]);
  const hasDeveloper = random.chance(0.2);
  const developer = Array.from({ length: hasDeveloper ? random.integer(0, 5) : 0 }, (_, i) => [
    i,
    random.integer(0, longest),
    0,
  ]);
  const number = [global & 255, global >> 8];
  const bytes = Buffer.from([
    0x40 | (hasDeveloper ? 0x20 : 0) | local,
    0,
    isBig ? 1 : 0,
    ...(isBig ? number.reverse() : number),
    fields.length,
    ...fields.flat(),
    ...(hasDeveloper ? [developer.length, ...developer.flat()] : []),
  ]);
  return { bytes, size: [...fields, ...developer].reduce((sum, [, size = 0]) => sum + size, 0) };
}

export function randomBytes(random: Random, count: number): Buffer {
  const bytes = Buffer.alloc(count + 4);
  for (let at = 0; at < count; at += 4) bytes.writeUInt32LE(random.uint32(), at);
  return bytes.subarray(0, count);
}
