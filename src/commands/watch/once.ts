import { ExitCode } from '../../base/errors.ts';
import { lockFolders } from '../../daemon/registration.ts';
import type { Lock } from '../../system/process-lock.ts';
import type { UploadItem } from '../../upload/report.ts';
import { type UploadReport, UploadTally } from '../../upload/tally.ts';
import { openOutbox } from '../../watch/outbox.ts';
import { Watcher, type WatcherOptions } from '../../watch/watcher.ts';
import type { OnceSetup } from './login.ts';
import { watcherTarget } from './rounds.ts';

/**
 * Rescans the folders once and sends new recordings; reports each file as an upload.
 *
 * @throws SyncError `BUSY`, `STORAGE`, `INTERRUPTED`, `AUTH_EXPIRED` (see {@link Watcher.once}); the
 *   failure of one file is in its report
 */
export async function runWatchOnce(
  options: WatcherOptions,
  setup: OnceSetup,
): Promise<UploadReport> {
  const { context, stateDir, profile } = setup;
  const { clock, signal } = context;
  const opened = await setup.open('online');
  let locks: Lock | undefined;
  const tally = new UploadTally();
  const onItem = (item: UploadItem) => {
    tally.add(item);
    setup.report({ event: 'upload', item });
  };
  try {
    locks = await lockFolders(
      context,
      { stateDir, profile, account: opened.account },
      options.folders,
    );
    const outbox = openOutbox(stateDir, opened.outboxRows, () => clock.now());
    const watcher = new Watcher(context, options, {
      ...watcherTarget(setup, opened, outbox),
      report: (event) => {
        if (event.event === 'upload') onItem(event.item);
        else if (event.event === 'problem') {
          tally.addTrouble('INPUT_INVALID');
          setup.report(event);
        } else if (event.event === 'missing') {
          tally.addTrouble('REJECTED');
          setup.report(event);
        } else if (event.event === 'unverified') setup.report(event);
      },
      onChange: () => undefined,
      onRescanned: () => undefined,
      onTick: () => undefined,
    });
    await watcher.once(onItem);
    const { report } = tally;
    if (report.exitCode === ExitCode.ok && !options.dryRun) {
      // A monitor that does not answer is no failure of the run.
      await setup.heartbeat?.(signal).catch(() => undefined);
    }
    return report;
  } finally {
    locks?.release();
    await opened.close();
  }
}
