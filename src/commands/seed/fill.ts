import type { PushItem } from '../../app/outcomes.ts';
import type { Context } from '../../base/context.ts';
import { KINDS } from '../../ledger/records.ts';
import { type DeliveryOptions, deliverRecords } from '../../records/deliver.ts';
import {
  type SynthesizeOptions,
  type SyntheticRecording,
  synthesize,
} from '../../seed/synthesize.ts';
import type { Progress } from '../../terminal/progress.ts';
import { BatchSender } from '../../upload/batch-sender.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { Targets } from '../../app/ledger.ts';
import { contentsOf } from '../../upload/read-recording.ts';
import type { Sendable } from '../../upload/sendable.ts';
import { inBatches, recordsOf } from './days.ts';

export interface FillOptions extends SynthesizeOptions, DeliveryOptions {}

/** The service that data are sent to, and the ledger that records them. */
export interface FillTarget extends Targets {
  readonly report: (item: SeedItem) => void;
  readonly progress: Pick<Progress, 'update'>;
}

/** The outcome of a recording or of a day's record. */
export type SeedItem = UploadItem | PushItem;

/**
 * Fills one account with a synthetic athlete's data. It uses the pipelines of `sync upload` and
 * `sync push`: nothing that the ledger knows is sent again.
 *
 * @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED`
 */
export async function fillWithSeed(
  context: Pick<Context, 'clock' | 'signal'>,
  options: FillOptions,
  { upload, records, report, progress }: FillTarget,
): Promise<void> {
  const { force, dryRun, jobs } = options;
  const sending = { force, dryRun, jobs, metadata: { synthetic: true } };
  const sender = new BatchSender(context, sending, { ...upload, report }, undefined);
  let done = 0;
  for (const days of inBatches(synthesize(options))) {
    context.signal.throwIfAborted();
    progress.update({ noun: 'day', done, total: options.days, current: days[0]?.date ?? '' });
    done += days.length;
    await sender.send(days.flatMap((day) => day.recordings.map(sendableOf)));
    for (const kind of KINDS) {
      const ofKind = await recordsOf(kind, days, options, context);
      await deliverRecords(context, ofKind, options, { ...records, report });
    }
  }
}

function sendableOf({ fileName: path, name: title, bytes }: SyntheticRecording): Sendable {
  return { path, title, read: () => Promise.resolve(contentsOf(bytes)) };
}
