import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemCode } from '../base/errors.ts';
import { ArchiveFault } from './fault.ts';

/**
 * Writes bytes to a temporary file of this user alone, and removes its name at once: the system frees it at
 * the latest when this process ends.
 *
 * @param folder the system's folder for temporary files
 * @param size the expected size (bytes)
 * @throws ArchiveFault `no-room` if the disk is full; the errors of `chunks`
 */
export async function spool(folder: string, size: number, chunks: AsyncIterable<Uint8Array>) {
  const path = join(folder, `sync-unpack-${randomBytes(8).toString('hex')}.tmp`);
  const { O_CREAT, O_EXCL, O_RDWR } = constants;
  // Undefined on Windows.
  const noFollow = (constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;
  let handle: FileHandle | undefined;
  let named = true;
  const close = async () => {
    await handle?.close();
    // Windows may keep the name of an open file.
    if (named) await rm(path, { force: true });
    named = false;
  };
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < size) throw noRoom(folder, size);
    handle = await open(path, O_RDWR | O_CREAT | O_EXCL | noFollow, 0o600);
    await rm(path).then(
      () => (named = false),
      () => undefined,
    );
    let at = 0;
    for await (const chunk of chunks) {
      for (let from = 0; from < chunk.length;) {
        const { bytesWritten } = await handle.write(chunk, from, chunk.length - from, at);
        from += bytesWritten;
        at += bytesWritten;
      }
    }
    return { handle, size: at, close };
  } catch (error) {
    await close();
    switch (systemCode(error)) {
      case undefined:
        throw error;
      case 'ENOSPC':
      case 'EDQUOT':
        throw noRoom(folder, size);
      default:
        throw new ArchiveFault(
          'no-room',
          `It cannot be unpacked in ${folder}: ${messageOf(error)}. Name another folder with TMPDIR.`,
          error,
        );
    }
  }
}

function noRoom(folder: string, size: number): ArchiveFault {
  const megabytes = Math.ceil(size / 1e6).toLocaleString('en-US');
  return new ArchiveFault(
    'no-room',
    `It needs ${megabytes} MB in ${folder} to be unpacked, and the disk has less. Free some space, or name another folder with TMPDIR.`,
  );
}
