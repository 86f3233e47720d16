import { SyncError, messageOf } from '../base/errors.ts';
import { makeStateFolder } from '../system/storage.ts';
import { type Lock, tryLock } from '../system/process-lock.ts';
import type { Clock } from '../base/time.ts';
import type { DaemonPlace } from './place.ts';
import { processStart } from './process-start.ts';
import { type DaemonRecord, inspectDaemon, writeRecord } from './record.ts';

/** A daemon's place, held by this process. */
export interface Registration {
  /** Writes down that it truly watches. Never throws. */
  ready(): void;
  /** Writes down how it ended, and gives the place free. Never throws; may be called twice. */
  end(exitCode: number, message?: string): void;
}

export interface RegisterNeeds {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly platform: NodeJS.Platform;
}

/**
 * Whoever looks at a daemon (`inspectDaemon`) keeps others from taking its lock for an instant: only
 * a lock that is held for longer than this, in ms, belongs to a daemon.
 */
const GLANCE_MS = 1_000;
const RETRY_MS = 20;

/**
 * Takes a daemon's place for this process, until {@link Registration.end} or its death.
 * @throws SyncError `BUSY` if another process has it, `STORAGE`
 */
export async function registerDaemon(
  place: DaemonPlace,
  who: Pick<DaemonRecord, 'profile' | 'folders' | 'kind' | 'passOn' | 'version'>,
  { clock, signal, platform }: RegisterNeeds,
): Promise<Registration> {
  makeStateFolder(place.dir);
  let lock: Lock | undefined;
  const deadline = clock.monotonic() + GLANCE_MS;
  while ((lock = tryLock(place.lockFile)) === undefined) {
    if (clock.monotonic() >= deadline)
      throw runningAlready(inspectDaemon(place).record, who.folders);
    await clock.sleep(RETRY_MS, signal);
  }
  const held = lock;
  const start = processStart(process.pid, platform);
  let record: DaemonRecord = {
    ...who,
    pid: process.pid,
    ...(start === undefined ? {} : { processStart: start }),
    startedAt: clock.now(),
  };
  let open = true;
  try {
    writeRecord(place, record);
  } catch (cause) {
    held.release();
    throw new SyncError('STORAGE', `${place.recordFile} cannot be written: ${messageOf(cause)}`, {
      cause,
    });
  }
  const note = (next: DaemonRecord) => {
    record = next;
    try {
      writeRecord(place, record);
    } catch {
      // A disk that is full now costs a line of `sync daemon status`, not the daemon.
    }
  };
  return {
    ready: () => note({ ...record, readyAt: clock.now() }),
    end(exitCode, message) {
      if (!open) return;
      open = false;
      const why = message === undefined ? {} : { message };
      note({ ...record, ended: { at: clock.now(), exitCode, ...why } });
      held.release();
    },
  };
}

/** The answer to a second start. */
export function runningAlready(
  record: DaemonRecord | undefined,
  folders: readonly string[],
): SyncError {
  const what = folders.join(', ');
  const who =
    record === undefined
      ? 'another process'
      : `process ${String(record.pid)}, since ${new Date(record.startedAt).toISOString()}`;
  return new SyncError('BUSY', `${what}: watched already, by ${who}.`, {
    hint: 'See `sync daemon status`; `sync daemon stop` ends it.',
    details:
      record === undefined
        ? { folders }
        : { folders, pid: record.pid, since: new Date(record.startedAt).toISOString() },
  });
}
