import { openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A thread that ends the process if nothing else reacts to a signal.
 *
 * Signal handlers run on the main thread. While that thread is in a system call on a file system that
 * hangs (a dead NFS or FUSE mount), none runs. Either the kernel delivers the signal to the process:
 * then libuv reports it to every event loop that listens, and this one still turns. Or the call
 * cannot be interrupted, as on most file systems of Linux: then the signal stays pending, and
 * `/proc/self/status` shows it.
 */

export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface WatchdogOrders {
  /** Signals to listen to, with their numbers. */
  readonly signals: readonly (readonly [SignalName, number])[];
  /** Those of them that do not end this process. */
  readonly harmless: readonly SignalName[];
  /** Longest time between a signal and the end of the process, in ms. */
  readonly limitMs: number;
}

export type WatchdogNews =
  | { readonly listening: true }
  | { readonly received: SignalName }
  /** The watchdog cannot hear signals: the main thread has to listen. */
  | { readonly deaf: true };

/** Pause between two looks at the pending signals, in ms. */
const LOOK_MS = 1_500;

const { signals, harmless, limitMs } = workerData as WatchdogOrders;
const deadly = signals.filter(([name]) => !harmless.includes(name));

/** For how long a signal has been pending, in ms. */
let pendingMs = 0;

/** The handle behind `process.on('SIGTERM')`. */
interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
}

function report(news: WatchdogNews): void {
  parentPort?.postMessage(news);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** @throws TypeError if this version of Node does not give threads such handles */
function listen(): void {
  // Node warns of `process.binding`, but has no other way to hear a signal outside of the main thread.
  process.noDeprecation = true;
  const { Signal } = (
    process as unknown as { binding: (name: string) => { Signal: new () => SignalHandle } }
  ).binding('signal_wrap');
  for (const [name, number] of signals) {
    const handle = new Signal();
    handle.onsignal = () => {
      report({ received: name });
      // A pending signal may arrive here together with a second one.
      const spentMs = pendingMs === 0 ? 0 : pendingMs + LOOK_MS;
      if (!harmless.includes(name)) setTimeout(kill, limitMs - spentMs);
    };
    handle.start(number);
  }
}

/** Longer than `/proc/self/status` until its line of pending signals (bytes). */
const STATUS_BYTES = 4_096;

/**
 * Returns the signals that are pending for the whole process; bit 0 is signal 1 (proc(5)).
 *
 * @param status `/proc/self/status`, which stays open: each read shows the state of that moment
 */
function pendingSignals(status: number, buffer: Buffer): bigint {
  const text = buffer.toString('latin1', 0, readSync(status, buffer, 0, STATUS_BYTES, 0));
  const mask = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(text)?.[1];
  return mask === undefined ? 0n : BigInt(`0x${mask}`);
}

function watchPending(): void {
  const ours = deadly.reduce((mask, [, number]) => mask | (1n << BigInt(number - 1)), 0n);
  const status = openSync('/proc/self/status', 'r');
  const buffer = Buffer.alloc(STATUS_BYTES);
  setInterval(() => {
    if ((pendingSignals(status, buffer) & ours) === 0n) {
      pendingMs = 0;
      return;
    }
    // Up to one pause passed before this check.
    pendingMs += LOOK_MS;
    if (pendingMs > limitMs - LOOK_MS) kill();
  }, LOOK_MS);
}

try {
  listen();
  report({ listening: true });
} catch {
  // What the kernel cannot deliver is still seen.
  report({ deaf: true });
}
if (process.platform === 'linux') watchPending();
