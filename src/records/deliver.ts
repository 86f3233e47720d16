import { type ErrorCode, SyncError } from '../errors.ts';
import type { RecordLedger } from '../ledger/records.ts';
import { inParallel } from '../parallel.ts';
import type { ServiceClient } from '../service/client.ts';
import { fateOf } from '../service/http-failure.ts';
import { type Failure, Outlook, failureOf, isAboutTheItem } from '../service/outlook.ts';
import type { Clock } from '../time.ts';
import {
  type Plan,
  type PlanOptions,
  UNCHANGED,
  appendedWarning,
  fateUnknown,
  planOf,
} from './plan.ts';
import type { JsonObject, PreparedRecord, RecordKind, Warning } from './types.ts';

export interface DeliveryOptions extends PlanOptions {
  /** Requests under way at once; one a date. */
  readonly jobs: number;
}

export interface DeliveryNeeds {
  readonly ledger: RecordLedger;
  /** Asked for when the first record has to be sent, and not at all if none has. */
  readonly client: () => Promise<ServiceClient>;
  /** Where records of a kind go, for `--dry-run`. */
  readonly url: (kind: RecordKind) => URL;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (item: RecordItem) => void;
}

/** What became of one day. */
export type RecordItem = {
  readonly kind: RecordKind;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Every input record that is in it. */
  readonly sources: readonly string[];
  readonly warnings: readonly Warning[];
  /** Did the zone decide about the date, or about an offset in the body? */
  readonly zoneUsed: boolean;
} & (
  | { readonly outcome: 'pushed'; readonly attempts: number }
  | { readonly outcome: 'skipped'; readonly reason: 'unchanged' }
  | {
      readonly outcome: 'rejected';
      readonly status?: number;
      readonly message: string;
      readonly attempts: number;
    }
  | ({ readonly outcome: 'failed'; readonly attempts?: number } & Failure)
  /** `--dry-run`: what would be sent. */
  | { readonly outcome: 'would-push'; readonly request: RecordRequest }
);

export interface RecordRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly body: JsonObject;
}

type Outcome = RecordItem extends infer Item
  ? Item extends RecordItem
    ? Omit<Item, 'kind' | 'date' | 'sources' | 'warnings' | 'zoneUsed'>
    : never
  : never;

/** Between two looks at a day that another process is sending, in ms. */
const BUSY_POLL_MS = 50;

/**
 * Sends one request a date, several dates at once. A date that fails holds up no other; a dead
 * login, or a service that does not answer, ends the run early. Every record is reported once.
 *
 * @throws SyncError `STORAGE` when the ledger fails; the signal's reason when it is aborted.
 */
export async function deliverRecords(
  records: readonly PreparedRecord[],
  options: DeliveryOptions,
  needs: DeliveryNeeds,
): Promise<void> {
  const outlook = new Outlook();
  const seen = { appending: false };
  const run = new Map(records.map((record) => [record.date, record]));
  const plan = (record: PreparedRecord) => planOf(record, options, needs.ledger, run);
  await inParallel(records, options.jobs, async (record) => {
    needs.signal.throwIfAborted();
    const extra: Warning[] = [];
    const outcome: Outcome = outlook.hopeless
      ? { outcome: 'failed', ...outlook.hopeless }
      : await deliver(record, options, needs, { outlook, plan, seen, warnings: extra });
    const { kind, date, sources, zoneUsed } = record;
    needs.report({
      kind,
      date,
      sources,
      zoneUsed,
      warnings: [...record.warnings, ...extra],
      ...outcome,
    });
  });
}

/** What the delivery of a day shares with its run, and what there is to say of it. */
interface Run {
  readonly outlook: Outlook;
  readonly plan: (record: PreparedRecord) => Plan;
  readonly warnings: Warning[];
  readonly seen: { appending: boolean };
}

async function deliver(
  record: PreparedRecord,
  options: DeliveryOptions,
  needs: DeliveryNeeds,
  run: Run,
): Promise<Outcome> {
  const { kind, date, digest } = record;
  const { ledger, clock, signal } = needs;
  if (options.dryRun) {
    if (!options.force && ledger.isUnchanged(kind, date, digest)) return UNCHANGED;
    const plan = run.plan(record);
    run.warnings.push(...plan.warnings);
    if (plan.settled !== undefined) return plan.settled;
    run.warnings.push(...plan.consequences);
    const request = { method: 'POST', url: needs.url(kind).href, body: plan.body } as const;
    return { outcome: 'would-push', request };
  }
  for (;;) {
    const claim = ledger.claim(kind, date, digest, options.force);
    if (claim === 'unchanged') return UNCHANGED;
    if (claim === 'yours') break;
    await clock.sleep(BUSY_POLL_MS, signal);
  }
  try {
    const plan = run.plan(record);
    run.warnings.push(...plan.warnings);
    if (plan.settled === undefined) return await send(record, plan, needs, run);
    if (plan.settled === UNCHANGED) ledger.confirm(kind, date, digest);
    return plan.settled;
  } finally {
    ledger.release(kind, date);
  }
}

