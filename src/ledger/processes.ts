import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Lock, tryLock } from './lock.ts';

/**
 * Which processes are alive, as far as the ledger needs to know: a process that takes a piece of
 * work puts its mark on it and holds a lock of the same name as long as it lives. Process ids are
 * used again by the system; locks end with their process.
 */
export interface ProcessMark {
  /** What this process signs its work with. */
  readonly id: string;
  /** Is the process of this mark dead? Its mark is then swept away. */
  isDead(id: string): boolean;
  /** May be called twice. */
  release(): void;
}

/** @throws SyncError `STORAGE` */
export function markProcess(stateDir: string): ProcessMark {
  const id = randomUUID();
  const fileOf = (mark: string) => join(stateDir, 'locks', `process-${mark}.lock`);
  let lock: Lock | undefined;
  const hold = () => (lock ??= tryLock(fileOf(id)));
  hold();
  return {
    id,
    isDead(other) {
      if (other === id) return false;
      const theirs = tryLock(fileOf(other));
      if (theirs === undefined) return false;
      theirs.release();
      rmSync(fileOf(other), { force: true });
      return true;
    },
    release() {
      if (lock === undefined) return;
      lock.release();
      lock = undefined;
      rmSync(fileOf(id), { force: true });
    },
  };
}
