import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { Random } from '../../src/seed/random.ts';
import { plainRecording, randomBytes } from './fit-shapes.ts';
import { mutateBytes, mutateFit } from './mutate.ts';

/** Returns a zip archive of recordings, and of what lies beside them in exports. */
export function anyArchive(random: Random, depth = 1): Buffer {
  const count = random.integer(0, 6);
  return writeZip(
    random,
    Array.from({ length: count }, (_, i) => anyMember(random, i, depth)),
  );
}

interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function anyMember(random: Random, i: number, depth: number): Member {
  const folder = random.pick(['', '', 'activities/', 'a/b/c/', '../../', 'Ünï/', 'with space/']);
  const [name, bytes] = anyFile(random, i, depth);
  return { name: folder + name, bytes };
}

function anyFile(random: Random, i: number, depth: number): [name: string, bytes: Uint8Array] {
  const whole = plainRecording(random);
  const roll = random.unit();
  if (roll < 0.4) return [`${i}.${random.pick(['fit', 'FIT', 'Fit'])}`, whole];
  if (roll < 0.6) return [`${i}.fit.gz`, gzip(random, whole)];
  if (roll < 0.7) return [`${i}.fit`, mutateFit(random, whole).bytes];
  if (roll < 0.75) return [`${i}.fit.gz`, mutateBytes(random, gzipSync(whole)).bytes];
  if (roll < 0.8) return [`${i}.fit`, gzipSync(whole)];
  if (roll < 0.85) return [`${i}.gpx`, Buffer.from('<gpx/>')];
  if (roll < 0.9) return [random.pick(['._1.fit', '__MACOSX/1.fit', '.fit', 'x.fit/']), whole];
  if (depth > 2) return [`${i}.zip`, randomBytes(random, random.integer(0, 200))];
  const inner = anyArchive(random, depth + 1);
  return [`${i}.zip`, random.chance(0.3) ? mutateBytes(random, inner).bytes : inner];
}

/** Compresses as several programs do: with a name in the header, at any level. */
export function gzip(random: Random, bytes: Uint8Array): Buffer {
  const packed = gzipSync(bytes, { level: random.integer(0, 9) });
  if (random.chance(0.5)) return packed;
  const header = Buffer.from(packed.subarray(0, 10));
  header[3] = 8;
  return Buffer.concat([header, Buffer.from('ride.fit\0'), packed.subarray(10)]);
}

/** Writes members packed or not, with sizes before or after the data, extra fields and comments. */
function writeZip(random: Random, members: readonly Member[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of members) {
    const isStored = random.chance(0.3);
    const packed = isStored ? Buffer.from(bytes) : deflateRawSync(bytes);
    const hasDescriptor = random.chance(0.3);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((hasDescriptor ? 8 : 0) | (random.chance(0.7) ? 0x800 : 0), 2);
    fields.writeUInt16LE(isStored ? 0 : 8, 4);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(bytes), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(bytes.length, 8);
    const nameBytes = Buffer.from(name);
    fields.writeUInt16LE(nameBytes.length, 22);
    const central = Buffer.from(fields);
    sizes.copy(central, 10);
    if (!hasDescriptor) sizes.copy(fields, 10);
    const extra = random.chance(0.3) ? TIMES : Buffer.alloc(0);
    fields.writeUInt16LE(extra.length, 24);
    const descriptor = hasDescriptor ? [latin1('PK\x07\x08'), sizes] : [];
    const local = Buffer.concat([
      latin1('PK\x03\x04'),
      fields,
      nameBytes,
      extra,
      packed,
      ...descriptor,
    ]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([latin1('PK\x01\x02\x14\0'), central, place, nameBytes]));
    locals.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const comment = latin1(random.chance(0.2) ? 'exported on a Sunday' : '');
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, ...directory, latin1('PK\x05\x06'), end, comment]);
}

/** An extra field with the time of the last change (Info-ZIP, 0x5455). */
const TIMES = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]);

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
