import { SUMMED_TOTALS } from '../fields.ts';
import { ITEM_NAMES, NUTRITION_NAMES, WELLNESS_NAMES, plain } from '../names.ts';
import { type ReadDay, readItem } from './item.ts';
import { farAhead, noteMissingDate, readDate } from '../days/record-date.ts';
import type { JsonObject, JsonValue, Reading, RecordOptions, RawRecord } from '../types.ts';
import { Notes } from '../notes.ts';
import { isSumName } from '../engine/foreign.ts';
import { draftOf, noteNothingKnown, noteUnknown, readFields, spellingsOf } from '../members.ts';
import { isObject, scalarText, show } from '../values.ts';

/**
 * Reads one nutrition record (interface 2.3). With a date it is one day. Otherwise its items are
 * grouped by the local date of `logged_at`: a record that spans days becomes one record a day.
 */
export function readNutrition(record: RawRecord, options: RecordOptions): readonly Reading[] {
  const { source, value, doubts = [], rows } = record;
  const units = rows === undefined ? options.sources?.units : undefined;
  const notes = new Notes(source, options.strict, units);
  for (const { problem, ...doubt } of doubts) {
    if (options.strict) notes.problems.push({ problem, ...doubt });
    else notes.warnings.push({ source, ...doubt, message: problem });
  }
  if (!isObject(value)) {
    return [{ source, problems: [{ problem: `is ${show(value)}; an object is expected` }] }];
  }
  if (isWellness(value)) {
    const problem = 'there is nothing in it that is nutrition; is this a wellness file?';
    return [{ source, problems: [{ problem }], isOtherKind: true }];
  }
  const itemsNames = spellingsOf(value, 'items', notes);
  const [itemsName = 'items'] = itemsNames;
  const date = readDate(value, options.zone, notes);
  const dated = typeof date === 'object' ? date : undefined;
  const named = dated && { ...dated, field: dated.names[0], items: [], notes: notes.ofPart() };
  const days = readItems(value[itemsName], itemsName, named, notes, options, rows);
  notes.source = source;
  const others = [...itemsNames, ...(dated?.names ?? [])];
  const { read, unknown } = readFields(value, NUTRITION_NAMES, notes, '', others);
  const { values: known } = read;
  const list = value[itemsName];
  const isFilled = Array.isArray(list) && list.length > 0;
  const isEmpty = itemsNames.length > 0 && !isFilled && notes.problems.length === 0;
  if (isEmpty && options.needsItems === true) notes.problem(itemsName, ITEMS_EMPTY);
  if (date === undefined && !isFilled) noteMissingDate(value, notes);
  const ofFood = itemsNames.length === 0 ? unknown.find(isOfFood) : undefined;
  if (ofFood !== undefined) notes.problem(ofFood, FOOD_ALONE);
  const isBare = Object.keys(known).every((name) => name === 'rawJson');
  const saysNothing = isBare && itemsNames.length === 0 && unknown.length === 0;
  if (saysNothing && notes.problems.length === 0) notes.problem(itemsName, ITEMS_MISSING);
  const isFoodless = days.every(({ items }) => items.length === 0);
  const nothingKnown = isBare && isFoodless && unknown.length > 0;
  if (nothingKnown && notes.problems.length === 0)
    noteNothingKnown(unknown, NUTRITION_NAMES, notes);
  const spans = days.length > 1;
  if (!nothingKnown) noteUnknown(unknown, NUTRITION_NAMES, notes);
  for (const { field, date: on } of days) {
    const ahead = farAhead(on, options);
    if (ahead !== undefined) notes.doubt('far ahead', field ?? 'date', ahead, 'Sent as it is');
  }
  const kept = spans ? dropTotals(known, days.length, notes) : known;
  if (date === 'invalid' || notes.problems.length > 0) {
    return [{ source, date: named?.date, problems: notes.problems }];
  }
  return days.map(({ date: on, zoneUsed, items, notes: own }, index) => {
    own.warnings.unshift(...notes.warnings.filter(({ key }) => index === 0 || key === undefined));
    return draftOf(read, own, {
      date: on,
      values: { ...kept },
      items: itemsNames.length === 0 ? undefined : items,
      zoneUsed,
      at: dated?.at,
    });
  });
}

