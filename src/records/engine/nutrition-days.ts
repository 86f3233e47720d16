import { ITEM_FIELDS, MEAL, NUTRITION_FIELDS } from '../fields.ts';
import { ONLY_TIME } from '../plan.ts';
import type { Fault, JsonObject, RawRecord } from '../types.ts';
import { knownWord, scalarText } from '../values.ts';
import { secondRow } from './refusals.ts';
import type { Row } from './row.ts';
import {
  type FoundValue,
  type MappingOptions,
  type RowFault,
  ValueReader,
  problemOf,
  targetsOf,
} from './row-values.ts';
import { type When, readWhen } from './time.ts';
import type { NutritionMapping } from '../sources/types.ts';

/** The time of items that have only a day, by the platform's word for the meal. */
export const MEAL_TIMES: Readonly<Record<string, string>> = {
  BREAKFAST: '08:00',
  LUNCH: '12:30',
  SNACK: '16:00',
  DINNER: '19:00',
};
const NOON = '12:00';

/** Gathers the food of an export by day. */
export class NutritionDays {
  readonly #mapping: NutritionMapping;
  readonly #options: MappingOptions;
  readonly #items: ValueReader;
  readonly #totals: ValueReader;
  readonly #days = new Map<string, NutritionDay>();

  constructor(mapping: NutritionMapping, options: MappingOptions) {
    this.#mapping = mapping;
    this.#options = options;
    const { item = {}, totals = {} } = mapping;
    this.#items = new ValueReader(targetsOf(item, ITEM_FIELDS), mapping, options);
    this.#totals = new ValueReader(targetsOf(totals, NUTRITION_FIELDS), mapping, options);
  }

  /** @param problems gets one for each value of no day, and if strict for each that cannot be read */
  add(row: Row, problems: RowFault[]): void {
    const faults: RowFault[] = [];
    const item = fieldsOf(this.#items.read(row, faults));
    const totals = fieldsOf(this.#totals.read(row, faults));
    const { time, guess, format } = this.#mapping;
    // In the athlete's own list, a row is a food, as in `items`.
    const isFood = guess === true && format === 'json' && faults.length === 0;
    const isItem = Object.keys(item).some((field) => isFood || !LABELS.includes(field));
    const isEmpty = isFood && !isItem;
    // A day with zeros alone was not logged.
    const isLogged = isItem || isEmpty || Object.values(totals).some((total) => total !== 0);
    const when = isLogged ? readWhen(row, time, this.#options.zone, 'time') : undefined;
    if (when === undefined || 'problem' in when) {
      problems.push(...faults, ...(isLogged ? [problemOf(row, time, when)] : []));
      return;
    }
    if (isEmpty) {
      problems.push({ source: row.source, problem: ONLY_TIME });
      return;
    }
    let day = this.#days.get(when.date);
    if (day !== undefined && this.#options.oneRowADay === true)
      throw secondRow(row.source, when.date, 'nutrition');
    if (day === undefined) {
      day = { source: row.source, items: [], rows: [], totals: {}, doubts: [] };
      this.#days.set(when.date, day);
    }
    if (this.#options.strict === true) problems.push(...faults);
    day.doubts.push(...faults.map((fault) => ({ ...fault, unsent: true as const })));
    if (row.doubt !== undefined) day.doubts.push({ problem: row.doubt });
    Object.assign(day.totals, totals);
    // Not a copy, of which V8 keeps 300 bytes more each.
    if (!isItem) return;
    day.items.push(Object.assign(item, { logged_at: loggedAt(when, item) }));
    day.rows.push(row.source);
  }

  *finish(): Generator<RawRecord, void, undefined> {
    for (const date of [...this.#days.keys()].sort()) {
      const day = this.#days.get(date);
      this.#days.delete(date);
      const isRefused = this.#options.strict === true && day?.doubts.some(({ unsent }) => unsent);
      if (day === undefined || isRefused === true) continue;
      const items = this.#mapping.item === undefined ? {} : { items: day.items };
      const value = { date, ...items, ...day.totals };
      yield { source: day.source, value, doubts: day.doubts, rows: day.rows };
    }
  }
}

interface NutritionDay {
  readonly source: string;
  readonly items: JsonObject[];
  /** The places of the items. */
  readonly rows: string[];
  readonly totals: JsonObject;
  readonly doubts: Fault[];
}

/** What says nothing about how much was eaten. */
const LABELS: readonly string[] = ['name', 'meal', 'quantity', 'absorptionType'];

/** What there is to note of a value is noted when its record is read. */
function fieldsOf(values: readonly FoundValue[]): JsonObject {
  return Object.fromEntries(
    values.map(({ field, raw, taken }) => [
      field,
      (taken.notes ?? []).length > 0 ? raw.value : (taken.value ?? null),
    ]),
  );
}

function loggedAt(when: When, { meal }: JsonObject): string {
  if (when.instant !== undefined) return when.text;
  const word = knownWord(scalarText(meal), MEAL) ?? '';
  return `${when.date}T${MEAL_TIMES[word] ?? NOON}`;
}
