import type { FileHandle } from 'node:fs/promises';
import {
  Entry,
  getFileNameLowLevel,
  type ZipFile,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
} from 'yauzl';
import { through } from '../base/chunks.ts';
import { printable } from '../base/printable.ts';
import { loadZlib } from '../system/this-process.ts';
import type { ArchiveShare } from './budget.ts';
import { ArchiveFault, damaged, faultOf } from './fault.ts';

/** The entry of a member in an archive's directory, with the fields that a read needs. */
export type ZipEntry = Readonly<ReturnType<typeof entryOf>>;

const READ_BYTES = 64 * 1024;
const STORED = 0;
const DEFLATED = 8;
/** Names of the other methods (APPNOTE 4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
};

/** An open zip archive. yauzl reads its directory; the members are read by their offsets. */
export class Zip {
  readonly #handle: FileHandle;
  readonly #size: number;
  readonly #zip: ZipFile;

  private constructor(handle: FileHandle, size: number, zip: ZipFile) {
    this.#handle = handle;
    this.#size = size;
    this.#zip = zip;
  }

  /**
   * Opens an archive of `size` bytes. `close` closes the file, too.
   *
   * @throws ArchiveFault if it is no zip archive, or its end is missing
   */
  static async open(handle: FileHandle, size: number): Promise<Zip> {
    const first = Buffer.alloc(4);
    try {
      await handle.read(first, 0, 4, 0);
      if (!isZipStart(first)) {
        throw new ArchiveFault(
          'unreadable',
          'It is not a zip archive, despite its name. Download or copy it again.',
        );
      }
      const zip = await fromRandomAccessReaderPromise(new HandleReader(handle), size, {
        // The names are only shown: an odd one does not make the archive unreadable.
        decodeStrings: false,
        validateEntrySizes: false,
        autoClose: false,
      });
      return new Zip(handle, size, zip);
    } catch (error) {
      throw faultOf(error);
    }
  }

  /**
   * Yields the members in the order of the directory, without folders and litter.
   *
   * @throws ArchiveFault if the directory is damaged, or the members overlap
   */
  async *entries(): AsyncGenerator<ZipEntry, void, undefined> {
    let packed = 0;
    const entries = this.#zip.eachEntry();
    for (;;) {
      const next = await entries.next().catch((error: unknown) => {
        throw faultOf(error);
      });
      if (next.done === true) return;
      const entry = next.value;
      packed += entry.compressedSize;
      if (packed > this.#size) {
        throw new ArchiveFault(
          'unreadable',
          'Its members overlap, as in a zip bomb: no more of it is read.',
        );
      }
      const name = memberName(entry);
      if (name !== undefined) yield entryOf(entry, name);
    }
  }

  /**
   * Yields the unpacked bytes of a member, and checks its size and CRC at the end.
   *
   * @throws ArchiveFault if it cannot be unpacked or is damaged; the signal's reason if it is aborted
   */
  async *read(
    entry: ZipEntry,
    share: ArchiveShare,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    const { crc32 } = loadZlib();
    let size = 0;
    let crc = 0;
    try {
      for await (const chunk of this.#unpacked(entry)) {
        signal.throwIfAborted();
        size += chunk.length;
        share.addBytes(chunk.length);
        if (size > entry.size) throw damaged('a member is longer than stated');
        crc = crc32(chunk, crc);
        yield chunk;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error);
    }
    if (size !== entry.size) throw damaged('a member is shorter than stated');
    if (crc !== entry.crc) throw damaged('a member does not match its checksum');
  }

  async close(): Promise<void> {
    this.#zip.close();
    await this.#handle.close();
  }

