import type { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as crypto from 'node:crypto';
import type * as os from 'node:os';
import type * as zlib from 'node:zlib';
import type { DatabaseSync as DatabaseClass, DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock } from '../base/time.ts';

/** Facts about this process. Modules below `commands/` use these instead of `process`. */
export const thisProcess = {
  pid: process.pid,
  arch: process.arch,
  nodeVersion: process.versions.node,
  /** The release of the IANA time zone database in Node.js, if it states one. */
  zoneData: process.versions['tz'],
  nodePath: process.execPath,
  /** Effective user id; undefined on Windows. */
  userId: process.geteuid?.(),
} as const;

/** From now on, other users may not read the files that this process and its children create. */
export function keepNewFilesPrivate(): void {
  process.umask(0o077);
}

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

export type SqliteDatabase = DatabaseSyncInstance;

/**
 * Loads Node's own SQLite, or @photostructure/sqlite, which has the same API. Many commands need neither.
 *
 * @throws Error `MODULE_NOT_FOUND` if this installation lacks the package
 */
export function loadSqlite(): { readonly DatabaseSync: typeof DatabaseClass } {
  const own = hasStableSqlite(process.versions.node)
    ? process.getBuiltinModule('node:sqlite')
    : undefined;
  const require = createRequire(import.meta.filename);
  return (own ?? require('@photostructure/sqlite')) as ReturnType<typeof loadSqlite>;
}

/** Returns whether `node:sqlite` is stable in a version of Node.js. Earlier versions print a warning. */
export function hasStableSqlite(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 24) return minor >= 15;
  if (major === 25) return minor >= 7;
  return major > 25;
}

/** Returns the SHA-256 of bytes, or of a text in UTF-8, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return loadCrypto().hash('sha256', data);
}

/** Growth of the heap beyond what lives in it, until garbage is collected (percent). */
const GROWTH = 15;

/**
 * Makes V8 collect garbage before the heap has grown to several times of what lives in it, for the rest of the
 * process. Meant for thousands of files, and for a file that is large or read in parts.
 */
export function keepHeapSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Makes V8 keep the room for new objects as it is now: for a process that runs for weeks and mostly waits.
 * Call it after threads were started: a new thread lets that room grow again.
 */
export function keepIdleHeapSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  process.getBuiltinModule('node:v8').setFlagsFromString('--optimize-for-size');
}

/** Growth of the used heap after which garbage is collected (bytes). */
const COLLECT_AFTER = 2 * 1024 * 1024;

/**
 * Returns a function that collects garbage if the heap has grown since it was called last. V8 alone lets the heap of
 * a process that mostly waits grow for hours. A collection takes about 20 ms.
 */
export function garbageCollector(): () => void {
  const v8 = process.getBuiltinModule('node:v8');
  v8.setFlagsFromString('--expose-gc');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
  const used = () => v8.getHeapStatistics().used_heap_size;
  let before = used();
  return () => {
    if (used() - before < COLLECT_AFTER) return;
    collect();
    before = used();
  };
}

/** Names the chunks that the watcher may load, one a line; the build writes it (scripts/bundles.mjs). */
const LIST = 'watcher-chunks.txt';

/**
 * Loads the parts of this program that are otherwise loaded on demand: a process that runs for
 * weeks continues after an update deleted its files.
 *
 * @param programDir the built program's folder
 */
export function loadAhead(programDir: string): void {
  const require = createRequire(join(programDir, 'main.cjs'));
  const names = readFileSync(join(programDir, LIST), 'utf8').split('\n');
  for (const name of names) require(`./${name}`);
}
