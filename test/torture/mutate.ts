import type { Random } from '../../src/seed/random.ts';
import { sealed, walkFit } from './fit-walker.ts';
import { randomBytes } from './fit-shapes.ts';

type Mutation = (random: Random, bytes: Buffer) => Uint8Array;

/** Mutations of any file: as a bad disk, a cut copy or a bad cable makes them. */
const OF_BYTES: Readonly<Record<string, Mutation>> = {
  bits(random, bytes) {
    for (let left = random.integer(1, 8); left > 0; left--)
      flip(random, bytes, offset(random, bytes));
    return bytes;
  },
  overwrite(random, bytes) {
    bytes[offset(random, bytes)] = random.pick([0, 1, 0x7f, 0x80, 0xfe, 0xff]);
    return bytes;
  },
  cut: (random, bytes) => bytes.subarray(0, offset(random, bytes)),
  'cut few': (random, bytes) =>
    bytes.subarray(0, Math.max(0, bytes.length - random.integer(1, 20))),
  insert(random, bytes) {
    const at = offset(random, bytes);
    const added = randomBytes(random, random.integer(1, 40));
    return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]);
  },
  remove(random, bytes) {
    const [from, to] = block(random, bytes);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  double(random, bytes) {
    const [from, to] = block(random, bytes);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  move(random, bytes) {
    const [from, to] = block(random, bytes);
    bytes.copy(bytes, offset(random, bytes), from, to);
    return bytes;
  },
  zeroes(random, bytes) {
    const [from, to] = block(random, bytes);
    return bytes.fill(0, from, to);
  },
  'zero tail': (random, bytes) => bytes.fill(0, offset(random, bytes)),
  append: (random, bytes) =>
    Buffer.concat([
      bytes,
      random.chance(0.5)
        ? Buffer.alloc(random.integer(1, 600))
        : randomBytes(random, random.integer(1, 30)),
    ]),
};

/** Mutations that know where a FIT file has its header, its definitions and its messages. */
const OF_FIT: Readonly<Record<string, Mutation>> = {
  header(random, bytes) {
    const at = random.integer(0, 13);
    bytes[at] = random.integer(0, 255);
    return bytes;
  },
  'data size'(random, bytes) {
    if (bytes.length < 8) return bytes;
    const stated = bytes.readUInt32LE(4);
    const sizes = [
      0,
      0xffffffff,
      0x7fffffff,
      stated - 1,
      stated + 1,
      stated + random.integer(-50, 50),
    ];
    bytes.writeUInt32LE((sizes[random.integer(0, sizes.length - 1)] ?? 0) >>> 0, 4);
    return bytes;
  },
  definition(random, bytes) {
    // Reserved byte, byte order, global number, number of fields, then fields of three bytes.
    const at = place(random, walkFit(bytes).definitionsAt);
    if (at !== undefined) bytes[at + random.integer(1, 14)] = random.pick([0, 1, 4, 253, 254, 255]);
    return bytes;
  },
  'record header'(random, bytes) {
    const { definitionsAt, dataAt } = walkFit(bytes);
    const at = place(random, [...definitionsAt, ...dataAt]);
    if (at !== undefined) flip(random, bytes, at);
    return bytes;
  },
  'compressed time'(random, bytes) {
    const at = place(random, walkFit(bytes).dataAt);
    if (at !== undefined) bytes[at] = 0x80 | (((bytes[at] ?? 0) & 3) << 5) | random.integer(0, 31);
    return bytes;
  },
  'double record'(random, bytes) {
    const { dataAt } = walkFit(bytes);
    const from = place(random, dataAt.slice(0, -1));
    const to = dataAt[dataAt.indexOf(from ?? -1) + 1];
    if (from === undefined || to === undefined) return bytes;
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  chain: (random, bytes) =>
    Buffer.concat([
      bytes,
      bytes.subarray(0, random.chance(0.5) ? bytes.length : offset(random, bytes)),
    ]),
};

const BYTE_MUTATIONS = Object.entries(OF_BYTES);
const FIT_MUTATIONS = [...BYTE_MUTATIONS, ...Object.entries(OF_FIT), ...Object.entries(OF_FIT)];

export interface Mutant {
  readonly bytes: Uint8Array;
  /** The mutations, in their order. */
  readonly how: string;
}

/** Mutates a FIT file once or more. Half of the mutants get the size and CRC that fit them. */
export function mutateFit(random: Random, whole: Uint8Array): Mutant {
  const mutant = mutate(random, whole, FIT_MUTATIONS);
  if (!random.chance(0.5)) return mutant;
  return { bytes: sealed(mutant.bytes), how: `${mutant.how}, sealed` };
}

/** Mutates any file once or more. */
export function mutateBytes(random: Random, whole: Uint8Array): Mutant {
  return mutate(random, whole, BYTE_MUTATIONS);
}

function mutate(
  random: Random,
  whole: Uint8Array,
  mutations: readonly (readonly [string, Mutation])[],
): Mutant {
  let bytes: Uint8Array = whole;
  const how: string[] = [];
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) {
    const [name, mutation] = mutations[random.integer(0, mutations.length - 1)] ?? [
      'bits',
      OF_BYTES['bits'],
    ];
    if (mutation === undefined || bytes.length === 0) continue;
    bytes = mutation(random, Buffer.from(bytes));
    how.push(name);
  }
  return { bytes, how: how.join(', ') };
}

function offset(random: Random, bytes: Uint8Array): number {
  return random.integer(0, bytes.length - 1);
}

/** Returns the ends of a block: usually short, rarely a large part of the file. */
function block(random: Random, bytes: Uint8Array): readonly [from: number, to: number] {
  const from = offset(random, bytes);
  const length = random.chance(0.8) ? random.integer(1, 64) : random.integer(1, bytes.length);
  return [from, Math.min(bytes.length, from + length)];
}

function flip(random: Random, bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
}

function place(random: Random, offsets: readonly number[]): number | undefined {
  return offsets[random.integer(0, offsets.length - 1)];
}