  #unpacked({ method, offset, packed }: ZipEntry): AsyncGenerator<Buffer, void, undefined> {
    if (method === 'encrypted') {
      throw new ArchiveFault('unreadable', 'It is encrypted. Unpack it with its password first.');
    }
    if (method !== STORED && method !== DEFLATED) {
      const name = METHODS[method] ?? `method ${method}`;
      throw new ArchiveFault(
        'unreadable',
        `It is packed with ${name}, which sync cannot unpack. Unpack the archive first.`,
      );
    }
    const raw = this.#packedBytes(offset, packed);
    if (method === STORED) return raw;
    return through(raw, loadZlib().createInflateRaw({ chunkSize: READ_BYTES }));
  }

  async *#packedBytes(offset: number, packed: number): AsyncGenerator<Buffer, void, undefined> {
    const header = Object.assign(new Entry(), {
      relativeOffsetOfLocalHeader: offset,
      compressedSize: packed,
    });
    const { fileDataStart } = await this.#zip.readLocalFileHeaderPromise(header, { minimal: true });
    for (let at = 0; at < packed;) {
      const wanted = Math.min(READ_BYTES, packed - at);
      const { buffer, bytesRead } = await this.#handle.read(
        Buffer.allocUnsafeSlow(wanted),
        0,
        wanted,
        fileDataStart + at,
      );
      if (bytesRead === 0) throw new Error('unexpected EOF');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** Returns whether a file with these first bytes is a zip archive; an empty one has no member first. */
export function isZipStart(first: Uint8Array): boolean {
  const start = Buffer.from(first.subarray(0, 4)).toString('latin1');
  return start === 'PK\u0003\u0004' || start === 'PK\u0005\u0006';
}

function entryOf(entry: Entry, name: string) {
  const method: number | 'encrypted' = entry.isEncrypted() ? 'encrypted' : entry.compressionMethod;
  return {
    name,
    /** Packed and unpacked size, as the directory states them (bytes). */
    packed: entry.compressedSize,
    size: entry.uncompressedSize,
    crc: entry.crc32,
    /** Offset of the local header (bytes). */
    offset: entry.relativeOffsetOfLocalHeader,
    /** The compression method (APPNOTE 4.4.5), or `encrypted`. */
    method,
  };
}

/** Longest shown name of a member (characters); the end of a longer one is kept. */
const MAX_NAME = 300;

/** Members that an operating system adds: resource forks, folder settings, thumbnails. */
const LITTER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._|Thumbs\.db$|desktop\.ini$)/i;

/**
 * Returns the name of a member for reports, with `/` between its parts; undefined for a folder or
 * an operating system's own file. Never use it as a path on the disk.
 */
function memberName(entry: Entry): string | undefined {
  const name = decoded(entry);
  if (name.endsWith('/') || LITTER.test(name)) return undefined;
  const clean = name
    .split('/')
    .map((part) => printable(part).trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  return clean === '' ? '(no name)' : clean.slice(-MAX_NAME);
}

/** Decodes a name: by the archive's flag, else as UTF-8 if it is valid UTF-8, else as CP437. */
function decoded({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const UTF8_FLAG = 0x800;
  const text = fileNameRaw.toString('utf8');
  const flag = Buffer.from(text).equals(fileNameRaw) ? UTF8_FLAG : 0;
  return getFileNameLowLevel(generalPurposeBitFlag | flag, fileNameRaw, extraFields, false);
}

/** Bytes of the directory that are read at once: yauzl asks twice for each member. */
const BLOCK_BYTES = 64 * 1024;

/** Reads the directory for yauzl. The file stays open until {@link Zip.close}. */
class HandleReader extends RandomAccessReader {
  readonly #handle: FileHandle;
  /** The block that was read last, and its position. */
  #block = Buffer.alloc(0);
  #blockAt = 0;

  constructor(handle: FileHandle) {
    super();
    this.#handle = handle;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const at = position - this.#blockAt;
    if (at >= 0 && at + length <= this.#block.length) {
      this.#block.copy(buffer, offset, at, at + length);
      queueMicrotask(() => callback(null, length));
      return;
    }
    const block = Buffer.allocUnsafe(Math.max(length, BLOCK_BYTES));
    this.#handle.read(block, 0, block.length, position).then(({ bytesRead }) => {
      this.#block = block.subarray(0, bytesRead);
      this.#blockAt = position;
      callback(null, this.#block.copy(buffer, offset, 0, length));
    }, callback);
  }
}
