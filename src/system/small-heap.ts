import { loadV8 } from './this-process.ts';

/** Growth of the heap beyond what lives in it, until garbage is collected (percent). */
const GROWTH = 15;

/**
 * Makes V8 collect garbage before the heap has grown to several times of what lives in it: for a file that
 * is large, or read in parts. Applies to the rest of the process.
 */
export function keepHeapSmall(): void {
  loadV8().setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}

/**
 * Makes V8 keep the room for new objects as it is now: for a process that runs for weeks and mostly waits.
 * Call it after threads were started: a new thread lets that room grow again.
 */
export function keepIdleHeapSmall(): void {
  loadV8().setFlagsFromString('--semi-space-growth-factor=1');
  loadV8().setFlagsFromString('--optimize-for-size');
}
