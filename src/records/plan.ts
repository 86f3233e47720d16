import type { ItemState, RecordLedger } from '../ledger/records.ts';
import type { Failure } from '../service/outlook.ts';
import { recogniseFirstForm } from './item-keys.ts';
import type { JsonObject, PreparedRecord, Warning } from './types.ts';

export interface PlanOptions {
  /** Send what the service is known to have. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** What the service does with a nutrition day that is sent again (setting `nutritionDelivery`). */
  readonly nutrition: 'replace' | 'append';
  /** Items of which nobody knows whether they arrived did: somebody has looked. */
  readonly assumeArrived?: boolean;
}

/** What is to be sent for a day, or what settles it without a request. */
export interface Plan {
  readonly body: JsonObject;
  /** Nutrition: the items in the body. */
  readonly keys: readonly string[];
  /** Those of them that may have arrived in an earlier run, and go again by force. */
  readonly again: readonly string[];
  /** The service adds to the day what it is sent. */
  readonly appends: boolean;
  /** How many items the ledger knew of the day. */
  readonly known: number;
  /** Items of the day, not in the body, of which nobody knows whether the service has them. */
  readonly unclear: number;
  readonly warnings: readonly Warning[];
  /** What is to be said when the service has taken it, and in a dry run. */
  readonly consequences: readonly Warning[];
  readonly settled?: Settled;
}

export type Settled = typeof UNCHANGED | ({ readonly outcome: 'failed' } & Failure);

const APPEND_REMEDY = '`sync config set nutritionDelivery append` sends each item once';

export const UNCHANGED = { outcome: 'skipped', reason: 'unchanged' } as const;

/** The same for each day, so that it is told once. */
const WOULD_DOUBLE: Settled = {
  outcome: 'failed',
  code: 'CONFIG',
  message:
    'The service added what it was sent last to the day, where it should replace it: a day that is sent again would hold its items twice.',
  hint: `${APPEND_REMEDY}; if the service replaces days now, send them with --force.`,
};

type Nutrition = PreparedRecord & { kind: 'nutrition' };

/** The other records of a run, by date. */
export type RecordsByDate = ReadonlyMap<string, PreparedRecord>;

/**
 * A service that keeps the contract (interface 4.4) is sent the whole day. One that appends is sent
 * only the items that it never confirmed, and none of which nobody knows whether it has them:
 * sending those again could double them. What else there is to say of the day goes with no items.
 */
export function planOf(
  record: PreparedRecord,
  options: PlanOptions,
  ledger: RecordLedger,
  run: RecordsByDate,
): Plan {
  if (record.kind === 'wellness') return { ...NOTHING_KNOWN, body: record.body };
  return options.nutrition === 'replace'
    ? replacing(record, options, ledger, run)
    : appending(record, options, ledger, run);
}

const NOTHING_KNOWN = {
  keys: [],
  again: [],
  appends: false,
  known: 0,
  unclear: 0,
  warnings: [],
  consequences: [],
} as const;

function replacing(
  record: Nutrition,
  options: PlanOptions,
  ledger: RecordLedger,
  run: RecordsByDate,
): Plan {
  const { body, itemKeys: keys } = record;
  const states = itemStates(record, options, ledger);
  const gone = goneItems(record, keys, states, run);
  const consequences = gone === 0 ? [] : [replacedWarning(record, gone, options.dryRun)];
  const plan = { ...NOTHING_KNOWN, body, keys, known: states.size, consequences };
  const doubles = states.size > 0 && ledger.appends() && !options.force;
  return doubles ? { ...plan, settled: WOULD_DOUBLE } : plan;
}

function appending(
  record: Nutrition,
  options: PlanOptions,
  ledger: RecordLedger,
  run: RecordsByDate,
): Plan {
  const { body, date, itemKeys } = record;
  const items = body['items'] as JsonObject[];
  const states = itemStates(record, options, ledger);
  const fresh = itemKeys.map((key) => !states.has(key));
  const elsewhere = fresh.includes(true)
    ? itemsOfOtherDays(record, items, itemKeys, ledger, run)
    : new Set<string>();
  const goes = itemKeys.map((key, index) =>
    fresh[index] === true ? !elsewhere.has(key) : states.get(key) === 'pending' && options.force,
  );
  const keys = itemKeys.filter((_, index) => goes[index]);
  const unclear = options.force
    ? 0
    : itemKeys.filter((key) => states.get(key) === 'pending').length;
  const plan = {
    body: { ...body, items: items.filter((_, index) => goes[index]) },
    keys,
    again: keys.filter((key) => states.has(key)),
    appends: true,
    known: states.size,
    unclear,
    warnings: [
      ...keptWarning(record, goneItems(record, itemKeys, states, run)),
      ...elsewhereWarning(record, itemKeys.filter((key) => elsewhere.has(key)).length),
    ],
    consequences: [],
  };
  if (keys.length > 0) return plan;
  if (unclear > 0) return { ...plan, settled: fateUnknown(date, unclear) };
  const saysMore = Object.keys(body).some((name) => name !== 'date' && name !== 'items');
  return saysMore ? plan : { ...plan, settled: UNCHANGED };
}

