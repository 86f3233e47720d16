import type { FileStamp, KnownFiles } from '../ledger/known-files.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { UploadItem } from '../upload/report.ts';
import type { InvalidReason } from '../upload/report.ts';
import { alreadyUploaded, notAnActivity, refusedBefore } from '../upload/known-outcome.ts';
import { isAtRest } from './refusal-backoff.ts';
import type { Outbox } from './outbox.ts';
import { peekAt } from './peek.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import type { QueueItem } from './queue.ts';

export interface ClassifierNeeds {
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  readonly incomplete: IncompleteFiles;
  readonly now: () => number;
  /** It may be a recording to send. */
  readonly onCandidate: (item: QueueItem) => void;
  /** A file that needs nothing more, where somebody counts them. */
  readonly onSettled: (item: UploadItem) => void;
}

/** A file as it was found. */
export interface FoundFile {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly removable: boolean;
}

/** Tells of each file whether there is anything to do about it, from as little as possible. */
export class Classifier {
  readonly #needs: ClassifierNeeds;

  constructor(needs: ClassifierNeeds) {
    this.#needs = needs;
  }

  /** Is there anything that the ledger does not settle? Reads the ledger, never the file. */
  isOpen(file: FoundFile): boolean {
    const { known, marks, outbox, incomplete, now, onSettled } = this.#needs;
    const { path, stamp } = file;
    const before = known.find(path, stamp);
    if (before === undefined) {
      if (!marks.isSeen(path, stamp)) return true;
      incomplete.forget(path);
      return false;
    }
    const { verdict, sha256, upload, detail } = before;
    if (verdict === 'activity') {
      if (sha256 === undefined) return true;
      if (upload === undefined || !isAtRest(upload, now())) return !outbox.has(sha256);
      incomplete.forget(path);
      const settledItem = upload.state === 'confirmed' ? alreadyUploaded : refusedBefore;
      onSettled(settledItem(path, sha256));
      return false;
    }
    if (verdict === 'not-an-activity') {
      incomplete.forget(path);
      onSettled(notAnActivity(path, false, detail));
      return false;
    }
    this.unwhole(file, verdict as InvalidReason, detail);
    return false;
  }

  /** Looks at the beginning of an open file: it is a candidate, or not whole. */
  approach(file: FoundFile): void {
    const { incomplete, now, onCandidate } = this.#needs;
    const { path, stamp, removable } = file;
    const peek = peekAt(path, stamp, now());
    switch (peek.peek) {
      case 'gone':
        incomplete.forget(path);
        return;
      case 'unwhole':
        this.unwhole(file, peek.reason, peek.detail);
        return;
      case 'possible': {
        incomplete.forget(path);
        const { recordedAt } = peek;
        const fresh = { kept: undefined, failures: 0 };
        onCandidate({ key: path, path, absolute: path, stamp, removable, recordedAt, ...fresh });
      }
    }
  }

  /** Notes a file that is not whole, so that it is looked at again. */
  unwhole(file: FoundFile, reason: InvalidReason, detail: string): void {
    const { incomplete, marks } = this.#needs;
    incomplete.note({ ...file, reason, detail }, marks.isReported(file.path, file.stamp));
  }
}
