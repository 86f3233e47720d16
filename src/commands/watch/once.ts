import { Tally, exitCodeOfItem } from '../../app/outcomes.ts';
import { exitCodeOf, exitCodeOfDelivery } from '../../base/errors.ts';
import { lockScope } from '../../daemon/registration.ts';
import { type MonitorOptions, devicesAt } from '../../devices/monitor.ts';
import { mayHang, isBelow } from '../../system/mounts.ts';
import type { Lock } from '../../system/process-lock.ts';
import type { UploadItem } from '../../upload/report.ts';
import { POLL_MS } from '../../watch/find/watched-folder.ts';
import { Outbox } from '../../watch/send/outbox.ts';
import type { WatchNotice } from '../../watch/report.ts';
import type { DeviceSource, WatcherOptions } from '../../watch/parts.ts';
import { Watcher } from '../../watch/watcher.ts';
import { foldersIn, wellnessFolders } from '../../watch/wellness/folders.ts';
import type { OnceSetup } from '../../app/watching/login.ts';

/** Events that are shown, beside the outcomes of recordings. */
const SHOWN: readonly WatchNotice['event'][] = [
  'day',
  'days-waiting',
  'device',
  'device-ignored',
  'kept-for-others',
  'not-copied',
  'missing',
  'problem',
  'unverified',
  'values-left',
  'weights-left',
];

export type WatchReport = Awaited<ReturnType<typeof runWatchOnce>>;

/**
 * Rescans the folders once and sends new recordings; reports each file as an upload.
 *
 * @throws SyncError `BUSY`, `STORAGE`, `INTERRUPTED`, `AUTH_EXPIRED` (see {@link Watcher.once}); the
 *   failure of one file is in its report
 */
export async function runWatchOnce(options: WatcherOptions, setup: OnceSetup) {
  const { context, stateDir, profile } = setup;
  const { signal } = context;
  const opened = await setup.open('online');
  let locks: Lock | undefined;
  const tally = new Tally('recording');
  /** Wellness days that were sent; of a dry run, that would be. */
  let days = 0;
  const folders = setup.wellness ? await localWellness(options.folders) : [];
  /** Files with wellness that no earlier run read, and that the watcher does not send. */
  let wellness = 0;
  const onItem = (item: UploadItem) => {
    tally.add(item);
    setup.report({ event: 'upload', item });
  };
  try {
    const owner = { stateDir, profile, account: opened.account };
    locks = await lockScope(context, owner, options);
    const source = setup.monitor && (await devicesNow(setup.monitor, signal));
    const outbox = new Outbox(stateDir, opened.account, opened.ledger.mark);
    // File events would come too late.
    const unheard = { ...options, pollMs: options.pollMs ?? POLL_MS };
    const watcher = new Watcher(context, unheard, {
      ...setup,
      ...opened,
      outbox,
      deviceAccess: source && {
        source,
        away: new Map(),
        ignoredDevices: setup.ignoredDevices,
        claim: (folders) => lockScope(context, owner, { folders }),
      },
      report: (event) => {
        if (event.event === 'upload') {
          const { item } = event;
          const holdsWellness = item.outcome === 'skipped' && item.wellness === true;
          if (holdsWellness && !(setup.wellness && isRead(item.path, folders))) wellness++;
          onItem(item);
        } else if (event.event === 'problem') tally.addExitCode(exitCodeOf('INPUT_INVALID'));
        else if (event.event === 'missing') tally.addExitCode(exitCodeOf('REJECTED'));
        else if (event.event === 'days-waiting') tally.addExitCode(exitCodeOfDelivery(event.code));
        else if (event.event === 'day') {
          const { outcome } = event.item;
          if (outcome === 'pushed' || outcome === 'would-push') days++;
          tally.addExitCode(exitCodeOfItem(event.item));
        }
        if (SHOWN.includes(event.event)) setup.report(event);
      },
      tally: onItem,
      onSignal: () => undefined,
    });
    await watcher.once();
    return { uploads: tally, wellness, days };
  } finally {
    locks?.release();
    await opened.close();
  }
}

/** Returns the wellness folders that belong to these, except for the ones of child processes. */
async function localWellness(folders: readonly string[]): Promise<readonly string[]> {
  const local = folders.filter((folder) => !mayHang(folder));
  return (await Promise.all(local.map((folder) => wellnessFolders(folder, foldersIn)))).flat();
}

/** Returns whether the watcher reads the wellness of a file. Removable folders are not compared. */
function isRead(path: string, folders: readonly string[]): boolean {
  return mayHang(path) || folders.some((folder) => isBelow(path, folder));
}

/** Returns the devices that are plugged in now: all there are for one run. */
async function devicesNow(monitor: MonitorOptions, signal: AbortSignal): Promise<DeviceSource> {
  const devices = await devicesAt(monitor, signal);
  return { devices, listen: () => () => undefined, lost: () => undefined };
}
