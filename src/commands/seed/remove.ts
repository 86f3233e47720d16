import { type OutcomeCounts, Tally } from '../../app/outcomes.ts';
import type { OpenLedger } from '../../app/ledger.ts';
import type { Context } from '../../base/context.ts';
import { type ExitCode, SyncError } from '../../base/errors.ts';
import type { Activity } from '../../fit/activity.ts';
import type { SentItem } from '../../ledger/nutrition.ts';
import type { ConfirmedUpload, LedgerUpload } from '../../ledger/uploads.ts';
import { type Removable, type Undoable, findUndoable, removeWorkout } from '../../upload/undo.ts';
import {
  type DeliveryOptions,
  type DeliveryTarget,
  type RecordItem,
  deliverRecords,
} from '../../records/deliver.ts';
import { itemKey } from '../../records/nutrition/items.ts';
import { isDropped } from '../../records/nutrition/day-plan.ts';
import { emptyDay } from '../../records/merge.ts';
import type { RecordKind } from '../../records/types.ts';
import { type SynthesizeOptions, type SyntheticDay, synthesize } from '../../seed/synthesize.ts';
import { inBatches, recordsOf, seedInput } from './days.ts';
import { sha256 } from '../../system/this-process.ts';

/** A recording of a seed whose workout was removed, or with a dry run would be, if the service offers it. */
export interface RemovedRecording {
  readonly removed: LedgerUpload;
  readonly workoutId: string | undefined;
}

/** Data of a seed that the service holds and offers no way to delete. */
export type Leftover =
  | {
      readonly kind: 'recording';
      readonly path: string;
      readonly sha256: string;
      readonly activity: Activity;
    }
  | { readonly kind: 'wellness'; readonly date: string };

export interface RemovalReport {
  readonly from: string;
  readonly until: string;
  readonly left: Readonly<Record<Leftover['kind'], number>>;
  /** {@link RemovedRecording}s. */
  readonly recordings: number;
  readonly dryRun: boolean;
  /** Days of nutrition: `pushed` ones were removed. */
  readonly nutrition: OutcomeCounts;
  readonly exitCode: ExitCode;
}

export interface RemovalTarget {
  readonly ledger: Pick<OpenLedger, 'uploads' | 'records'>;
  readonly records: Omit<DeliveryTarget, 'report' | 'ledger'>;
  readonly report: (item: Leftover | RemovedRecording | RecordItem) => void;
}

/** A day's data, with the hash of each recording instead of its bytes. */
type RemovedDay = Pick<SyntheticDay, 'date' | RecordKind> & { readonly hashes: readonly string[] };

/**
 * Removes what `sync seed` sent to one account, by the ledger: items of nutrition, and recordings, if the
 * service offers that. It keeps wellness. What stays is reported. The ledger forgets all of it, so that
 * the next `sync seed` sends it again. Other workouts stay.
 *
 * @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED`
 */
export async function removeSeed(
  context: Pick<Context, 'clock' | 'signal'>,
  options: SynthesizeOptions & DeliveryOptions,
  { ledger, records, report }: RemovalTarget,
): Promise<RemovalReport> {
  const input = seedInput(options);
  const tally = new Tally('day');
  const left = { recording: 0, wellness: 0 };
  let recordings = 0;
  let isOffered = true;
  const dates: string[] = [];
  const leave = (leftover: Leftover) => {
    left[leftover.kind]++;
    report(leftover);
  };

  const offersRemoval = async (workout: Removable): Promise<boolean> => {
    const client = await records.client();
    return (await offered(() => removeWorkout(workout, client, context.signal))) ?? false;
  };

  for (const days of inBatches(synthesize(options), toRemove)) {
    context.signal.throwIfAborted();
    dates.push(...days.map(({ date }) => date));
    const hashes = new Set(days.flatMap((day) => day.hashes));
    const uploads = ledger.uploads.confirmed().filter(({ sha256: hash }) => hashes.has(hash));
    const found: readonly Undoable[] =
      options.dryRun || !isOffered
        ? uploads.map(unfound)
        : ((await offered(() => findUndoable(context, uploads, ledger.uploads, records.client))) ??
          uploads.map(unfound));
    for (const item of found) {
      const upload = ledger.uploads.find(item.upload.sha256);
      if (upload === undefined) continue;
      const { path, sha256: hash, activity } = upload;
      const removed = 'workoutId' in item && isOffered ? item : undefined;
      if (removed !== undefined) {
        isOffered = await offersRemoval(removed);
      }
      if (options.dryRun || (removed !== undefined && isOffered)) {
        recordings++;
        report({ removed: upload, workoutId: removed?.workoutId });
      } else leave({ kind: 'recording', path, sha256: hash, activity });
      if (!options.dryRun) ledger.uploads.forget(hash);
    }
    for (const { date, digest } of await recordsOf('wellness', days, options, context)) {
      // Another push may have changed the day since: it is no longer the seed's.
      const isOurs = ledger.records.filesOf('wellness', date).some(({ path }) => path === input);
      if (!isOurs || ledger.records.find('wellness', date)?.digest !== digest) continue;
      leave({ kind: 'wellness', date });
      if (!options.dryRun) ledger.records.forget('wellness', date);
    }

    const made = await recordsOf('nutrition', days, options, context);
    const keys = new Set(
      made.flatMap((record) =>
        record.kind === 'nutrition'
          ? record.parts.flatMap(({ items = [] }) => items.map(itemKey))
          : [],
      ),
    );
    const undo = (item: SentItem) => item.input === input && keys.has(itemKey(item.body));
    const isKnown = (date: string) => {
      const { items } = ledger.records.nutrition.day(date);
      return items.some((item) => !isDropped(item) && undo(item));
    };
    const empty = made.flatMap(({ date }) => (isKnown(date) ? [emptyDay(date, [input])] : []));
    const target = {
      ...records,
      ledger: ledger.records,
      report: (item: RecordItem) => {
        tally.add(item);
        report(item);
      },
    };
    await deliverRecords(context, empty, { ...options, undo }, target);
  }
  return {
    from: dates[0] ?? '',
    until: dates.at(-1) ?? '',
    left,
    recordings,
    dryRun: options.dryRun,
    nutrition: tally.counts,
    exitCode: tally.exitCode,
  };
}

function unfound(upload: ConfirmedUpload): Undoable {
  return { upload, obstacle: 'missing' };
}

/** Returns undefined if the login lacks the scope: the recordings stay, and the records go. */
async function offered<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SCOPE_MISSING') return undefined;
    throw error;
  }
}

function toRemove({ date, recordings, wellness, nutrition }: SyntheticDay): RemovedDay {
  const hashes = recordings.map(({ bytes }) => sha256(bytes));
  return { date, hashes, wellness, nutrition };
}
