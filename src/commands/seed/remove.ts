import { exitCodeOfPush } from '../../app/words/days.ts';
import type { OpenLedger } from '../../app/ledger.ts';
import type { Context } from '../../base/context.ts';
import { type ExitCode, worstExitCode } from '../../base/errors.ts';
import type { Activity } from '../../fit/activity.ts';
import type { SentItem } from '../../ledger/nutrition.ts';
import {
  type DeliveryOptions,
  type DeliveryTarget,
  type RecordItem,
  deliverRecords,
} from '../../records/deliver.ts';
import { itemKey } from '../../records/nutrition/items.ts';
import { emptyDay } from '../../records/merge.ts';
import type { RecordKind } from '../../records/types.ts';
import { type SynthesizeOptions, type SyntheticDay, synthesize } from '../../seed/synthesize.ts';
import { inBatches, recordsOf, seedInput } from './days.ts';
import { sha256 } from '../../system/sha256.ts';

/** Data of a seed that the service holds and offers no way to delete. */
export type Leftover =
  | {
      readonly kind: 'recording';
      readonly path: string;
      readonly sha256: string;
      readonly activity: Activity;
    }
  | { readonly kind: 'wellness'; readonly date: string };

export interface RemovalSummary {
  readonly from: string;
  readonly until: string;
  /** Days of nutrition that were removed. */
  readonly removed: number;
  readonly left: Readonly<Record<Leftover['kind'], number>>;
  /** Days of nutrition with another outcome. */
  readonly outcomes: Readonly<Partial<Record<RecordItem['outcome'], number>>>;
}

export interface RemovalTarget {
  readonly ledger: Pick<OpenLedger, 'uploads' | 'records'>;
  readonly records: Omit<DeliveryTarget, 'report' | 'ledger'>;
  readonly report: (item: Leftover | RecordItem) => void;
}

/** A day's data, with the hash of each recording instead of its bytes. */
type RemovedDay = Pick<SyntheticDay, 'date' | RecordKind> & { readonly hashes: readonly string[] };

/**
 * Removes what `sync seed` sent to one account, by the ledger: items of nutrition. The service deletes
 * neither recordings nor wellness; these are reported, and the ledger forgets them, so that the next
 * `sync seed` sends them again. What came from elsewhere stays.
 */
export class AccountClearer {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: SynthesizeOptions & DeliveryOptions;
  readonly #target: RemovalTarget;
  readonly #input: string;
  readonly #codes = new Set<ExitCode>();
  readonly #outcomes: Partial<Record<RecordItem['outcome'], number>> = {};
  readonly #left = { recording: 0, wellness: 0 };
  readonly #dates: string[] = [];

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: SynthesizeOptions & DeliveryOptions,
    target: RemovalTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#input = seedInput(options);
  }

  get summary(): RemovalSummary {
    const { pushed: removed = 0, ...outcomes } = this.#outcomes;
    return {
      from: this.#dates[0] ?? '',
      until: this.#dates.at(-1) ?? '',
      removed,
      left: this.#left,
      outcomes,
    };
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }

  /** @throws SyncError `USAGE`, `STORAGE`, `INTERRUPTED` */
  async run(): Promise<void> {
    for (const days of inBatches(synthesize(this.#options), toRemove)) {
      this.#context.signal.throwIfAborted();
      this.#dates.push(...days.map(({ date }) => date));
      this.#leaveRecordings(days);
      await this.#leaveWellness(days);
      await this.#removeNutrition(days);
    }
  }

  #leaveRecordings(days: readonly RemovedDay[]): void {
    const { uploads } = this.#target.ledger;
    for (const sha256 of new Set(days.flatMap(({ hashes }) => hashes))) {
      const upload = uploads.find(sha256);
      if (upload?.state !== 'confirmed') continue;
      const { path, activity } = upload;
      this.#leave({ kind: 'recording', path, sha256, activity });
      if (!this.#options.dryRun) uploads.forget(sha256);
    }
  }

  async #leaveWellness(days: readonly RemovedDay[]): Promise<void> {
    const { records } = this.#target.ledger;
    const made = await recordsOf('wellness', days, this.#options, this.#context);
    for (const { date, digest } of made) {
      // Another push may have changed the day since: it is no longer the seed's.
      const isOurs = records.filesOf('wellness', date).some(({ path }) => path === this.#input);
      if (!isOurs || records.find('wellness', date)?.digest !== digest) continue;
      this.#leave({ kind: 'wellness', date });
      if (!this.#options.dryRun) records.forget('wellness', date);
    }
  }

  async #removeNutrition(days: readonly RemovedDay[]): Promise<void> {
    const { ledger, records } = this.#target;
    const made = await recordsOf('nutrition', days, this.#options, this.#context);
    const keys = new Set(
      made.flatMap((record) =>
        record.kind === 'nutrition'
          ? record.parts.flatMap(({ items = [] }) => items.map(itemKey))
          : [],
      ),
    );
    const undo = ({ input, body }: SentItem) => input === this.#input && keys.has(itemKey(body));
    const isKnown = (date: string) => {
      const { stored, intended = stored } = ledger.records.nutrition.day(date);
      return intended.items.some(undo);
    };
    const empty = made.flatMap(({ date }) =>
      isKnown(date) ? [emptyDay(date, [this.#input])] : [],
    );
    await deliverRecords(
      this.#context,
      empty,
      { ...this.#options, undo },
      {
        ...records,
        ledger: ledger.records,
        report: (item) => {
          this.#outcomes[item.outcome] = (this.#outcomes[item.outcome] ?? 0) + 1;
          this.#codes.add(exitCodeOfPush(item));
          this.#target.report(item);
        },
      },
    );
  }

  #leave(leftover: Leftover): void {
    this.#left[leftover.kind]++;
    this.#target.report(leftover);
  }
}

function toRemove({ date, recordings, wellness, nutrition }: SyntheticDay): RemovedDay {
  const hashes = recordings.map(({ bytes }) => sha256(bytes));
  return { date, hashes, wellness, nutrition };
}
