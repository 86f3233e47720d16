import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import type { Classifier } from './classify.ts';
import { statOf } from './fs-events.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import type { WatchNotice } from '../report.ts';

/** The incomplete files, and what is called for them. */
export interface IncompleteChecksTarget {
  readonly incomplete: IncompleteFiles;
  readonly classifier: Classifier;
  readonly marks: WatchMarks;
  readonly report: (notice: WatchNotice) => void;
}

/** Checks the incomplete files that are due again, and reports long-incomplete ones. */
export function checkIncomplete({
  incomplete,
  classifier,
  marks,
  report,
}: IncompleteChecksTarget): void {
  for (const { path, removable } of incomplete.dueLooks()) {
    // Its rescans look at it.
    if (isOnMtp(path)) continue;
    const stats = statOf(path);
    if (stats?.isFile() === true) classifier.classify({ path, stamp: stats, removable });
    else incomplete.forget(path);
  }
  for (const { path, stamp, reason, detail } of incomplete.dueReports()) {
    marks.markReported(path, stamp);
    report({ event: 'unfinished', path, reason, detail });
  }
}
