import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Lock, tryLock } from './lock.ts';

/**
 * Which processes are alive, as far as the ledger needs to know: a process that takes a piece of
 * work puts its mark on it and holds a lock of the same name as long as it lives. Process ids are
 * used again by the system; locks end with their process.
 */
export interface ProcessMark {
  /** What this process signs its work with; from the first time it is asked for, it is held. */
  readonly id: string;
  /** Is the process of this mark dead? Its mark is then swept away. */
  isDead(id: string): boolean;
  /** May be called twice. */
  release(): void;
}

/** A mark that is set when it is first needed: most commands take no work. */
export function markProcess(stateDir: string): ProcessMark {
  const fileOf = (mark: string) => join(stateDir, 'locks', `process-${mark}.lock`);
  let held: { readonly id: string; lock: Lock | undefined } | undefined;
  const hold = () => {
    const id = process.getBuiltinModule('node:crypto').randomUUID();
    return { id, lock: tryLock(fileOf(id)) };
  };
  return {
    get id() {
      return (held ??= hold()).id;
    },
    isDead(other) {
      if (other === held?.id) return false;
      const theirs = tryLock(fileOf(other));
      if (theirs === undefined) return false;
      theirs.release();
      rmSync(fileOf(other), { force: true });
      return true;
    },
    release() {
      if (held?.lock === undefined) return;
      held.lock.release();
      held.lock = undefined;
      rmSync(fileOf(held.id), { force: true });
    },
  };
}
