import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { type Lock, isHeld, tryLock } from './process-lock.ts';

/**
 * Which processes are alive, as far as the ledger needs to know: a process that takes a piece of
 * work puts its mark on it and holds a lock of the same name as long as it lives. Process ids are
 * used again by the system; locks end with their process.
 */
export interface ProcessMark {
  /** What this process signs its work with; from the first time it is asked for, it is held. */
  readonly id: string;
  /** This process is at a piece of work, by whatever name; until {@link ProcessMark.end}. */
  begin(work: string): void;
  /** It is done with it, whether or not that could be written down. */
  end(work: string): void;
  /**
   * Is nobody at a piece of work that carries this mark? Its process is dead (the mark is then swept
   * away); or it is this one, done with it, and could not write that down: on a full disk a
   * signature outlasts its work.
   */
  isAbandoned(id: string, work: string): boolean;
  /** May be called twice. */
  release(): void;
}

/** A mark that is set when it is first needed: most commands take no work. */
export function markProcess(stateDir: string): ProcessMark {
  const fileOf = (mark: string) => join(stateDir, 'locks', `process-${mark}.lock`);
  let held: { readonly id: string; lock: Lock | undefined } | undefined;
  const underWay = new Set<string>();
  const hold = () => {
    sweep(join(stateDir, 'locks'), isDead);
    for (;;) {
      const id = process.getBuiltinModule('node:crypto').randomUUID();
      const lock = tryLock(fileOf(id));
      if (lock !== undefined) return { id, lock };
    }
  };
  const isDead = (other: string) => {
    if (isHeld(fileOf(other))) return false;
    // SQLite's own, of a lock that a killed process held.
    rmSync(`${fileOf(other)}-journal`, { force: true });
    rmSync(fileOf(other), { force: true });
    return true;
  };
  return {
    get id() {
      return (held ??= hold()).id;
    },
    begin: (work) => void underWay.add(work),
    end: (work) => void underWay.delete(work),
    isAbandoned: (id, work) => (id === held?.id ? !underWay.has(work) : isDead(id)),
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
