import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';
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
    sweep(join(stateDir, 'locks'), isDead);
    for (;;) {
      const id = process.getBuiltinModule('node:crypto').randomUUID();
      const lock = tryLock(fileOf(id));
      if (lock !== undefined) return { id, lock };
    }
  };
  const isDead = (other: string) => {
    if (other === held?.id) return false;
    const theirs = tryLock(fileOf(other));
    if (theirs === undefined) return false;
    theirs.release();
    rmSync(fileOf(other), { force: true });
    return true;
  };
  return {
    get id() {
      return (held ??= hold()).id;
    },
    isDead,
    release() {
      if (held?.lock === undefined) return;
      held.lock.release();
      held.lock = undefined;
      rmSync(fileOf(held.id), { force: true });
    },
  };
}

/** A mark this old, in ms, belongs to no process that is just being started. */
const SETTLED_MS = 24 * 60 * 60_000;

/** Takes away the marks of processes that were killed and left no work behind. */
function sweep(folder: string, isDead: (id: string) => boolean): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const name of names) {
    const [, id] = /^process-([0-9a-f-]{36})\.lock$/.exec(name) ?? [];
    const stats =
      id === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    if (id !== undefined && stats !== undefined && stats.mtimeMs < Date.now() - SETTLED_MS)
      isDead(id);
  }
}
