import type { OtherKind } from '../inputs/recording-names.ts';
import {
  type ErrorCode,
  ExitCode,
  exitCodeOf,
  exitCodeOfDelivery,
  worstExitCode,
} from '../base/errors.ts';
import type { OtherFile } from '../inputs/find-files.ts';
import type { SkipReason, UploadItem, UploadOutcome } from './report.ts';

/** Files per outcome; `total` is all of them. */
export type UploadSummary = { readonly total: number } & Readonly<Record<UploadOutcome, number>>;

export interface UploadReport {
  readonly summary: UploadSummary;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly wellness: number;
  /** Uploaded recordings that the service has received and not processed yet. */
  readonly processing: number;
  /** Paths of the GPX, TCX and zip files that were found and not sent. */
  readonly others: Readonly<Record<OtherKind, readonly string[]>>;
  readonly exitCode: ExitCode;
}

/** Counts outcomes and finds the exit code of a run. */
export class UploadTally {
  #total = 0;
  readonly #counts: Record<UploadOutcome, number> = {
    uploaded: 0,
    duplicate: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
    'would-upload': 0,
  };
  readonly #skipped: Record<SkipReason, number> = {
    'already-uploaded': 0,
    'not-an-activity': 0,
    'refused-before': 0,
    'before-since': 0,
  };
  #wellness = 0;
  #processing = 0;
  readonly #others: Record<OtherKind, string[]> = { gpx: [], tcx: [], zip: [] };
  readonly #codes = new Set<ExitCode>();

  add(item: UploadItem): void {
    this.#total++;
    this.#counts[item.outcome]++;
    if (item.outcome === 'skipped') {
      this.#skipped[item.reason]++;
      if (item.wellness === true) this.#wellness++;
    }
    if (item.outcome === 'uploaded' && item.service.state === 'queued') this.#processing++;
    this.#codes.add(exitCodeOfItem(item));
  }

  addOther({ path, other }: OtherFile): void {
    this.#others[other].push(path);
  }

  /** Counts a failure that belongs to no file. */
  addTrouble(code: ErrorCode): void {
    this.#codes.add(exitCodeOf(code));
  }

  /** Counts the exit code of something else that was sent. */
  addExitCode(code: ExitCode): void {
    this.#codes.add(code);
  }

  get report(): UploadReport {
    return {
      summary: { total: this.#total, ...this.#counts },
      skipped: this.#skipped,
      wellness: this.#wellness,
      processing: this.#processing,
      others: this.#others,
      exitCode: worstExitCode(this.#codes),
    };
  }
}

/** Returns the exit code of a run with this file alone. */
function exitCodeOfItem(item: UploadItem): ExitCode {
  switch (item.outcome) {
    case 'uploaded':
    case 'duplicate':
    case 'would-upload':
      return ExitCode.ok;
    case 'skipped':
      return item.reason === 'refused-before' ? ExitCode.refused : ExitCode.ok;
    case 'invalid':
      return ExitCode.invalidInput;
    case 'rejected':
      return ExitCode.refused;
    case 'failed':
      return exitCodeOfDelivery(item.code);
  }
}
