import { ExitCode, exitCodeOfDelivery, worstExitCode } from '../base/errors.ts';
import {
  type DeliveryNeeds,
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../records/deliver.ts';
import { type UnreadableInput, prepareInputs } from '../records/prepare.ts';
import type { Input } from '../records/read-input.ts';
import type { InvalidRecord, RecordKind, RecordOptions } from '../records/types.ts';

export interface PushOptions extends RecordOptions, DeliveryOptions {
  readonly kind: RecordKind;
  readonly inputs: readonly Input[];
}

/** What became of a day, of a record that cannot be sent, or of an input that cannot be read. */
export type PushItem = RecordItem | InvalidRecord | UnreadableInput;
export type PushOutcome = PushItem['outcome'];

export interface PushNeeds extends Omit<DeliveryNeeds, 'report'> {
  readonly report: (item: PushItem) => void;
  readonly progress?: ((progress: { done: number; total: number }) => void) | undefined;
}

/** How many days (and unusable records) came to what. */
export type PushSummary = {
  readonly total: number;
  readonly warnings: number;
  /** Of the failed: only a person can tell if these arrived, and no run tries them again by itself. */
  readonly unclear: number;
} & Readonly<Record<PushOutcome, number>>;

export interface PushReport {
  readonly summary: PushSummary;
  readonly exitCode: ExitCode;
}

/**
 * Reads all inputs to their end, then sends a request a day.
 *
 * @throws SyncError `STORAGE`, `INTERRUPTED`; what is wrong with an input, a record or a day is told
 *   in its report.
 */
export async function runPush(options: PushOptions, needs: PushNeeds): Promise<PushReport> {
  const counts: Record<PushOutcome, number> = {
    pushed: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    conflict: 0,
    failed: 0,
    'would-push': 0,
  };
  let total = 0;
  let warnings = 0;
  let unclear = 0;
  const codes = new Set<ExitCode>();
  const report = (item: PushItem) => {
    total++;
    counts[item.outcome]++;
    if ('warnings' in item) warnings += item.warnings.length;
    if (item.outcome === 'failed' && item.code === 'FATE_UNKNOWN') unclear++;
    codes.add(exitCodeOfPush(item));
    needs.report(item);
  };
  const reading = { ...options, now: needs.clock.now() };
  const prepared = await prepareInputs(options.kind, options.inputs, reading, needs.signal);
  for (const item of [...prepared.unreadable, ...prepared.invalid]) report(item);
  let done = 0;
  await deliverRecords(prepared.records, options, {
    ...needs,
    report: (item) => {
      report(item);
      needs.progress?.({ done: ++done, total: prepared.records.length });
    },
  });
  return { summary: { total, warnings, unclear, ...counts }, exitCode: worstExitCode(codes) };
}

/** What one day, record or input alone would end the program with. */
export function exitCodeOfPush(item: PushItem): ExitCode {
  switch (item.outcome) {
    case 'pushed':
    case 'skipped':
    case 'would-push':
      return ExitCode.ok;
    case 'invalid':
      return ExitCode.invalidInput;
    case 'rejected':
    case 'conflict':
      return ExitCode.refused;
    case 'failed':
      return exitCodeOfDelivery(item.code);
  }
}
