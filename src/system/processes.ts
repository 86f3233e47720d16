import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, systemCode } from '../base/errors.ts';
import { type Lock, isHeld, tryLock } from './process-lock.ts';
import { loadCrypto, thisProcess } from './this-process.ts';

export type ProcessMark = ReturnType<typeof markProcess>;

/**
 * Tells the ledger which processes are alive. A process marks the work that it claims with an id, and
 * holds a lock of the same name until it ends. The system reuses process ids; locks end with the process.
 */
export function markProcess(stateDir: string) {
  const fileOf = (mark: string) => join(stateDir, 'locks', `process-${mark}.lock`);
  let held: { readonly id: string; lock: Lock | undefined } | undefined;
  const underWay = new Set<string>();
  const hold = () => {
    for (;;) {
      const id = `${loadCrypto().randomUUID()}-${thisProcess.pid}`;
      const lock = tryLock(fileOf(id));
      if (lock === undefined) continue;
      // The disk's time, which this file was made at: the clock of a process may be wrong.
      sweep(join(stateDir, 'locks'), statSync(fileOf(id)).mtimeMs, isDead);
      return { id, lock };
    }
  };
  const isDead = (other: string) => {
    if (isHeld(fileOf(other))) return false;
    // SQLite's journal, which a killed process leaves.
    removeIfPossible(`${fileOf(other)}-journal`);
    removeIfPossible(fileOf(other));
    return true;
  };
  return {
    /** The id of this process. The first read takes its lock. */
    get id() {
      return (held ??= hold()).id;
    },
    /** Marks `work` as in progress in this process, until `end`. */
    begin: (work: string) => void underWay.add(work),
    /** Marks `work` as finished, even if the ledger could not record it. */
    end: (work: string) => void underWay.delete(work),
    /**
     * Returns whether no process is doing this work any more. Either its process is dead, and its lock
     * file is removed; or this process finished it and could not record that, as on a full disk.
     */
    isAbandoned: (id: string, work: string) => (id === held?.id ? !underWay.has(work) : isDead(id)),
    release() {
      if (held?.lock === undefined) return;
      held.lock.release();
      held.lock = undefined;
      removeIfPossible(fileOf(held.id));
    },
  };
}

/** Returns the process of a mark that lives. */
export function holderOf(mark: string): number {
  return Number(mark.slice(mark.lastIndexOf('-') + 1));
}

/** Returns whether a process is stopped (Ctrl-Z, SIGSTOP); false but on Linux. */
export function isStopped(pid: number): boolean {
  // Elsewhere, and for a process of another container, there is no such file.
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '';
  return /^State:\s+[tT]/m.test(status);
}

/** What to do about a stopped process. */
export function continueHint(pid: number): string {
  return `\`kill -CONT ${pid}\` continues it, \`kill -KILL ${pid}\` ends it.`;
}

/** Removes a file whose lock is free. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The disk has become read-only: the file harms nothing.
  }
}

/** Age at which a lock file cannot belong to a process that is starting (ms). */
const SETTLED_MS = 24 * 60 * 60_000;

/** Removes the lock files of killed processes. @param now ms since the epoch */
function sweep(folder: string, now: number, isDead: (id: string) => boolean): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const name of names) {
    const [, id] = /^process-([0-9a-f-]{37,})\.lock$/.exec(name) ?? [];
    const stats =
      id === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    if (id !== undefined && stats !== undefined && stats.mtimeMs < now - SETTLED_MS) isDead(id);
  }
}
