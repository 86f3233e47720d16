import type { MountPattern } from './types.ts';

/** Interval of the child's polls, each of which it answers with a line (ms). */
export const POLL_MS = 5_000;

/** What the child watches. */
export interface MonitorRequest {
  readonly mounts: readonly MountPattern[];
}

/** An answer of the child; the last one never comes. */
export type MonitorLine =
  | 'ready'
  /** Devices may have come or gone. */
  | 'changed'
  | 'alive';
