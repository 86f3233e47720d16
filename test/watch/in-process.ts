import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { knownFiles } from '../../src/ledger/known-files.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import { markProcess } from '../../src/system/processes.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { watchMarks } from '../../src/ledger/watch-marks.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { type SandboxServer, startSandbox } from '../../src/sandbox/server.ts';
import type { Clock } from '../../src/base/time.ts';
import type { FilesystemType } from '../../src/watch/find/filesystem-type.ts';
import { Outbox } from '../../src/watch/send/outbox.ts';
import type { WatchNotice } from '../../src/watch/report.ts';
import type { WatcherOptions, WatcherTarget } from '../../src/watch/parts.ts';
import { Watcher } from '../../src/watch/watcher.ts';
import { useBuild } from '../support/build.ts';
import { briskClock, clientOf } from '../support/delivery.ts';
import { testContext } from '../support/context.ts';
import type { ManualClock } from './manual-clock.ts';
import { scratchDir } from '../support/scratch-dir.ts';

/** Of the test that runs. */
export let dir: string;
/** Watched. */
export let folder: string;
export let sandbox: SandboxServer;
let ends: (() => Promise<unknown>)[];

/** Gives each test of a file its own {@link dir}, {@link folder} and {@link sandbox}. */
export function useWatchedFolder(): void {
  beforeEach(async () => {
    dir = scratchDir();
    folder = join(dir, 'Garmin');
    mkdirSync(folder);
    sandbox = await startSandbox({ port: 0 });
    ends = [];
  });
  afterEach(async () => {
    for (const end of ends) await end();
    await sandbox.close();
  });
}

export const ONE_TRY = RETRIES.none;
const LOCAL: FilesystemType = { noEvents: undefined, removable: false };

/** Builds the child that reads folders which may hang, for the tests of a file. @returns how to start it */
export function useFolderReader() {
  const program = useBuild({ 'remote-child': 'src/devices/remote/remote-child.ts' });
  return () => ({ childPath: program('remote-child'), env: process.env });
}

/** No test but those of devices and mounts starts the child. */
const NO_READER = { childPath: '', env: {} };

/** A watcher in this process, over a real ledger and real HTTP. */
export function start(
  options: Partial<WatcherOptions> &
    Partial<Pick<WatcherTarget, 'client' | 'delivers' | 'remote' | 'deviceAccess'>> & {
      /** Called for each file that was read. */
      onRead?: (path: string) => void;
      clock?: Clock | ManualClock;
      /** Runs with `--once`. */
      once?: boolean;
      /** Sends wellness; the zone is Europe/Berlin. */
      wellness?: boolean;
      filesystemType?: FilesystemType | WatcherTarget['filesystemType'];
    } = {},
) {
  const { clock = briskClock, filesystemType = LOCAL, client, delivers = true } = options;
  const { remote = NO_READER, wellness = false, deviceAccess, onRead, ...rest } = options;
  const { once = false, ...given } = rest;
  const now = () => clock.now();
  const stateDir = join(dir, 'state');
  const database = openDatabase(join(stateDir, 'ledger.db'));
  const mark = markProcess(stateDir);
  const stop = new AbortController();
  const events: WatchNotice[] = [];
  const known = knownFiles(database, 'me', now);
  const target: WatcherTarget = {
    filesystemType: typeof filesystemType === 'function' ? filesystemType : () => filesystemType,
    filePart: 'file',
    recursiveEvents: false,
    remote,
    ledger: {
      uploads: uploadLedger(database, 'me', mark, now),
      known: {
        find: (path, stamp) => known.find(path, stamp),
        uploaded: (path, stamp) => known.uploaded(path, stamp),
        remember(path, stamp, file) {
          onRead?.(path);
          known.remember(path, stamp, file);
        },
        flush: () => known.flush(),
        reading: (task) => known.reading(task),
      },
      records: recordLedger(database, 'me', mark, now),
    },
    wellness,
    deviceAccess,
    marks: watchMarks(database, 'me', now),
    outbox: new Outbox(stateDir, 'me', mark),
    client: client ?? clientOf(sandbox).client,
    url: (endpoint) => new URL(endpoint === 'wellness' ? '/api/wellness' : '/', sandbox.url),
    report: (event) => events.push(event),
    onSignal: () => undefined,
    delivers,
    zone: () => Promise.resolve({ name: 'Europe/Berlin', from: 'profile' }),
    prefer: [],
  };
  const all = { folders: [folder], newOnly: false, pollMs: undefined, dryRun: false, ...given };
  const watcher = new Watcher(testContext({ clock, signal: stop.signal }), all, target);
  const running = once ? watcher.once() : watcher.run();
  let ended: Promise<void> | undefined;
  const end = () =>
    (ended ??= (async () => {
      stop.abort(new Error('stopped'));
      await running.catch(() => undefined);
      database.close();
      mark.release();
    })());
  ends.push(end);
  return { watcher, running, events, target, database, end };
}

export const held = () => sandbox.control.state().athletes.flatMap(({ recordings }) => recordings);
export const happened = (events: readonly WatchNotice[], name: WatchNotice['event']) =>
  events.filter(({ event }) => event === name);
