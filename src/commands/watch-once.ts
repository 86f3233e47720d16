import { ExitCode, exitCodeOf, worstExitCode } from '../errors.ts';
import type { Lock } from '../ledger/lock.ts';
import type { UploadItem, UploadOutcome } from '../upload/report.ts';
import { lockFolders } from '../watch/folder-lock.ts';
import { openOutbox } from '../watch/outbox.ts';
import { Watcher } from '../watch/watcher.ts';
import { type UploadSummary, exitCodeOfItem } from './upload.ts';
import { type WatchCommandOptions, type WatchNeeds, watcherNeeds } from './watch.ts';

/** What came of one look (`--once`). */
export interface WatchOnceReport {
  readonly summary: UploadSummary;
  readonly exitCode: ExitCode;
}

/**
 * Looks at the folders once and sends what is new; each file is reported as an upload.
 *
 * @throws SyncError `BUSY`, `STORAGE`, `INTERRUPTED`; what goes wrong with one file is in its report.
 */
export async function runWatchOnce(
  options: WatchCommandOptions,
  needs: WatchNeeds,
): Promise<WatchOnceReport> {
  const opened = await needs.open();
  let locks: Lock | undefined;
  const counts: Record<UploadOutcome, number> = {
    uploaded: 0,
    duplicate: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    failed: 0,
    'would-upload': 0,
  };
  const codes = new Set<ExitCode>();
  let total = 0;
  const onItem = (item: UploadItem) => {
    total++;
    counts[item.outcome]++;
    codes.add(exitCodeOfItem(item));
    needs.report({ event: 'upload', item });
  };
  try {
    locks = await lockFolders({ ...needs, account: opened.account }, options.folders);
    const outbox = openOutbox(needs.stateDir, opened.outboxRows, () => needs.clock.now());
    const trouble: string[] = [];
    const watcher = new Watcher(options, {
      ...watcherNeeds(needs, opened, outbox),
      signal: needs.signal,
      report: (event) => {
        if (event.event === 'upload') onItem(event.item);
        else if (event.event === 'problem') {
          trouble.push(event.message);
          needs.report(event);
        }
      },
      loginChanged: () => false,
      onChange: () => undefined,
      onSwept: () => undefined,
      onTick: () => undefined,
    });
    await watcher.once(onItem);
    if (trouble.length > 0) codes.add(exitCodeOf('INPUT_INVALID'));
    const exitCode = worstExitCode(codes);
    if (exitCode === ExitCode.ok && !options.dryRun) {
      // The run is good whether or not a monitor hears of it.
      await needs.heartbeat?.(needs.signal).catch(() => undefined);
    }
    return { summary: { total, ...counts }, exitCode };
  } finally {
    locks?.release();
    await opened.close();
  }
}
