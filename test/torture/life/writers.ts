import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { systemCode } from '../../../src/base/errors.ts';
import { isTrackName } from '../../../src/inputs/recording-names.ts';
import type { Random } from '../../../src/seed/random.ts';
import type { TrackKind } from '../../../src/tracks/kind.ts';
import { sha256 } from '../../support/acceptance.ts';
import { appleDoubleStub, makeRecording, truncated, unfinished } from '../../support/fit-maker.ts';
import { anyPath, hiddenPath, latin1Name } from './names.ts';
import { DUE_MS, type Shelf } from './shelf.ts';
import { NO_TRACKS, makeTracks } from './tracks.ts';

/** Recordings that a patient writer lets lie at once. */
const AT_ONCE = 5;

/** What was made for a session, by hash. */
export interface Made {
  /** All that may arrive: of GPX and TCX, each activity as it is converted. */
  readonly recordings: Map<string, Uint8Array>;
  /** Hashes of the recordings in each file, by that of the file. */
  readonly files: Map<string, readonly string[]>;
  /** Hashes of the device's recordings, by those of conversions of the same ride. */
  readonly covering: Map<string, string>;
}

/** One that writes, moves and deletes recordings in watched folders. */
export class Writer {
  readonly #random: Random;
  readonly #shelves: readonly [Shelf, ...Shelf[]];
  /** A folder beside the watched ones, on the same disk. */
  readonly #outside: string;
  readonly #made: Made;
  readonly #id: string;
  readonly #note: (text: string) => void;
  #count = 0;

  constructor(
    random: Random,
    id: string,
    shelves: readonly [Shelf, ...Shelf[]],
    outside: string,
    made: Made,
    note: (text: string) => void,
  ) {
    this.#random = random;
    this.#shelves = shelves;
    this.#outside = outside;
    this.#made = made;
    this.#id = id;
    this.#note = note;
  }

  /** Writes this many recordings, one after another; each has a life of its own. */
  async write(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await sleep(this.#random.integer(0, 3_000));
      await this.#attempt(() => this.#oneLife());
    }
  }

