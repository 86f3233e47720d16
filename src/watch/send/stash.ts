import { identify, knownFileOf } from '../../upload/identify.ts';
import {
  type BufferSource,
  type FileContents,
  type Unreadable,
  readFile,
} from '../../upload/read-recording.ts';
import { notAnActivity, outcomeAtRest } from '../../upload/known-outcome.ts';
import type { InvalidReason, UploadItem } from '../../upload/report.ts';
import { isAtRest } from './refusal-backoff.ts';
import type { WatchParts } from '../parts.ts';
import type { QueueItem } from './queue.ts';

/** Largest buffer that is kept while there is nothing to read (bytes). */
const REUSED_BYTES = 1024 * 1024;

/** The buffer that one recording is read into and sent from. */
export interface ReadBuffer {
  readonly buffers: BufferSource;
  buffer: Buffer;
}

/** Reuses read buffers between recordings; one for each in-flight recording. */
export class ReadBuffers {
  readonly #free: ReadBuffer[] = [];

  take(): ReadBuffer {
    return this.#free.pop() ?? makeReadBuffer();
  }

  /** The next one to be taken is the largest. */
  giveBack(readBuffer: ReadBuffer): void {
    this.#free.push(readBuffer);
    this.#free.sort((a, b) => a.buffer.length - b.buffer.length);
  }

  /** Frees large buffers. While recordings are queued, reuse takes less memory than new ones. */
  trim(): void {
    for (const readBuffer of this.#free) {
      if (readBuffer.buffer.length > REUSED_BYTES) readBuffer.buffer = Buffer.alloc(0);
    }
  }
}

function makeReadBuffer(): ReadBuffer {
  const readBuffer: ReadBuffer = {
    buffer: Buffer.alloc(0),
    buffers(size) {
      if (readBuffer.buffer.length < size) readBuffer.buffer = Buffer.allocUnsafeSlow(size);
      return readBuffer.buffer;
    },
  };
  return readBuffer;
}

export type StashOutcome =
  | { readonly stash: 'kept'; readonly item: QueueItem }
  /** The outbox has no room: the source file has to last. */
  | { readonly stash: 'no-room' }
  /** The file needs no sending. `item` says why; absent if the outbox has the recording. */
  | { readonly stash: 'settled'; readonly item?: UploadItem }
  | { readonly stash: 'incomplete'; readonly reason: InvalidReason; readonly detail: string };

/**
 * Reads a file and copies it to the outbox, if it is a recording that the service does not have.
 * The watcher does this while nothing can be sent.
 */
export function stashFile(
  parts: WatchParts,
  item: QueueItem,
  readBuffer: ReadBuffer,
): StashOutcome {
  return stashContents(parts, item, readFile(item.absolute, readBuffer.buffers), false);
}

/** Does the same as {@link stashFile} for a file that was read before. @param beyondRoom see `Keepsake` */
export function stashContents(
  { clock, ledger, known, outbox }: WatchParts,
  item: QueueItem,
  contents: FileContents | Unreadable,
  beyondRoom: boolean,
): StashOutcome {
  if ('problem' in contents) {
    return { stash: 'incomplete', reason: contents.reason, detail: contents.problem };
  }
  const identity = identify(contents.bytes);
  // A device that states no size may have sent a part of the file.
  if ('sha256' in identity || contents.stamp.size > 0) {
    known.remember(item.absolute, contents.stamp, knownFileOf(identity));
  }
  if (!('sha256' in identity)) {
    return { stash: 'incomplete', reason: identity.verdict, detail: identity.detail };
  }
  const { path, recordedAt } = item;
  if (identity.verdict === 'not-an-activity') {
    return { stash: 'settled', item: notAnActivity(path, false, knownFileOf(identity)) };
  }
  const { sha256 } = identity;
  const upload = ledger.uploads.find(sha256);
  if (upload !== undefined && isAtRest(upload, clock.now())) {
    return { stash: 'settled', item: outcomeAtRest(upload, path, sha256) };
  }
  if (outbox.has(sha256)) return { stash: 'settled' };
  const { bytes } = contents;
  outbox.keep({ sha256, path, recordedAt, bytes, beyondRoom });
  const kept = outbox.itemOf(sha256);
  return kept === undefined ? { stash: 'no-room' } : { stash: 'kept', item: kept };
}
