import { ExitCode } from '../base/errors.ts';
import type { Lock } from '../system/process-lock.ts';
import type { UploadItem } from '../upload/report.ts';
import { lockFolders } from '../daemon/registration.ts';
import { openOutbox } from '../watch/outbox.ts';
import { Watcher } from '../watch/watcher.ts';
import { type UploadReport, UploadTally } from '../upload/tally.ts';
import type { WatchCommandOptions, WatchNeeds } from './watch-needs.ts';
import { watcherNeeds } from './watch-round.ts';

/**
 * Looks at the folders once and sends what is new; each file is reported as an upload.
 *
 * @throws SyncError `BUSY`, `STORAGE`, `INTERRUPTED`, `AUTH_EXPIRED` (see {@link Watcher.once}); what goes
 *   wrong with one file is in its report.
 */
export async function runWatchOnce(
  options: WatchCommandOptions,
  needs: Omit<WatchNeeds, 'registration'>,
): Promise<UploadReport> {
  const opened = await needs.open('online');
  let locks: Lock | undefined;
  const tally = new UploadTally();
  const onItem = (item: UploadItem) => {
    tally.add(item);
    needs.report({ event: 'upload', item });
  };
  try {
    locks = await lockFolders({ ...needs, account: opened.account }, options.folders);
    const outbox = openOutbox(needs.stateDir, opened.outboxRows, () => needs.clock.now());
    const watcher = new Watcher(options, {
      ...watcherNeeds(needs, opened, outbox),
      signal: needs.signal,
      report: (event) => {
        if (event.event === 'upload') onItem(event.item);
        else if (event.event === 'problem') {
          tally.addTrouble('INPUT_INVALID');
          needs.report(event);
        } else if (event.event === 'missing') {
          tally.addTrouble('REJECTED');
          needs.report(event);
        } else if (event.event === 'unverified') needs.report(event);
      },
      onChange: () => undefined,
      onRescanned: () => undefined,
      onTick: () => undefined,
    });
    await watcher.once(onItem);
    const { report } = tally;
    if (report.exitCode === ExitCode.ok && !options.dryRun) {
      // The run is good whether or not a monitor hears of it.
      await needs.heartbeat?.(needs.signal).catch(() => undefined);
    }
    return report;
  } finally {
    locks?.release();
    await opened.close();
  }
}
