import type { Context } from '../base/context.ts';
import { type DeliveryOptions, type DeliveryTarget, deliverRecords } from '../records/deliver.ts';
import { BatchSender } from '../upload/batch-sender.ts';
import type { SenderTarget } from '../upload/pipeline.ts';
import type { Stock } from './stock.ts';
import { KINDS } from './take-records.ts';

export interface SendOptions extends DeliveryOptions {
  /** Requests in flight at once. */
  readonly jobs: number;
}

/**
 * Sends everything of a stock: recordings, then wellness, then nutrition. Reports each recording and
 * each day once.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function sendStock(
  context: Context,
  { files, members, records }: Stock,
  options: SendOptions,
  recordings: SenderTarget,
  days: DeliveryTarget,
): Promise<void> {
  const { jobs, dryRun } = options;
  const upload = { jobs, dryRun, force: false, anyType: false, metadata: {} };
  const sender = new BatchSender(context, upload, recordings, files.length + members.length);
  await sender.sendFiles(files);
  await sender.sendMembers(members);
  for (const kind of KINDS) await deliverRecords(context, records[kind].records, options, days);
}
