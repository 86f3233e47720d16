import { Tally } from '../../app/outcomes.ts';
import type { OpenLedger } from '../../app/ledger.ts';
import type { Context } from '../../base/context.ts';
import { SyncError } from '../../base/errors.ts';
import type { DayItem } from '../../ledger/nutrition.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { takeBack } from '../../upload/undo.ts';
import {
  type DeliveryOptions,
  type DeliveryTarget,
  type RecordItem,
  deliverRecords,
} from '../../records/deliver.ts';
import { itemKey } from '../../records/nutrition/items.ts';
import { emptyDay } from '../../records/prepared-record.ts';
import { type SynthesizeOptions, type SyntheticDay, synthesize } from '../../seed/synthesize.ts';
import { recordsOf, seedInput, spanOf } from './days.ts';
import { sha256 } from '../../system/this-process.ts';

/** A recording of a seed whose workout was removed, or with a dry run would be, if the service offers it. */
export interface RemovedRecording {
  readonly removed: LedgerUpload;
  readonly workoutId: string | undefined;
}

/** Data of a seed that the service holds and offers no way to delete. */
export type Leftover =
  | ({ readonly kind: 'recording' } & Pick<LedgerUpload, 'path' | 'sha256' | 'activity'>)
  | { readonly kind: 'wellness'; readonly date: string };

export type RemovalReport = Awaited<ReturnType<typeof removeSeed>>;
export type RemovalItem = Leftover | RemovedRecording | RecordItem;

interface RemovalTarget {
  readonly ledger: Pick<OpenLedger, 'uploads' | 'records'>;
  readonly records: Omit<DeliveryTarget, 'report' | 'ledger'>;
  readonly report: (item: RemovalItem) => void;
}

type RemovalOptions = SynthesizeOptions & DeliveryOptions;

/** A day without its recordings, of which the hashes suffice. */
type RemovedDay = Omit<SyntheticDay, 'recordings'>;

/**
 * Removes what `sync seed` sent to one account, by the ledger: items of nutrition, and recordings, if the
 * service offers that. It keeps wellness. What stays is reported. The ledger forgets all of it, so that
 * the next `sync seed` sends it again. Other workouts stay.
 *
 * @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED`
 */
export async function removeSeed(
  context: Pick<Context, 'clock' | 'signal'>,
  options: RemovalOptions,
  target: RemovalTarget,
) {
  const tally = new Tally('day');
  const left = { recording: 0, wellness: 0 };
  let recordings = 0;
  const report = (item: RemovalItem) => {
    if ('outcome' in item) tally.add(item);
    else if ('kind' in item) left[item.kind]++;
    else recordings++;
    target.report(item);
  };
  const days: RemovedDay[] = [];
  const hashes = new Set<string>();
  for (const { recordings: made, ...day } of synthesize(options)) {
    context.signal.throwIfAborted();
    for (const { bytes } of made) hashes.add(sha256(bytes));
    days.push(day);
  }
  const reporting = { ...target, report };
  await removeRecordings(context, hashes, options, reporting);
  await forgetWellness(context, days, options, reporting);
  await removeNutrition(context, days, options, reporting);
  return {
    ...spanOf(options),
    left,
    /** {@link RemovedRecording}s. */
    recordings,
    dryRun: options.dryRun,
    /** Days: `pushed` ones were removed. */
    nutrition: tally.counts,
    exitCode: tally.exitCode,
  };
}

async function removeRecordings(
  context: Pick<Context, 'clock' | 'signal'>,
  hashes: ReadonlySet<string>,
  { dryRun }: RemovalOptions,
  { ledger: { uploads }, records: { client }, report }: RemovalTarget,
): Promise<void> {
  const sent = uploads.confirmed({ undoing: true }).filter(({ sha256: hash }) => hashes.has(hash));
  const left = new Set(sent.map(({ sha256: hash }) => hash));
  const leave = (hash: string, workoutId?: string) => {
    const upload = uploads.find(hash);
    if (upload === undefined) return;
    const { path, activity } = upload;
    const isRemoved = dryRun || workoutId !== undefined;
    report(
      isRemoved
        ? { removed: upload, workoutId }
        : { kind: 'recording', path, sha256: hash, activity },
    );
    if (!dryRun) uploads.forget(hash);
    left.delete(hash);
  };
  try {
    if (!dryRun) {
      const all = () => Promise.resolve(true);
      await takeBack(context, sent, uploads, client, all, (item) => {
        leave(item.upload.sha256, 'obstacle' in item ? undefined : item.workoutId);
      });
    }
  } catch (error) {
    // Without the scope the recordings stay, and the records go.
    if (!(error instanceof SyncError && error.code === 'SCOPE_MISSING')) throw error;
  }
  for (const hash of left) leave(hash);
}

async function forgetWellness(
  context: Pick<Context, 'signal'>,
  days: readonly RemovedDay[],
  options: RemovalOptions,
  { ledger: { records: ledger }, report }: RemovalTarget,
): Promise<void> {
  for (const { date, digest } of await recordsOf('wellness', days, options, context)) {
    // Another push may have changed the day since: it is no longer the seed's.
    const isOurs = ledger.filesOf('wellness', date).some(({ path }) => path === seedInput(options));
    if (!isOurs || ledger.find('wellness', date)?.digest !== digest) continue;
    report({ kind: 'wellness', date });
    if (!options.dryRun) ledger.forget('wellness', date);
  }
}

async function removeNutrition(
  context: Pick<Context, 'clock' | 'signal'>,
  days: readonly RemovedDay[],
  options: RemovalOptions,
  { ledger: { records: ledger }, records, report }: RemovalTarget,
): Promise<void> {
  const input = seedInput(options);
  const made = await recordsOf('nutrition', days, options, context);
  const parts = made.flatMap((record) => record.parts);
  const keys = new Set(parts.flatMap(({ items = [] }) => items.map(itemKey)));
  const isOfSeed = ({ inputs, body }: DayItem) =>
    inputs.length > 0 && inputs.every(({ name }) => name === input) && keys.has(itemKey(body));
  const empty = made
    .filter(({ date }) => ledger.nutrition.day(date).items.some(isOfSeed))
    .map(({ date }) => emptyDay(date, [input]));
  const undo = { origin: input, remember: false };
  await deliverRecords(context, empty, { ...options, undo }, { ...records, ledger, report });
}