/** Checks for a name that foods have, and days have not. */
function isOfFood(name: string): boolean {
  return ITEM_NAMES.find(name) !== undefined || FOODS.has(plain(name));
}

const FOODS = new Set(['food', 'foodname', 'serving']);
const FOOD_ALONE =
  'belongs to a food, not to a day: list the foods of a day in "items", or give a plain list of foods, each with "logged_at"';
const ITEMS_EXPECTED = 'a list of items, each with logged_at, is expected';
const ITEMS_MISSING = `is missing; ${ITEMS_EXPECTED}`;
const ITEMS_EMPTY =
  'is empty, and an input that is read once removes nothing: name it with --origin NAME to remove what came under this name before, or empty the day with --replace-day';

/** Checks that a record has wellness fields, and none of nutrition: the `fat` of a scale is no food. */
function isWellness(record: JsonObject): boolean {
  const names = Object.keys(record).filter((name) => record[name] !== null);
  const isOwn = (name: string) =>
    plain(name) === 'items' ||
    !['fat', 'rawJson'].includes(NUTRITION_NAMES.find(name) ?? 'rawJson');
  return (
    !names.some(isOwn) &&
    names.some((name) => (WELLNESS_NAMES.find(name) ?? 'rawJson') !== 'rawJson')
  );
}

/** Returns the days of a record with their items. A record without a date has the days of its items. */
function readItems(
  value: JsonValue | undefined,
  field: string,
  named: ReadDay | undefined,
  notes: Notes,
  options: RecordOptions,
  rows: readonly string[] = [],
): readonly ReadDay[] {
  const days = new Map<string, ReadDay>();
  if (value !== undefined && value !== null && !Array.isArray(value))
    notes.problem(field, `is ${show(value)}; ${ITEMS_EXPECTED}`);
  const list = Array.isArray(value) ? value : [];
  const total = totalAmong(list);
  for (const [index, raw] of list.entries()) {
    notes.source = rows[index] ?? notes.source;
    const { name: food, meal } = isObject(raw) ? raw : {};
    const name = scalarText(food) || scalarText(meal);
    if (isSumName(name) || index === total) {
      notes.recur(
        `sum ${name}`,
        `${field}/${index}`,
        `${show(name)} sums up other items. Not sent`,
      );
      continue;
    }
    readItem(raw, `${field}/${index}`, named, days, notes, options);
  }
  return named === undefined ? [...days.values()] : [named];
}

/** Fewer amounts are the sums of others by chance. */
const ENOUGH_SUMS = 3;
/** Rounding of one amount, and the items beyond which it evens out. */
const ROUNDING = 0.05;
const MANY_ITEMS = 20;

/** Returns the index of the item that is the total of at least two others, which are all others; -1 if none is. */
function totalAmong(items: readonly JsonValue[]): number {
  if (items.length < 3) return -1;
  const amountOf = (item: JsonValue, field: string) =>
    isObject(item) && typeof item[field] === 'number' ? item[field] : 0;
  const totals = SUMMED_TOTALS.map((field) => ({
    field,
    total: items.reduce<number>((sum, item) => sum + amountOf(item, field), 0),
  }));
  const error = ROUNDING * Math.min(items.length, MANY_ITEMS);
  return items.findLastIndex((item) => {
    const sums = totals.filter(({ field, total }) => {
      const own = amountOf(item, field);
      return own > 0 && Math.abs(total - 2 * own) <= error;
    });
    return sums.length >= ENOUGH_SUMS;
  });
}

/** Drops the totals of a record that spans days: they cannot be divided by day. */
function dropTotals(fields: JsonObject, days: number, notes: Notes): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'rawJson') {
      kept[name] = value;
      notes.warn(name, `is sent with each of the ${days} days that the items are on`);
    } else {
      notes.adapt(name, `is about all ${days} days that the items are on`, 'not sent');
    }
  }
  return kept;
}
