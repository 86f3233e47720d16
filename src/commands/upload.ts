import {
  type ErrorCode,
  ExitCode,
  exitCodeOf,
  exitCodeOfDelivery,
  worstExitCode,
} from '../errors.ts';
import { type BatchNeeds, uploadBatch } from '../upload/pipeline.ts';
import type { SkipReason, UploadItem, UploadOutcome } from '../upload/report.ts';
import type { UploadOptions } from '../upload/settled.ts';

export interface UploadCommandOptions extends UploadOptions {
  /** Files and folders, as they were typed. */
  readonly paths: readonly string[];
  /** Uploads at once. */
  readonly jobs: number;
}

/** How many files came to what; `total` is all of them. */
export type UploadSummary = { readonly total: number } & Readonly<Record<UploadOutcome, number>>;

export interface UploadReport {
  readonly summary: UploadSummary;
  /** Why the skipped ones were. */
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly exitCode: ExitCode;
}

/**
 * Uploads recordings; each file is told to `needs.report` as it is done with.
 *
 * @throws SyncError `STORAGE`, `INTERRUPTED`; what goes wrong with one file is in its report.
 */
export async function runUpload(
  options: UploadCommandOptions,
  needs: BatchNeeds,
): Promise<UploadReport> {
  const tally = new UploadTally();
  await uploadBatch(options.paths, options, {
    ...needs,
    report: (item) => {
      tally.add(item);
      needs.report(item);
    },
  });
  return tally.report;
}

/** Counts what becomes of files. */
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
  };
  readonly #codes = new Set<ExitCode>();

  add(item: UploadItem): void {
    this.#total++;
    this.#counts[item.outcome]++;
    if (item.outcome === 'skipped') this.#skipped[item.reason]++;
    this.#codes.add(exitCodeOfItem(item));
  }

  /** Something beside the files went wrong. */
  addTrouble(code: ErrorCode): void {
    this.#codes.add(exitCodeOf(code));
  }

  get report(): UploadReport {
    return {
      summary: { total: this.#total, ...this.#counts },
      skipped: this.#skipped,
      exitCode: worstExitCode(this.#codes),
    };
  }
}

/** What one file alone would end the program with. */
export function exitCodeOfItem(item: UploadItem): ExitCode {
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