export function fateUnknown(date: string, count: number): Settled & { outcome: 'failed' } {
  return {
    outcome: 'failed',
    code: 'FATE_UNKNOWN',
    message: `Nobody knows whether the service has ${count} of the items of ${date}: no clear answer came after they were sent.`,
    hint: 'Look at that day in the platform. If they are missing, send them with --force; if they are there, say so with --assume-arrived.',
  };
}

/**
 * What is known of a day's items, under today's keys; that they have new keys, and what somebody
 * looked up, is written down, but for a dry run.
 */
function itemStates(
  { date, body }: Nutrition,
  { assumeArrived, dryRun }: PlanOptions,
  ledger: RecordLedger,
): ReadonlyMap<string, ItemState> {
  let states = ledger.items(date);
  const renamed = recogniseFirstForm([...states.keys()], body['items'] as JsonObject[]);
  if (renamed.size > 0) {
    if (!dryRun) ledger.renameItems(date, renamed);
    states = new Map([...states].map(([key, state]) => [renamed.get(key) ?? key, state]));
  }
  if (assumeArrived !== true) return states;
  if (!dryRun) ledger.confirmItems(date, [...states.keys()], false);
  return new Map([...states.keys()].map((key) => [key, 'confirmed']));
}

/** How many items of the day the input no longer has, on this day or (in another zone) on the next. */
function goneItems(
  { date }: Nutrition,
  itemKeys: readonly string[],
  states: ReadonlyMap<string, ItemState>,
  run: RecordsByDate,
): number {
  const here = new Set(itemKeys);
  const gone = [...states.keys()].filter((key) => !here.has(key));
  if (gone.length === 0) return 0;
  const moved = new Set(daysAround(date).flatMap((other) => itemKeysOf(run.get(other))));
  return gone.filter((key) => !moved.has(key)).length;
}

/**
 * Items that the zone puts on this day, and that were sent as items of the day before or after: the
 * input was read in another zone then. What the other day still has is another item, and so may be
 * one that only the record's own `date` puts on this day.
 */
function itemsOfOtherDays(
  { date, zoneUsed }: Nutrition,
  items: readonly JsonObject[],
  itemKeys: readonly string[],
  ledger: RecordLedger,
  run: RecordsByDate,
): ReadonlySet<string> {
  if (!zoneUsed) return new Set();
  const known = daysAround(date).flatMap((other) => {
    const keys = [...ledger.items(other).keys()];
    if (keys.length === 0) return [];
    const still = new Set(itemKeysOf(run.get(other)));
    const all = [...keys, ...recogniseFirstForm(keys, items).values()];
    return all.filter((key) => !still.has(key));
  });
  const there = new Set(known);
  return new Set(itemKeys.filter((key, index) => there.has(key) && isOn(items[index], date)));
}

function isOn(item: JsonObject | undefined, date: string): boolean {
  const at = item?.['logged_at'];
  return typeof at === 'string' && at.startsWith(date);
}

function itemKeysOf(record: PreparedRecord | undefined): readonly string[] {
  return record?.kind === 'nutrition' ? record.itemKeys : [];
}

function daysAround(date: string): readonly string[] {
  const noon = Date.parse(`${date}T12:00:00Z`);
  return [-1, 1].map((days) => new Date(noon + days * 86_400_000).toISOString().slice(0, 10));
}

function keptWarning(record: Nutrition, gone: number): Warning[] {
  if (gone === 0) return [];
  const message = `${sentBefore(gone)} no longer in the input; a service that appends keeps what it has`;
  return [aboutItems(record, message)];
}

function elsewhereWarning(record: Nutrition, count: number): Warning[] {
  if (count === 0) return [];
  const message = `${sentBefore(count)} counted to the day before or after then, as the zone was another one: not sent again, a service that appends would have them twice`;
  return [aboutItems(record, message)];
}

/**
 * A warning and no refusal: that a day is what was sent last is the contract, and a corrected day has
 * to arrive without ado. But the day may have been sent in parts, and then one is lost.
 */
function replacedWarning(record: Nutrition, gone: number, dryRun: boolean): Warning {
  const message =
    `${sentBefore(gone)} no longer in the input; the service replaces the day, so ` +
    `${dryRun ? 'it would lose them' : 'it no longer has them'}. ` +
    `If ${record.date} was to keep them, push all that belongs to it in one command (it takes several files)`;
  return aboutItems(record, message);
}

/**
 * The service has more items for a day than were sent: it kept those that it had. With that a run says
 * the remedy once, with the first of such days.
 */
export function appendedWarning(
  record: PreparedRecord,
  sent: number,
  held: number,
  first: boolean,
): Warning {
  const found = `the service has ${held} items for ${record.date} after ${sent} were sent`;
  const message =
    `${found}: it seems to add to a day what it is sent, where it should replace it. ` +
    `Look at that day: what was sent before may be in it twice. ${APPEND_REMEDY}`;
  return aboutItems(record, first ? message : found);
}

function sentBefore(count: number): string {
  return count === 1
    ? '1 item that was sent before is'
    : `${count} items that were sent before are`;
}

function aboutItems({ sources }: PreparedRecord, message: string): Warning {
  return { source: sources[0] ?? '', field: 'items', message };
}
