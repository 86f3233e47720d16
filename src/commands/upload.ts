import { ExitCode, exitCodeOf, worstExitCode } from '../errors.ts';
import { type BatchNeeds, uploadBatch } from '../upload/pipeline.ts';
import type { UploadItem, UploadOutcome } from '../upload/report.ts';
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
  const counts: Record<UploadOutcome, number> = {
    uploaded: 0,
    duplicate: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
    'would-upload': 0,
  };
  let total = 0;
  const codes = new Set<ExitCode>();
  await uploadBatch(options.paths, options, {
    ...needs,
    report: (item) => {
      total++;
      counts[item.outcome]++;
      codes.add(exitCodeOfItem(item));
      needs.report(item);
    },
  });
  return { summary: { total, ...counts }, exitCode: worstExitCode(codes) };
}

/** What one file alone would end the program with. */
export function exitCodeOfItem(item: UploadItem): ExitCode {
  switch (item.outcome) {
    case 'uploaded':
    case 'duplicate':
    case 'skipped':
    case 'would-upload':
      return ExitCode.ok;
    case 'invalid':
      return ExitCode.invalidInput;
    case 'rejected':
      return ExitCode.refused;
    case 'failed':
      // An answer that cannot be read may be readable next time: the recording is still here.
      return item.code === 'SERVICE_ANSWER' ? ExitCode.unavailable : exitCodeOf(item.code);
  }
}