async function send(
  record: PreparedRecord,
  plan: Plan,
  needs: DeliveryNeeds,
  run: Run,
): Promise<Outcome> {
  const { outlook } = run;
  const { kind, date, digest } = record;
  const { ledger } = needs;
  const failed = (failure: SyncError): Outcome & { outcome: 'failed' } => {
    outlook.failed(failureOf(failure));
    return { outcome: 'failed', ...failureOf(failure) };
  };
  const client = await orFailure(needs.client());
  if ('failure' in client) return failed(client.failure);
  const markSent = () => {
    if (plan.appends) ledger.markSent(date, plan.keys);
  };
  // They did not arrive now; those that may have arrived before stay unknown.
  const forget = () => {
    const { keys, again } = plan;
    if (plan.appends)
      ledger.forgetItems(
        date,
        keys.filter((key) => !again.includes(key)),
      );
  };
  // A body without items may come twice: there is nothing in it that a day could hold twice.
  const repeatable = plan.appends && plan.keys.length > 0 ? 'unless-acted-on' : 'always';
  const pushed = client.value.push(kind, plan.body, repeatable, needs.signal, markSent);
  const answer = await orFailure(pushed, (grave) => {
    if (fateOf(grave) === 'not-sent') forget();
  });
  if ('value' in answer) {
    outlook.answered();
    const { attempts } = answer.value;
    if (answer.value.outcome === 'rejected') {
      forget();
      return { outcome: 'rejected', message: answer.value.message, attempts };
    }
    if (kind === 'nutrition') noteItems(record, plan, answer.value.items, ledger, run);
    if (plan.unclear > 0) return fateUnknown(date, plan.unclear);
    ledger.confirm(kind, date, digest);
    return { outcome: 'pushed', attempts };
  }
  const { failure } = answer;
  const { attempts: tries, status, fate } = failure.details;
  const attempts = typeof tries === 'number' ? tries : 0;
  if (failure.code === 'REJECTED' && isAboutTheItem(failure)) {
    outlook.answered();
    forget();
    const said = typeof status === 'number' ? { status } : {};
    return { outcome: 'rejected', message: failure.message, attempts, ...said };
  }
  const outcome = { ...failed(failure), attempts };
  const arrived = fate === 'unknown' || (failure.code === 'SERVICE_ANSWER' && fate !== 'not-sent');
  if (repeatable === 'unless-acted-on' && arrived) {
    return { ...fateUnknown(date, plan.keys.length + plan.unclear), attempts };
  }
  forget();
  return outcome;
}

/**
 * Writes down which items the service has now, and what of it a person should know.
 *
 * @param held how many it says that it has for the day, if it does.
 */
function noteItems(
  record: PreparedRecord,
  plan: Plan,
  held: number | undefined,
  ledger: RecordLedger,
  { warnings, seen }: Run,
): void {
  const { date } = record;
  const sent = plan.keys.length;
  const kept = !plan.appends && held !== undefined && held > sent;
  ledger.confirmItems(date, plan.keys, !plan.appends && !kept);
  if (kept) {
    warnings.push(appendedWarning(record, sent, held, !seen.appending));
    seen.appending = true;
  } else {
    warnings.push(...plan.consequences);
  }
  // A day that was new here says nothing: others may have written into it.
  if (plan.appends || held === undefined || plan.known === 0) return;
  if (!kept) ledger.noteAppends(false);
  else if (held >= plan.known + sent) ledger.noteAppends(true);
}

/** Failures that are one record's or the service's become values; the rest goes on upwards. */
async function orFailure<T>(
  task: Promise<T>,
  onGrave?: (error: SyncError) => void,
): Promise<{ value: T } | { failure: SyncError }> {
  try {
    return { value: await task };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const grave: readonly ErrorCode[] = ['STORAGE', 'INTERRUPTED'];
    if (!grave.includes(error.code)) return { failure: error };
    onGrave?.(error);
    throw error;
  }
}
