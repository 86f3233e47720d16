import { createHash } from 'node:crypto';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { FramedUpload } from '../api/client.ts';
import type { Clock } from '../base/time.ts';
import { identify } from '../upload/identify.ts';
import { HEAD_ROOM, readFile } from '../upload/read-recording.ts';
import type { InvalidReason } from '../upload/report.ts';
import { isAtRest } from './refusal-backoff.ts';
import type { Outbox } from './outbox.ts';
import type { QueueItem } from './queue.ts';
import type { ReadBuffer } from './stash-slots.ts';

/** What became of a file that was read without being sent. */
export type StashOutcome =
  | { readonly taken: 'kept'; readonly sha256: string }
  /** A recording for which there is no room: its source has to last. */
  | { readonly taken: 'not-kept' }
  /** Nothing that has to be sent. */
  | { readonly taken: 'settled' }
  | { readonly taken: 'unwhole'; readonly reason: InvalidReason; readonly detail: string };

export interface StashNeeds {
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** A recording that is being sent, or was. */
export interface Sent {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** The request, once it was made. */
  readonly framed?: FramedUpload | undefined;
}

/**
 * Reads a file and, if it is a recording that the service does not have, keeps its bytes: what is
 * done instead of sending while nothing can be sent, and before it where the device may be unplugged.
 *
 * @param removable it is kept whatever room it takes
 */
export function stashFile(
  item: QueueItem,
  readBuffer: ReadBuffer,
  needs: StashNeeds,
  removable = item.removable,
): StashOutcome {
  const { ledger, known, outbox, clock } = needs;
  const contents = readFile(item.absolute, readBuffer.buffers);
  if ('problem' in contents) {
    return { taken: 'unwhole', reason: contents.reason, detail: contents.problem };
  }
  const identity = identify(contents.bytes);
  known.remember(item.absolute, contents.stamp, {
    sha256: 'sha256' in identity ? identity.sha256 : undefined,
    verdict: identity.verdict,
    detail: 'detail' in identity ? identity.detail : '',
  });
  if (!('sha256' in identity)) {
    return { taken: 'unwhole', reason: identity.verdict, detail: identity.detail };
  }
  if (identity.verdict === 'not-an-activity') return { taken: 'settled' };
  const { sha256 } = identity;
  const upload = ledger.find(sha256);
  const atRest = upload !== undefined && isAtRest(upload, clock.now());
  if (atRest || outbox.has(sha256)) return { taken: 'settled' };
  const { path, recordedAt } = item;
  const { bytes } = contents;
  return outbox.keep({ sha256, path, size: bytes.length, recordedAt, bytes, removable })
    ? { taken: 'kept', sha256 }
    : { taken: 'not-kept' };
}

/**
 * Keeps a recording from the very bytes that are sent, so that it does not matter what becomes of its
 * file.
 *
 * @returns false: they are not to be had, or there is no room.
 */
export function stashSent(
  item: QueueItem,
  sent: Sent,
  readBuffer: ReadBuffer,
  outbox: Outbox,
): boolean {
  const { sha256, size } = sent;
  if (outbox.has(sha256)) return true;
  const bytes =
    sent.framed === undefined ? readInto(readBuffer, size) : framedIn(sent.framed, size);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return false;
  const { path, removable, recordedAt } = item;
  return outbox.keep({ sha256, path, size, recordedAt, bytes, removable });
}

/** The recording as it was read; one that was packed is not there. */
function readInto({ buffer }: ReadBuffer, size: number): Uint8Array {
  return buffer.subarray(HEAD_ROOM, HEAD_ROOM + size);
}

/** The recording in a form (upload/multipart.ts): only the last boundary stands behind it. */
function framedIn({ contentType, body }: FramedUpload, size: number): Uint8Array {
  const [, boundary = ''] = /boundary=(.*)$/.exec(contentType) ?? [];
  const last = body.at(-1) ?? Buffer.alloc(0);
  const end = last.length - `\r\n--${boundary}--\r\n`.length;
  return last.subarray(Math.max(0, end - size), end);
}
