import { open, stat } from 'node:fs/promises';
import { ArchiveShare, UNPACK_LIMITS, type UnpackLimits } from './budget.ts';
import { ArchiveFault, type ArchiveReason, faultOf } from './fault.ts';
import { spool } from './spool.ts';
import { isZipName } from './zip-name.ts';
import { Zip, type ZipEntry, isZipStart } from './zip.ts';

export interface Member {
  /** Path in reports: the archive's path, then the member's (`rides.zip/activities/1.fit.gz`). */
  readonly path: string;
  /** The same with the archive's absolute path: identifies the member over all runs. */
  readonly origin: string;
  /** Packed and unpacked size, as the archive states them (bytes). */
  readonly packed: number;
  readonly size: number;
  /**
   * Reads the member from its start. Read one at a time; a member may be read again later.
   *
   * @throws ArchiveFault if it cannot be unpacked or is damaged; the signal's reason if it is aborted
   */
  read(): AsyncGenerator<Buffer, void, undefined>;
}

/** A file that cannot be read, or an archive or the rest of one. */
export interface UnreadableFile {
  readonly path: string;
  /** Why, as one or two sentences. */
  readonly problem: string;
  readonly reason: ArchiveReason;
}

interface ArchivePlace {
  readonly path: string;
  readonly origin: string;
  /** 1 for an archive on the disk. */
  readonly depth: number;
  readonly share: ArchiveShare;
  readonly inside?: { readonly outer: ArchivePlace; readonly entry: ZipEntry };
  /** Stamp of an archive on the disk when it was first opened. */
  readonly stamp?: string;
}

type OpenArchive = Awaited<ReturnType<typeof openFile>>;

/**
 * Reads zip archives, and the archives inside them. Keeps one archive of each depth open; an inner
 * archive is unpacked to a temporary file while it is read.
 */
export class Archives {
  readonly #signal: AbortSignal;
  readonly #tempFolder: string;
  readonly #limits: UnpackLimits;
  /** The open archives: each lies in the one before it. */
  readonly #open: OpenArchive[] = [];

  /** @param tempFolder holds the temporary files */
  constructor(signal: AbortSignal, tempFolder: string, limits: UnpackLimits = UNPACK_LIMITS) {
    this.#signal = signal;
    this.#tempFolder = tempFolder;
    this.#limits = limits;
  }

  /**
   * Yields the members of an archive on the disk and of the archives inside it, in their order. An
   * unreadable inner archive does not affect the others.
   *
   * @param path in reports
   * @throws the signal's reason if it is aborted
   */
  async *members(
    path: string,
    absolute: string,
  ): AsyncGenerator<Member | UnreadableFile, void, undefined> {
    let place: ArchivePlace;
    try {
      const { size, mtimeMs } = await stat(absolute);
      const share = new ArchiveShare(this.#limits, size);
      place = { path, origin: absolute, depth: 1, share, stamp: `${size} ${mtimeMs}` };
    } catch (error) {
      yield unreadable(path, error);
      return;
    }
    yield* this.#membersOf(place);
  }

  async close(): Promise<void> {
    await this.#closeFrom(0);
  }

  async *#membersOf(place: ArchivePlace): AsyncGenerator<Member | UnreadableFile, void, undefined> {
    try {
      const { zip } = await this.#opened(place);
      for await (const entry of zip.entries()) {
        this.#signal.throwIfAborted();
        place.share.addMember();
        if (isZipName(entry.name)) yield* this.#membersOf(placeInside(place, entry));
        else yield this.#member(place, entry);
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      if (place.inside !== undefined && place.share.isSpent) throw error;
      yield unreadable(place.path, error);
    }
  }

  #member(place: ArchivePlace, entry: ZipEntry): Member {
    return {
      path: `${place.path}/${entry.name}`,
      origin: `${place.origin}/${entry.name}`,
      packed: entry.packed,
      size: entry.size,
      read: () => this.#read(place, entry),
    };
  }

  async *#read(place: ArchivePlace, entry: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
    const { zip } = await this.#opened(place).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw faultOf(error);
    });
    yield* zip.read(entry, place.share, this.#signal);
  }

  /** Returns the archive at a place, after opening it and the archives that it lies in. */
  async #opened(place: ArchivePlace): Promise<OpenArchive> {
    const at = place.depth - 1;
    const there = this.#open[at];
    if (there?.place === place) return there;
    const outer = place.inside === undefined ? undefined : await this.#opened(place.inside.outer);
    await this.#closeFrom(at);
    const opened =
      outer === undefined || place.inside === undefined
        ? await openFile(place)
        : await this.#openInner(place, place.inside.entry, outer.zip);
    this.#open[at] = opened;
    return opened;
  }

  async #openInner(place: ArchivePlace, entry: ZipEntry, outer: Zip): Promise<OpenArchive> {
    place.share.addInner(place.depth, entry.packed, entry.size);
    const chunks = outer.read(entry, place.share, this.#signal);
    const file = await spool(this.#tempFolder, entry.size, chunks);
    try {
      const zip = await Zip.open(file.handle, file.size);
      const close = async () => {
        await zip.close();
        await file.close();
      };
      return { place, zip, close };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #closeFrom(at: number): Promise<void> {
    for (const { close } of this.#open.splice(at).reverse()) await close();
  }
}

/** Returns whether a file on the disk begins as a zip archive does; false if it cannot be read. */
export async function isZipFile(path: string): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined);
  try {
    const first = Buffer.alloc(4);
    await handle?.read(first, 0, first.length, 0);
    return isZipStart(first);
  } finally {
    await handle?.close();
  }
}

function placeInside(outer: ArchivePlace, entry: ZipEntry): ArchivePlace {
  return {
    path: `${outer.path}/${entry.name}`,
    origin: `${outer.origin}/${entry.name}`,
    depth: outer.depth + 1,
    share: outer.share,
    inside: { outer, entry },
  };
}

async function openFile(place: ArchivePlace) {
  const handle = await open(place.origin, 'r');
  try {
    const { size, mtimeMs } = await handle.stat();
    if (`${size} ${mtimeMs}` !== place.stamp) {
      throw new ArchiveFault(
        'incomplete',
        'It changed while it was read: it is still being written.',
      );
    }
    const zip = await Zip.open(handle, size);
    return { place, zip, close: () => zip.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function unreadable(path: string, error: unknown): UnreadableFile {
  const { message, reason } = faultOf(error);
  return { path, problem: message, reason };
}
