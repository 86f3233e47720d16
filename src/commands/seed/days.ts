import type { Context } from '../../base/context.ts';
import { daysAfter } from '../../base/time.ts';
import { prepareInputs } from '../../records/prepare.ts';
import { recordsInput } from '../../records/read/input.ts';
import type { PreparedRecord, RecordKind } from '../../records/types.ts';
import type { SynthesizeOptions, SyntheticDay } from '../../seed/synthesize.ts';

/** Returns the origin of a seed's records. The ledger keeps it: `--remove` finds the records by it. */
export function seedInput({ seed }: Pick<SynthesizeOptions, 'seed'>): string {
  return `seed ${seed}`;
}

/** Returns the first and the last day. */
export function spanOf({ days, until }: Pick<SynthesizeOptions, 'days' | 'until'>) {
  return { from: daysAfter(until, 1 - days), until };
}

/** Days that are made, handled and dropped at a time: bounds the memory. */
const DAYS_AT_A_TIME = 7;

export function* inBatches(days: Iterable<SyntheticDay>): Generator<SyntheticDay[]> {
  let batch: SyntheticDay[] = [];
  for (const day of days) {
    batch.push(day);
    if (batch.length < DAYS_AT_A_TIME) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns the records of some days as `sync push` prepares them. */
export async function recordsOf(
  kind: RecordKind,
  days: readonly Pick<SyntheticDay, RecordKind>[],
  options: Pick<SynthesizeOptions, 'seed' | 'zone'>,
  { signal }: Pick<Context, 'signal'>,
): Promise<readonly PreparedRecord[]> {
  const list = days.flatMap((day) => day[kind] ?? []);
  const { records } = await prepareInputs(
    kind,
    [recordsInput(list, seedInput(options))],
    // The seed's own offsets count, whichever zone data it has.
    {
      zone: { name: options.zone, from: 'profile' },
      strict: true,
      origin: seedInput(options),
    },
    signal,
  );
  return records;
}
