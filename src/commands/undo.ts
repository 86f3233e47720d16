import type { ExitCode } from '../base/errors.ts';
import {
  type DeliveryNeeds,
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../records/deliver.ts';
import { emptyDay } from '../records/merge.ts';
import { exitCodeOfPush } from './push.ts';

export interface UndoOptions extends Pick<DeliveryOptions, 'force' | 'dryRun' | 'nutrition'> {
  /** `YYYY-MM-DD` */
  readonly date: string;
}

/**
 * Takes back what was sent from here for a nutrition day, as far as the service allows it. What the
 * athlete or another program entered stays.
 *
 * @throws SyncError `STORAGE`, `INTERRUPTED`
 */
export async function runUndo(
  { date, ...options }: UndoOptions,
  needs: Omit<DeliveryNeeds, 'report'>,
): Promise<{ readonly item: RecordItem; readonly exitCode: ExitCode }> {
  const items: RecordItem[] = [];
  await deliverRecords(
    [emptyDay(date, [])],
    { ...options, jobs: 1, undo: true },
    { ...needs, report: (item) => items.push(item) },
  );
  const [item] = items;
  if (item === undefined) throw new Error(`no outcome for ${date}`);
  return { item, exitCode: exitCodeOfPush(item) };
}
