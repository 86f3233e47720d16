import { type PushItem, Tally } from '../../app/outcomes.ts';
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
import { inBatches, recordsOf, spanOf } from './days.ts';

export interface FillOptions extends SynthesizeOptions, DeliveryOptions {}

/** The service that data are sent to, and the ledger that records them. */
export interface FillTarget extends Targets {
  readonly report: (item: SeedItem) => void;
  readonly progress: Pick<Progress, 'update'>;
}

/** The outcome of a recording or of a day's record. */
export type SeedItem = UploadItem | PushItem;

export type SeedReport = Awaited<ReturnType<typeof fillWithSeed>>;

/**
 * Fills one account with a synthetic athlete's data. It uses the pipelines of `sync upload` and
 * `sync push`: nothing that the ledger knows is sent again.
 *
 * @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED`
 */
export async function fillWithSeed(
  context: Pick<Context, 'clock' | 'signal'>,
  options: FillOptions,
  target: FillTarget,
) {
  const { force, dryRun, jobs } = options;
  const uploads = new Tally('recording');
  const pushes = new Tally('day');
  const sender = new BatchSender(
    context,
    { force, dryRun, jobs, metadata: { synthetic: true } },
    {
      ...target.upload,
      report(item) {
        uploads.add(item);
        target.report(item);
      },
    },
    undefined,
  );
  let done = 0;
  const report = (item: PushItem) => {
    pushes.add(item);
    target.report(item);
  };

  for (const days of inBatches(synthesize(options))) {
    context.signal.throwIfAborted();
    const current = days[0]?.date ?? '';
    target.progress.update({ noun: 'day', done, total: options.days, current });
    done += days.length;
    await sender.send(days.flatMap((day) => day.recordings.map(sendableOf)));
    for (const kind of KINDS) {
      const records = await recordsOf(kind, days, options, context);
      await deliverRecords(context, records, options, { ...target.records, report });
    }
  }
  return { ...spanOf(options), recordings: uploads, records: pushes };
}

function sendableOf({ fileName: path, name: title, bytes }: SyntheticRecording): Sendable {
  return { path, title, read: () => Promise.resolve(contentsOf(bytes)) };
}
