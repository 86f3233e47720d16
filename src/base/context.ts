import type { Text } from './phrase.ts';
import type { Clock } from './time.ts';

/** What a running operation needs of the outside world. Tests pass their own. */
export interface Context {
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM, with a `SyncError` `INTERRUPTED`. */
  readonly signal: AbortSignal;
  /** Returns a number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Writes one line about a request or a retry; shown with `--verbose`. */
  readonly trace: (line: string) => void;
  readonly warn: (text: Text) => void;
}
