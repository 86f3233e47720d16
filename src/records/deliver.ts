import { type ErrorCode, SyncError } from '../errors.ts';
import type { ItemState, RecordLedger } from '../ledger/records.ts';
import { inParallel } from '../parallel.ts';
import type { ServiceClient } from '../service/client.ts';
import { type Failure, Outlook, failureOf } from '../service/outlook.ts';
import type { Clock } from '../time.ts';
import type { JsonObject, PreparedRecord, RecordKind, Warning } from './types.ts';

export interface DeliveryOptions {
  /** Send what the service is known to have. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Requests under way at once; one a date. */
  readonly jobs: number;
  /** What the service does with a nutrition day that is sent again (setting `nutritionDelivery`). */
  readonly nutrition: 'replace' | 'append';
  /** Items of which nobody knows whether they arrived did: somebody has looked. */
  readonly assumeArrived?: boolean;
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
  await inParallel(records, options.jobs, async (record) => {
    needs.signal.throwIfAborted();
    const extra: Warning[] = [];
    const outcome: Outcome = outlook.hopeless
      ? { outcome: 'failed', ...outlook.hopeless }
      : await deliver(record, options, needs, outlook, extra);
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

async function deliver(
  record: PreparedRecord,
  options: DeliveryOptions,
  needs: DeliveryNeeds,
  outlook: Outlook,
  warnings: Warning[],
): Promise<Outcome> {
  const { kind, date, digest } = record;
  const { ledger, clock, signal } = needs;
  if (options.dryRun) {
    if (!options.force && ledger.isUnchanged(kind, date, digest)) return UNCHANGED;
    const plan = planOf(record, options, ledger);
    if (plan.outcome !== undefined) return plan.outcome;
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
    const plan = planOf(record, options, ledger);
    if (plan.warning !== undefined) warnings.push(plan.warning);
    if (plan.outcome === undefined) return await send(record, plan, needs, outlook);
    if (plan.outcome === UNCHANGED) ledger.confirm(kind, date, digest);
    return plan.outcome;
  } finally {
    ledger.release(kind, date);
  }
}

const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;

/** What is to be sent for a day, or what settles it without a request. */
interface Plan {
  readonly body: JsonObject;
  /** Nutrition: the items in the body. */
  readonly keys: readonly string[];
  /** Those of them that may have arrived in an earlier run, and go again by force. */
  readonly again?: readonly string[];
  /** The service adds to the day what it is sent. */
  readonly appends: boolean;
  /** Items of the day, not in the body, of which nobody knows whether the service has them. */
  readonly unclear?: number;
  readonly warning?: Warning;
  readonly outcome?: Outcome;
}

/**
 * A service that keeps the contract (interface 4.4) is sent the whole day. One that appends is sent
 * only the items that it never confirmed, and none of which nobody knows whether it has them:
 * sending those again could double them. What else there is to say of the day goes with no items.
 */
function planOf(record: PreparedRecord, options: DeliveryOptions, ledger: RecordLedger): Plan {
  const { body, date } = record;
  if (record.kind === 'wellness') return { body, keys: [], appends: false };
  const { itemKeys } = record;
  if (options.nutrition === 'replace') return { body, keys: itemKeys, appends: false };
  const states = itemStates(date, options, ledger);
  const goes = itemKeys.map((key) => {
    const state = states.get(key);
    return state === undefined || (state === 'pending' && options.force);
  });
  const keys = itemKeys.filter((_, index) => goes[index]);
  const items = (body['items'] as JsonObject[]).filter((_, index) => goes[index]);
  const unclear = options.force
    ? 0
    : itemKeys.filter((key) => states.get(key) === 'pending').length;
  const warning = goneWarning(
    record,
    [...states.keys()].filter((key) => !itemKeys.includes(key)),
  );
  const again = keys.filter((key) => states.has(key));
  const plan = { body: { ...body, items }, keys, again, appends: true, unclear, ...warning };
  if (keys.length > 0) return plan;
  if (unclear > 0)
    return { ...plan, outcome: { outcome: 'failed', ...fateUnknown(date, unclear) } };
  const saysMore = Object.keys(body).some((name) => name !== 'date' && name !== 'items');
  return saysMore ? plan : { ...plan, outcome: UNCHANGED };
}

function goneWarning({ sources }: PreparedRecord, gone: readonly string[]): { warning?: Warning } {
  if (gone.length === 0) return {};
  const message = `${gone.length} items that were sent before are no longer in the input; a service that appends keeps them`;
  return { warning: { source: sources[0] ?? '', field: 'items', message } };
}

/** What is known of a day's items; what somebody looked up is written down, but for a dry run. */
function itemStates(
  date: string,
  { assumeArrived, dryRun }: DeliveryOptions,
  ledger: RecordLedger,
): ReadonlyMap<string, ItemState> {
  const states = ledger.items(date);
  if (assumeArrived !== true) return states;
  if (!dryRun) ledger.confirmItems(date, [...states.keys()], false);
  return new Map([...states.keys()].map((key) => [key, 'confirmed']));
}

function fateUnknown(date: string, count: number): Failure {
  return {
    code: 'FATE_UNKNOWN',
    message: `Nobody knows whether the service has ${count} of the items of ${date}: no clear answer came after they were sent.`,
    hint: 'Look at that day in the platform. If they are missing, send them with --force; if they are there, say so with --assume-arrived.',
  };
}

async function send(
  record: PreparedRecord,
  plan: Plan,
  needs: DeliveryNeeds,
  outlook: Outlook,
): Promise<Outcome> {
  const { kind, date, digest } = record;
  const { ledger } = needs;
  const failed = (failure: SyncError): Outcome & { outcome: 'failed' } => {
    outlook.failed(failureOf(failure));
    return { outcome: 'failed', ...failureOf(failure) };
  };
  const client = await orFailure(needs.client());
  if ('failure' in client) return failed(client.failure);
  if (plan.appends) ledger.markSent(date, plan.keys);
  // They did not arrive now; those that may have arrived before stay unknown.
  const forget = () => {
    const { keys, again = [] } = plan;
    if (plan.appends)
      ledger.forgetItems(
        date,
        keys.filter((key) => !again.includes(key)),
      );
  };
  // A body without items may come twice: there is nothing in it that a day could hold twice.
  const repeatable = plan.appends && plan.keys.length > 0 ? 'unless-acted-on' : 'always';
  const answer = await orFailure(client.value.push(kind, plan.body, repeatable, needs.signal));
  if ('value' in answer) {
    outlook.answered();
    const { attempts } = answer.value;
    if (answer.value.outcome === 'rejected') {
      forget();
      return { outcome: 'rejected', message: answer.value.message, attempts };
    }
    if (kind === 'nutrition') ledger.confirmItems(date, plan.keys, !plan.appends);
    if (plan.unclear) return { outcome: 'failed', ...fateUnknown(date, plan.unclear) };
    ledger.confirm(kind, date, digest);
    return { outcome: 'pushed', attempts };
  }
  const { failure } = answer;
  const { attempts: tries, status, fate } = failure.details;
  const attempts = typeof tries === 'number' ? tries : 0;
  if (failure.code === 'REJECTED') {
    outlook.answered();
    forget();
    const said = typeof status === 'number' ? { status } : {};
    return { outcome: 'rejected', message: failure.message, attempts, ...said };
  }
  const outcome = { ...failed(failure), attempts };
  const arrived = fate === 'unknown' || (failure.code === 'SERVICE_ANSWER' && fate !== 'not-sent');
  if (repeatable === 'unless-acted-on' && arrived) {
    const count = plan.keys.length + (plan.unclear ?? 0);
    return { outcome: 'failed', attempts, ...fateUnknown(date, count) };
  }
  forget();
  return outcome;
}

/** Failures that are one record's or the service's become values; the rest goes on upwards. */
async function orFailure<T>(task: Promise<T>): Promise<{ value: T } | { failure: SyncError }> {
  try {
    return { value: await task };
  } catch (error) {
    const grave: readonly ErrorCode[] = ['STORAGE', 'INTERRUPTED'];
    if (error instanceof SyncError && !grave.includes(error.code)) return { failure: error };
    throw error;
  }
}
