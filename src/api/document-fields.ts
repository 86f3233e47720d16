import { isObject } from '../base/json.ts';
import type { WireObject } from './wire.ts';

/** The fields that the interface names (2.2, 2.3). A platform may refuse a record with any other. */
const WELLNESS = ['date', 'hrv', 'restingHr', 'sleepSecs', 'weight', 'vo2max', 'rawJson'];
const NUTRITION = ['date', 'items', 'rawJson'];
const ITEM = ['name', 'carbs', 'logged_at'];

/** What the interface names of a record, and the names of the other fields. */
export interface DocumentPart<T = unknown> {
  readonly body: Record<string, T>;
  readonly left: readonly string[];
}

export function documentPart(kind: 'wellness' | 'nutrition', record: WireObject): DocumentPart {
  if (kind === 'wellness') return partOf(record, WELLNESS);
  const day = partOf(record, NUTRITION);
  const { items } = day.body;
  if (!Array.isArray(items)) return day;
  const parts = items.filter(isObject).map((item) => itemPart(item));
  const left = new Set([...day.left, ...parts.flatMap((part) => part.left)]);
  return { body: { ...day.body, items: parts.map(({ body }) => body) }, left: [...left] };
}

/** Returns what the interface names of an item. */
export function documentItem<T>(item: Readonly<Record<string, T>>): Record<string, T> {
  return itemPart(item).body;
}

function itemPart<T>(item: Readonly<Record<string, T>>): DocumentPart<T> {
  // The interface names one of its words.
  const words = item['absorptionType'] === 'RAPID' ? ['absorptionType'] : [];
  return partOf(item, [...ITEM, ...words]);
}

function partOf<T>(record: Readonly<Record<string, T>>, names: readonly string[]): DocumentPart<T> {
  const fields = Object.entries(record);
  return {
    body: Object.fromEntries(fields.filter(([name]) => names.includes(name))),
    left: fields.flatMap(([name]) => (names.includes(name) ? [] : [name])),
  };
}
