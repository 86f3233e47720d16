import { Option } from 'commander';
import { DEFAULT_JOBS } from '../../upload/pipeline.ts';
import { wholeNumber } from './numbers.ts';

const MAX_JOBS = 32;

/** @param about what runs in parallel, such as `uploads at once` */
export function jobsFlag(about: string): Option {
  return new Option('--jobs <n>', `${about}, 1 to ${MAX_JOBS} (default: ${DEFAULT_JOBS})`);
}

/** @throws SyncError `USAGE` */
export function jobsOf(flag: string | undefined): number {
  return flag === undefined ? DEFAULT_JOBS : wholeNumber('--jobs', flag, 1, MAX_JOBS);
}
