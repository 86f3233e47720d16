import type { ServiceClient } from '../api/client.ts';
import { type WireObject, shownItems } from '../api/wire.ts';
import { listIn } from '../api/workout-pages.ts';
import { isHeld } from './nutrition/ours.ts';
import { unitNameOf } from './fields.ts';
import type { RecordKind, RecordLedger } from '../ledger/records.ts';
import { isSame } from './wellness/answer.ts';
import type { JsonValue } from './types.ts';
import { show } from './values.ts';

/** What the platform holds of a day that was sent from here. */
export interface VerifiedDay {
  readonly kind: RecordKind;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `changed`: it lacks something, or holds other values. `unseen`: the platform lists no days. */
  readonly outcome: 'present' | 'changed' | 'missing' | 'unseen';
  /** Fields and items of which the platform holds something else, or nothing. */
  readonly differs: readonly string[];
}

/** Days per request. */
const PAGE = 100;

/**
 * Compares the days of a kind that the service confirmed with the platform's. Sends no request if there is none.
 *
 * @param since the first day
 * @throws any error of the client, such as `SCOPE_MISSING`
 */
export async function verifyDays(
  kind: RecordKind,
  since: string,
  ledger: RecordLedger,
  client: () => Promise<ServiceClient>,
  signal: AbortSignal,
): Promise<VerifiedDay[]> {
  const states = [...ledger.statesBetween(kind, since, '9999-12-31')];
  const dates = states.flatMap(([date, state]) => (state === 'confirmed' ? [date] : [])).sort();
  const checked: VerifiedDay[] = [];
  for (let at = 0; at < dates.length; at += PAGE) {
    const page = dates.slice(at, at + PAGE);
    const [first = '', last = ''] = [page[0], page.at(-1)];
    const limit = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
    const answer = await (await client()).listDays(kind, { first, last, limit }, signal);
    const rows = listIn(answer);
    const byDate = new Map(rows?.map((row) => [String(row['date']).slice(0, 10), row]));
    for (const date of page) {
      const row = byDate.get(date);
      const differs = row === undefined ? [] : differences(kind, date, row, ledger);
      const absent = rows === undefined ? 'unseen' : 'missing';
      const outcome = row === undefined ? absent : differs.length > 0 ? 'changed' : 'present';
      checked.push({ kind, date, outcome, differs });
    }
  }
  return checked;
}

function differences(
  kind: RecordKind,
  date: string,
  row: WireObject,
  ledger: RecordLedger,
): string[] {
  if (kind === 'wellness') {
    return Object.entries(ledger.wellness.day(date).sent)
      .filter(([name, { value }]) => !isStored(name, value, row[name] as JsonValue | undefined))
      .map(
        ([name, { value }]) => `${name} ${show((row[name] ?? null) as JsonValue)}, sent ${value}`,
      );
  }
  const shown = shownItems(row) ?? [];
  const isThere = (id: string | undefined, name: unknown) =>
    shown.some((item) => (id !== undefined && item.id === id) || item.body['name'] === name);
  return ledger.nutrition
    .day(date)
    .items.filter((item) => isHeld(item) && !isThere(item.id, item.body['name']))
    .map(({ body }) => `${show(body['name'] ?? null)} is not there`);
}

/** Coach Watts rounds energies. */
function isStored(name: string, sent: JsonValue, stored: JsonValue | undefined): boolean {
  const isRounded = unitNameOf(name) === 'kcal' && stored === Math.round(Number(sent));
  return isRounded || isSame(sent, stored);
}
