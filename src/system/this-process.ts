import type { execFileSync } from 'node:child_process';
import type * as crypto from 'node:crypto';
import type * as os from 'node:os';
import type * as v8 from 'node:v8';
import type * as zlib from 'node:zlib';
import type { Clock } from '../base/time.ts';

/** Facts about this process. Modules below `commands/` use these instead of `process`. */
export const thisProcess = {
  pid: process.pid,
  arch: process.arch,
  nodeVersion: process.versions.node,
  /** Path of the running Node executable. */
  nodePath: process.execPath,
  /** Effective user id; undefined on Windows. */
  userId: process.geteuid?.(),
} as const;

/** Returns the CPU time that this process has used, in ms. Waiting for a disk or a network uses none. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// Modules of Node.js that are loaded when they are first needed: each would cost time at every start.

export function loadExecFileSync(): typeof execFileSync {
  return process.getBuiltinModule('node:child_process').execFileSync;
}

export function loadCrypto(): typeof crypto {
  return process.getBuiltinModule('node:crypto');
}

export function loadOs(): typeof os {
  return process.getBuiltinModule('node:os');
}

export function loadV8(): typeof v8 {
  return process.getBuiltinModule('node:v8');
}

export function loadZlib(): typeof zlib {
  return process.getBuiltinModule('node:zlib');
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    // Loaded on demand: most commands do not wait.
    const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
