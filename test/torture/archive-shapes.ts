import { gzipSync } from 'node:zlib';
import type { Random } from '../../src/seed/random.ts';
import { type ZipMember, makeZip } from '../support/zip-maker.ts';
import { plainRecording, randomBytes } from './fit-shapes.ts';
import { mutateBytes, mutateFit } from './mutate.ts';

/** Returns a zip archive of recordings, and of what lies beside them in exports. */
export function anyArchive(random: Random, depth = 1): Buffer {
  const members = Array.from({ length: random.integer(0, 6) }, (_, i) =>
    anyMember(random, i, depth),
  );
  return makeZip(members, random.chance(0.2) ? 'exported on a Sunday' : '');
}

/** Returns a member, packed or not, with sizes before or after the data, with or without an extra field. */
function anyMember(random: Random, i: number, depth: number): ZipMember {
  const folder = random.pick(['', '', 'activities/', 'a/b/c/', '../../', 'Ünï/', 'with space/']);
  const [name, bytes] = anyFile(random, i, depth);
  return {
    name: random.chance(0.7) ? folder + name : Buffer.from(folder + name),
    bytes,
    stored: random.chance(0.3),
    descriptor: random.chance(0.3),
    ...(random.chance(0.3) ? { extra: TIMES } : {}),
  };
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

/** An extra field with the time of the last change (Info-ZIP, 0x5455). */
const TIMES = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]);
