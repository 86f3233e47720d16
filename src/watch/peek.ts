import { closeSync, openSync, readSync } from 'node:fs';
import { systemCode } from '../base/errors.ts';
import { PEEK_BYTES, peekHeader } from '../fit/envelope.ts';
import { readFileId } from '../fit/summary.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import { describeFileError } from '../upload/find-files.ts';
import type { InvalidReason } from '../upload/report.ts';

/** What the first bytes of a file say. */
export type Peek =
  /** It may be whole: it has to be read. `recordedAt`: ms since the epoch, as far as is known. */
  | { readonly peek: 'possible'; readonly recordedAt: number }
  | { readonly peek: 'unwhole'; readonly reason: InvalidReason; readonly detail: string }
  | { readonly peek: 'gone' };

const first = Buffer.alloc(PEEK_BYTES);

/** Before 1990 there were no FIT files; ahead of time no device is by more than a zone. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const AHEAD_MS = 86_400_000;

/**
 * Looks at the beginning of a file: a recording that states more bytes than the file has is not
 * read again and again while it grows. A gzip file says nothing before it is unpacked.
 */
export function peekAt(path: string, stamp: FileStamp, now: number): Peek {
  const recordedAt = stamp.mtimeMs;
  if (/\.gz$/i.test(path)) return { peek: 'possible', recordedAt };
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const size = readSync(descriptor, first, 0, PEEK_BYTES, 0);
    const head = first.subarray(0, size);
    const header = peekHeader(head, Math.max(size, stamp.size));
    if (header.state !== 'possible') {
      return { peek: 'unwhole', reason: header.state, detail: header.detail };
    }
    const created = readFileId(head)?.timeCreated?.getTime();
    const credible = created !== undefined && created >= EARLIEST_MS && created <= now + AHEAD_MS;
    return { peek: 'possible', recordedAt: credible ? created : recordedAt };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { peek: 'gone' };
    return { peek: 'unwhole', reason: 'unreadable', detail: describeFileError(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