  /** Lets several recordings lie until they are due, and then overwrites, moves out or deletes them. */
  async writePatiently(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const ends: (() => unknown)[] = [];
      for (let each = 0; each < AT_ONCE; each++) {
        await this.#attempt(async () => ends.push(await this.#createForLong()));
      }
      await sleep(DUE_MS + 1_000);
      for (const end of ends) await this.#attempt(end);
    }
  }

  /** @returns what ends the recording */
  async #createForLong(): Promise<() => unknown> {
    const random = this.#random;
    const [shelf, path] = this.#place();
    if (random.chance(0.3)) {
      const size = this.#writeAlike(shelf, path);
      return () => this.#writeAlike(shelf, path, size);
    }
    await this.#create(shelf, path);
    return () => this.#after(shelf, path, random.pick(ENDS));
  }

  /** Writes many recordings at once. */
  async writeMany(count: number): Promise<void> {
    const tracks: Uint8Array[] = [];
    while (tracks.length < count / 4) tracks.push((await this.#tracks('tcx')).bytes);
    await this.#attempt(() => {
      const shelf = this.#random.pick(this.#shelves);
      const paths: string[] = [];
      for (let i = 0; i < count; i++) {
        const path = join(shelf.dir, `many ${this.#id}`, `${i % 7}`, `${i}.fit`);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, this.#recording(5));
        paths.push(path);
      }
      shelf.arrivedAtOnce(paths);
      for (const [i, bytes] of tracks.entries()) {
        const path = join(shelf.dir, `many ${this.#id}`, `${i}.tcx`);
        writeFileSync(path, bytes);
        shelf.arrived(path);
      }
    });
  }

  /** Writes what must not be sent: another kind of file, or one in a hidden place. */
  async writeOthers(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await sleep(this.#random.integer(0, 2_000));
      await this.#attempt(() => this.#other(this.#random.pick(this.#shelves).dir));
    }
  }

  async #oneLife(): Promise<void> {
    const [shelf, path] = this.#place();
    await this.#create(shelf, path);
    await sleep(this.#random.integer(0, 4_000));
    const what = this.#random.pick(LATER);
    await this.#after(shelf, path, what === 'append' && isTrackName(path) ? 'move' : what);
  }

  /** Others may move or unmount the folder meanwhile. */
  async #attempt(task: () => unknown): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#note(`${this.#id}: ${String(error)}`);
    }
  }

  /** @param end of the name */
  #place(end?: string): [shelf: Shelf, path: string] {
    const shelf = this.#random.pick(this.#shelves);
    const path = join(shelf.dir, anyPath(this.#random, `${this.#id}-${this.#count++}`, end));
    mkdirSync(dirname(path), { recursive: true });
    return [shelf, path];
  }

  /** Makes a recording that is like no other, and whose arrival is counted. */
  #recording(durationSecs = this.#random.integer(5, 120)): Uint8Array {
    return this.#counted(this.#uncounted(durationSecs));
  }

  #counted(bytes: Uint8Array): Uint8Array {
    const hash = sha256(bytes);
    this.#made.recordings.set(hash, bytes);
    this.#made.files.set(hash, [hash]);
    return bytes;
  }

  /** Makes a GPX or TCX file whose recordings are counted. */
  async #tracks(kind: TrackKind) {
    const made = await makeTracks(this.#random, kind);
    const hashes = made.recordings.map((recording) => {
      this.#made.recordings.set(sha256(recording), recording);
      return sha256(recording);
    });
    this.#made.files.set(sha256(made.bytes), hashes);
    this.#note(`${this.#id}: ${sha256(made.bytes)} holds ${hashes.join()}`);
    return { ...made, hashes };
  }

  #uncounted(durationSecs: number, type = 4, sizeBytes?: number): Uint8Array {
    const random = this.#random;
    return makeRecording({
      seed: random.uint32(),
      durationSecs,
      type,
      startTime: new Date(Date.UTC(2026, 0, 1) + random.integer(0, 300 * 86_400) * 1000),
      bigEndian: random.chance(0.2),
      headerSize: random.pick([12, 14]),
      compressedTimestamps: random.chance(0.2),
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
    });
  }

  /** Writes what the name says. Beside a GPX or TCX file, the device's recording of its ride may appear. */
  async #create(shelf: Shelf, path: string): Promise<void> {
    const [, kind] = /\.(gpx|tcx)$/.exec(path) ?? [];
    if (kind !== 'gpx' && kind !== 'tcx') {
      await this.#write(shelf, path, this.#recording());
      return;
    }
    const random = this.#random;
    const { bytes, hashes, ofDevice } = await this.#tracks(kind);
    const files: [path: string, bytes: Uint8Array][] = [[path, bytes]];
    if (random.chance(0.4)) {
      const recording = this.#counted(ofDevice());
      this.#made.covering.set(hashes[0] ?? '', sha256(recording));
      files.push([join(dirname(path), `${this.#id}-${this.#count++}.fit`), recording]);
      if (random.chance(0.5)) files.reverse();
    }
    for (const file of files) await this.#write(shelf, ...file);
  }

  /** Writes a file in one of many ways. */
  async #write(shelf: Shelf, path: string, bytes: Uint8Array): Promise<void> {
    const random = this.#random;
    const how = random.pick<(typeof FIT_WAYS)[number]>(isTrackName(path) ? WAYS : FIT_WAYS);
    this.#note(`${this.#id}: ${how} ${JSON.stringify(path)} ${sha256(bytes)}`);
    const temporary = join(this.#outside, `${this.#id}-${this.#count++}.fit`);
    const beside = join(dirname(path), `${this.#id}-${this.#count++}`);
    const inPieces = async (order?: Order) => await this.#inPieces(path, bytes, 'w', order);
    const ways: Readonly<Record<(typeof FIT_WAYS)[number], () => Promise<void> | void>> = {
      'at once': () => writeFileSync(path, bytes),
      forwards: () => inPieces(),
      backwards: () => inPieces((pieces) => pieces.reverse()),
      'header last': () => inPieces(([first, ...more]) => (first ? [...more, first] : more)),
      preallocated: async () => {
        writeFileSync(path, '');
        truncateSync(path, bytes.length);
        await this.#inPieces(path, bytes, 'r+');
      },
      'unfinished first': async () => {
        writeFileSync(path, unfinished(bytes));
        await sleep(random.integer(0, 3_000));
        await this.#inPieces(path, bytes, 'r+', (pieces) => pieces.reverse());
      },
      'renamed in': () => {
        writeFileSync(temporary, bytes);
        if (random.chance(0.3)) utimesSync(temporary, 1_600_000_000, 1_600_000_000);
        renameSync(temporary, path);
      },
      'renamed there': async () => {
        await this.#inPieces(`${beside}.part`, bytes);
        renameSync(`${beside}.part`, path);
      },
      copied: () => {
        writeFileSync(temporary, bytes);
        copyFileSync(temporary, path);
      },
      linked: () => {
        writeFileSync(temporary, bytes);
        rmSync(path, { force: true });
        linkSync(temporary, path);
      },
      packed: async () => {
        const packed = `${beside}${extname(path)}.gz`;
        await this.#inPieces(packed, gzipSync(bytes));
        shelf.arrived(packed);
      },
    };
    shelf.leaves(path);
    await ways[how]();
    shelf.arrived(path);
  }

  async #inPieces(
    path: string,
    bytes: Uint8Array,
    flags: 'w' | 'r+' = 'w',
    order: Order = (pieces) => pieces,
  ): Promise<void> {
    const size = Math.ceil(bytes.length / this.#random.integer(1, 8));
    const pieces: Piece[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      pieces.push({ at, bytes: bytes.subarray(at, at + size) });
    }
    const file = openSync(path, flags);
    try {
      for (const piece of order(pieces)) {
        writeSync(file, piece.bytes, 0, piece.bytes.length, piece.at);
        await sleep(this.#random.integer(0, 600));
      }
    } finally {
      closeSync(file);
    }
  }

  /** What happens to a recording later. */
  async #after(shelf: Shelf, path: string, what: (typeof LATER)[number]): Promise<void> {
    const random = this.#random;
    this.#note(`${this.#id}: ${what} ${JSON.stringify(path)}`);
    const elsewhere = (move: (to: string) => void) => {
      const [other, to] = this.#place(extname(path));
      move(to);
      other.arrived(to);
    };
    switch (what) {
      case 'nothing':
        return;
      case 'delete':
        shelf.leaves(path);
        rmSync(path, { force: true });
        return;
      case 'move':
        elsewhere((to) => {
          shelf.leaves(path);
          renameSync(path, to);
        });
        return;
      case 'move out':
        shelf.leaves(path);
        renameSync(path, join(this.#outside, `${this.#id}-${this.#count++}.fit`));
        return;
      case 'copy':
        elsewhere((to) => copyFileSync(path, to));
        return;
      case 'overwrite':
        await this.#create(shelf, path);
        return;
      case 'same size and time': {
        const size = this.#writeAlike(shelf, path);
        await sleep(random.integer(0, 5_000));
        this.#writeAlike(shelf, path, size);
        return;
      }
      case 'append': {
        // A segment more, as heart-rate downloads add it: another recording.
        const [first, second] = [this.#recording(), this.#recording()];
        this.#counted(Buffer.concat([first, second]));
        shelf.leaves(path);
        writeFileSync(path, first);
        shelf.arrived(path);
        await sleep(random.integer(0, 2_000));
        shelf.leaves(path);
        // Alone, or behind an earlier file of this name, if the folder was replaced meanwhile.
        writeFileSync(path, second, { flag: 'a' });
        this.#counted(readFileSync(path));
        shelf.arrived(path);
      }
    }
  }

  /** Writes a recording with the modification time of all others of its kind. @returns its size */
  #writeAlike(shelf: Shelf, path: string, size = this.#random.integer(2_000, 6_000)): number {
    const bytes = this.#counted(this.#uncounted(30, 4, size));
    this.#note(`${this.#id}: ${size} bytes to ${JSON.stringify(path)} ${sha256(bytes)}`);
    shelf.leaves(path);
    writeFileSync(path, bytes);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    shelf.arrived(path);
    return size;
  }

  #other(dir: string): void {
    const random = this.#random;
    const id = `${this.#id}-other-${this.#count++}`;
    const path = join(dir, anyPath(random, id));
    const hidden = join(dir, hiddenPath(random, id));
    for (const each of [path, hidden]) mkdirSync(dirname(each), { recursive: true });
    const ride = this.#uncounted(20);
    const outside = join(this.#outside, `${id}.fit`);
    random.pick<() => void>([
      () => writeFileSync(hidden, ride),
      () => {
        writeFileSync(outside, ride);
        symlinkSync(outside, path);
      },
      // Settings, a workout, a course: no activity.
      () => writeFileSync(path, this.#uncounted(5, random.pick([1, 2, 5, 6, 32]))),
      () => writeFileSync(path, truncated(ride, random.integer(1, ride.length))),
      () => writeFileSync(path, unfinished(ride, random.pick([0, 0xffffffff]))),
      () => writeFileSync(path, appleDoubleStub()),
      () => writeFileSync(path, ''),
      () => writeFileSync(path, Buffer.alloc(5_000)),
      () => writeFileSync(`${path.slice(0, 200)}.gpx`, random.pick(NO_TRACKS)),
      () => mkdirSync(path, { recursive: true }),
      () => spawnSync('mkfifo', ['--', path]),
      () => writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), latin1Name(id)]), ride),
    ])();
  }
}

interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}
type Order = (pieces: Piece[]) => Piece[];

const WAYS = [
  'at once',
  'forwards',
  'backwards',
  'header last',
  'renamed in',
  'renamed there',
  'copied',
  'linked',
  'packed',
] as const;
/** Over an earlier file, if its folder was replaced meanwhile: without a checksum, the mixture may be whole. */
const FIT_WAYS = [...WAYS, 'preallocated', 'unfinished first'] as const;

const LATER = [
  'nothing',
  'nothing',
  'nothing',
  'delete',
  'move',
  'move out',
  'copy',
  'overwrite',
  'same size and time',
  'append',
] as const;

/** Ways in which a recording ceases to exist in the watched folders. */
const ENDS = ['delete', 'delete', 'move out', 'overwrite'] as const;
