import type { Device, Places, SurveyedDevice } from './types.ts';

/** Time limit for one call to a mount (ms). Listing a large folder over MTP takes seconds. */
export const CALL_LIMIT_MS = 10_000;

/** What the child process is asked for. `env` has the variables of apps only. */
export interface SearchRequest extends Omit<Places, 'childPath' | 'limitMs'> {
  readonly limitMs: number;
  readonly survey: boolean;
}

/** An answer of the child process. */
export type SearchAnswer =
  | { readonly state: 'found'; readonly device: Device | SurveyedDevice }
  | { readonly state: 'silent'; readonly folder: string }
  | { readonly state: 'failed'; readonly message: string }
  /** Every mount answered, or exceeded its time limit. */
  | { readonly state: 'done' };

/** What the child watches. */
export interface MonitorRequest extends Pick<Places, 'mounts'> {
  /** Folders in which the system makes a file for each device that is plugged in. */
  readonly plugs: readonly string[];
  /** Interval of the polls, each of which the child answers with a line (ms). */
  readonly pollMs: number;
}

/** An answer of the child; the last one never comes. */
export type MonitorLine =
  | 'ready'
  /** Devices may have come or gone. */
  | 'changed'
  | 'alive';
