import type { MountPattern } from './types.ts';

/** Interval of the child's polls, each of which it answers with a line (ms). */
export const POLL_MS = 5_000;

/** What the child watches, as JSON in its only argument. */
export interface MonitorRequest {
  readonly mounts: readonly MountPattern[];
}

/** The lines of the child on its stdout: at each poll, and when devices may have come or gone. */
export type MonitorLine = 'alive' | 'changed';
