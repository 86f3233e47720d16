import { ITEM_FIELDS } from '../fields.ts';
import type { JsonObject, JsonValue } from '../types.ts';

/** Compares nutrition items, tolerating what services drop, trim or fill in. */

/** Grams and kcal. Services return them unchanged; an absent one counts as 0. */
const AMOUNTS = ['calories', 'carbs', 'protein', 'fat', 'fiber', 'sugar'] as const;

/** Fields that services may drop or fill in: they differ only if both sides have them. */
const OPTIONAL = ['quantity', 'meal', 'absorptionType'] as const;

/** The name that deployed services give to an item without one. */
const UNNAMED = 'Unknown item';

/** Relative rounding of an amount that is still the same amount. */
const ROUNDING = 1e-6;

/**
 * Returns the identity of an item: its instant and trimmed name. An item with the same identity and
 * other amounts is a new version of it.
 */
export function itemIdentity(item: JsonObject): string {
  return `${instantOf(item)} ${nameOf(item)}`;
}

const FIELDS = Object.keys(ITEM_FIELDS);

/** Returns all fields of an item as one text, regardless of the zone of `logged_at`: what an input says. */
export function itemKey(item: JsonObject): string {
  return JSON.stringify([instantOf(item), ...FIELDS.map((field) => item[field] ?? null)]);
}

/** Checks that a service that shows `shown` holds `item`. */
export function holdsItem(shown: JsonObject, item: JsonObject): boolean {
  return (
    itemIdentity(shown) === itemIdentity(item) &&
    AMOUNTS.every((field) => sameAmount(shown[field], item[field])) &&
    OPTIONAL.every((field) => sameIfBoth(shown[field], item[field]))
  );
}

/** Shows an item in a message: `Energy gel, 10:15, 25 g carbs, 100 kcal`. */
export function itemText(item: JsonObject): string {
  const time = /T(\d\d:\d\d)/.exec(textOf(item['logged_at']))?.[1];
  const amount = (field: string, unit: string) =>
    typeof item[field] === 'number' ? [`${item[field]} ${unit}`] : [];
  const amounts = [
    ...amount('carbs', 'g carbs'),
    ...amount('calories', 'kcal'),
    ...(item['carbs'] === undefined ? amount('protein', 'g protein') : []),
  ];
  return [nameOf(item), ...(time === undefined ? [] : [time]), ...amounts].join(', ');
}

/** The instant of `logged_at` (ms since the epoch); its text if it is no instant. */
export function instantOf({ logged_at: at }: JsonObject): number | string {
  const instant = Date.parse(textOf(at));
  return Number.isNaN(instant) ? textOf(at) : instant;
}

export function nameOf({ name }: JsonObject): string {
  return textOf(name).trim() || UNNAMED;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function sameAmount(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  const [a, b] = [one ?? 0, other ?? 0];
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a), Math.abs(b));
}

function sameIfBoth(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return typeof one !== 'string' || typeof other !== 'string' || one.trim() === other.trim();
}
