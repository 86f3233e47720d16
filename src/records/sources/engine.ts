import {
  ITEM_FIELDS,
  NUTRITION_FIELDS,
  WELLNESS_FIELDS,
  type FieldRule as PlatformRule,
  type FieldTable,
} from '../fields.ts';
import type { JsonObject, JsonValue, RawRecord, Zone } from '../types.ts';
import { type Combination, type Sample, combination } from './combine.ts';
import { scalarText } from '../values.ts';
import type { Row } from './row.ts';
import { type When, readWhen } from './time.ts';
import type {
  FieldRule,
  Mapping,
  NutritionMapping,
  Path,
  TimeRule,
  WellnessMapping,
} from './types.ts';
import { readValue } from './value.ts';

/** Reads the records of an export with the mapping of its source. */

export interface MappingOptions {
  readonly zone: Zone;
  /** Add the records as they were read, as `rawJson`. */
  readonly raw: boolean;
  /** The numbers of the file have a decimal comma, unless they have a point. */
  readonly commaIsDecimal: boolean;
}

/**
 * Reads all rows, and yields one record a day in the platform's form, by date; before them, a problem
 * for each value that cannot be read. Rows without a mapped value are left out.
 */
export async function* readMapped(
  rows: AsyncIterable<Row> | Iterable<Row>,
  mapping: Mapping,
  options: MappingOptions,
): AsyncGenerator<RawRecord, void, undefined> {
  const reader =
    mapping.kind === 'wellness'
      ? new WellnessDays(mapping, options)
      : new NutritionDays(mapping, options);
  for await (const row of rows) {
    if (isMeant(row, mapping)) yield* reader.add(row);
  }
  yield* reader.finish();
}

function isMeant(row: Row, { where = {} }: Mapping): boolean {
  return Object.entries(where).every(([path, values]) => {
    const value = row.get(path);
    return values.some((wanted) => wanted === value || String(wanted) === scalarText(value));
  });
}

/** A field of the platform and the rule that finds it. */
interface Target {
  readonly field: string;
  readonly rule: FieldRule;
  readonly platform: PlatformRule;
}

function targetsOf(
  fields: Readonly<Record<string, Path | FieldRule>>,
  table: FieldTable,
): readonly Target[] {
  return Object.entries(fields).map(([name, rule]) => {
    // A field may have several rules, told apart by what follows a hash: `steps#phone`.
    const [field = name] = name.split('#');
    const platform = table[field];
    if (platform === undefined) throw new Error(`The platform has no field ${field}`);
    return { field, rule: typeof rule === 'string' ? { from: rule } : rule, platform };
  });
}

interface FoundValue extends Target {
  readonly value: JsonValue;
}

/** Finds the values of a record; a problem instead of a value that cannot be read. */
class ValueReader {
  readonly #targets: readonly Target[];
  readonly #name: Path | undefined;
  readonly #commaIsDecimal: boolean;

  constructor(targets: readonly Target[], name: Path | undefined, commaIsDecimal: boolean) {
    this.#targets = targets;
    this.#name = name;
    this.#commaIsDecimal = commaIsDecimal;
  }

  *read(row: Row): Generator<RawRecord, FoundValue[], undefined> {
    const name = this.#name === undefined ? undefined : row.get(this.#name);
    const found: FoundValue[] = [];
    for (const target of this.#targets) {
      if (!isNamed(target.rule, name)) continue;
      const read = readValue(row, target.rule, target.platform, this.#commaIsDecimal);
      if (read === undefined) continue;
      if ('problem' in read) {
        yield { source: row.source, field: target.field, problem: read.problem };
      } else found.push({ ...target, value: read.value });
    }
    return found;
  }
}

function isNamed({ named }: FieldRule, name: JsonValue | undefined): boolean {
  if (named === undefined) return true;
  return typeof named === 'string' ? named === name : named.includes(scalarText(name));
}

function problemOf(row: Row, rule: TimeRule, when: { problem: string } | undefined): RawRecord {
  const [first = ''] = typeof rule.from === 'string' ? [rule.from] : rule.from;
  return { source: row.source, field: 'date', problem: when?.problem ?? `${first} is empty` };
}

class WellnessDays {
  readonly #mapping: WellnessMapping;
  readonly #options: MappingOptions;
  readonly #values: ValueReader;
  readonly #days = new Map<string, WellnessDay>();

  constructor(mapping: WellnessMapping, options: MappingOptions) {
    this.#mapping = mapping;
    this.#options = options;
    const targets = targetsOf(mapping.fields, WELLNESS_FIELDS);
    this.#values = new ValueReader(targets, mapping.name, options.commaIsDecimal);
  }

  *add(row: Row): Generator<RawRecord, void, undefined> {
    const values = yield* this.#values.read(row);
    if (values.length === 0) return;
    const { day, at = day } = this.#mapping;
    const when = readWhen(row, day, this.#options.zone, 'day');
    if (when === undefined || 'problem' in when) {
      yield problemOf(row, day, when);
      return;
    }
    const time = at === day ? when : readWhen(row, at, this.#options.zone, 'day');
    const instant = time === undefined || 'problem' in time ? undefined : time.instant;
    let known = this.#days.get(when.date);
    if (known === undefined) this.#days.set(when.date, (known = new WellnessDay(row.source)));
    for (const { field, rule, value } of values) {
      known.add(field, rule, { value, instant, source: row.source });
    }
    if (this.#options.raw) known.raws.push(row.raw);
  }

  *finish(): Generator<RawRecord, void, undefined> {
    for (const date of [...this.#days.keys()].sort()) {
      const day = this.#days.get(date);
      if (day !== undefined) yield day.record(date);
    }
  }
}

class WellnessDay {
  readonly raws: JsonObject[] = [];
  readonly #source: string;
  readonly #fields = new Map<string, { readonly all: Combination; readonly rule: FieldRule }>();

  constructor(source: string) {
    this.#source = source;
  }

  add(field: string, rule: FieldRule, sample: Sample): void {
    let known = this.#fields.get(field);
    if (known === undefined) {
      this.#fields.set(field, (known = { all: combination(rule.combine), rule }));
    }
    known.all.add(sample);
  }

  record(date: string): RawRecord {
    const samples = [...this.#fields].map(([field, { all, rule }]) => {
      const sample = all.result();
      return [field, { ...sample, value: rounded(field, rule, sample.value) }] as const;
    });
    const values = samples.map(([field, { value }]) => [field, value] as const);
    const instants = samples.flatMap(([, { instant }]) => (instant === undefined ? [] : [instant]));
    // A day from one record has its place; of several, the first.
    const sources = new Set(samples.map(([, { source }]) => source));
    const [only = this.#source] = sources.size === 1 ? sources : [];
    return {
      source: only,
      mapped: true,
      value: { date, ...Object.fromEntries(values), ...rawJson(this.raws) },
      ...(instants.length === 0 ? {} : { at: Math.max(...instants) }),
    };
  }
}

/** Rounds what sums and means leave: whole numbers, or what a decimal fraction cannot hold. */
function rounded(field: string, { decimals }: FieldRule, value: JsonValue): JsonValue {
  if (typeof value !== 'number') return value;
  if (WELLNESS_FIELDS[field]?.type === 'integer') return Math.round(value);
  const exact = Number(value.toPrecision(12));
  return decimals === undefined ? exact : Number(exact.toFixed(decimals));
}

/** One record is sent as it was read, several as a list. */
function rawJson(raws: readonly JsonObject[]): { rawJson?: JsonObject } {
  const [first] = raws;
  if (first === undefined) return {};
  return { rawJson: raws.length === 1 ? first : { records: [...raws] } };
}

/** The time of items that have only a day, by the platform's word for the meal. */
export const MEAL_TIMES: Readonly<Record<string, string>> = {
  BREAKFAST: '08:00',
  LUNCH: '12:30',
  SNACK: '16:00',
  DINNER: '19:00',
};
const NOON = '12:00';

class NutritionDays {
  readonly #mapping: NutritionMapping;
  readonly #options: MappingOptions;
  readonly #items: ValueReader;
  readonly #totals: ValueReader;
  readonly #days = new Map<string, NutritionDay>();

  constructor(mapping: NutritionMapping, options: MappingOptions) {
    this.#mapping = mapping;
    this.#options = options;
    const { item = {}, totals = {}, name } = mapping;
    const { commaIsDecimal } = options;
    this.#items = new ValueReader(targetsOf(item, ITEM_FIELDS), name, commaIsDecimal);
    this.#totals = new ValueReader(targetsOf(totals, NUTRITION_FIELDS), name, commaIsDecimal);
  }

  *add(row: Row): Generator<RawRecord, void, undefined> {
    const item = fieldsOf(yield* this.#items.read(row));
    const totals = fieldsOf(yield* this.#totals.read(row));
    const isItem = Object.keys(item).some((field) => !LABELS.includes(field));
    if (!isItem && Object.keys(totals).length === 0) return;
    const { time } = this.#mapping;
    const when = readWhen(row, time, this.#options.zone, 'time');
    if (when === undefined || 'problem' in when) {
      yield problemOf(row, time, when);
      return;
    }
    let day = this.#days.get(when.date);
    if (day === undefined) {
      day = { source: row.source, items: [], totals: {}, raws: [] };
      this.#days.set(when.date, day);
    }
    Object.assign(day.totals, totals);
    if (isItem) day.items.push({ ...item, logged_at: loggedAt(when, item) });
    if (this.#options.raw) day.raws.push(row.raw);
  }

  *finish(): Generator<RawRecord, void, undefined> {
    for (const date of [...this.#days.keys()].sort()) {
      const day = this.#days.get(date);
      if (day === undefined) continue;
      const items = this.#mapping.item === undefined ? {} : { items: day.items };
      const value = { date, ...items, ...day.totals, ...rawJson(day.raws) };
      yield { source: day.source, mapped: true, value };
    }
  }
}

interface NutritionDay {
  readonly source: string;
  readonly items: JsonObject[];
  readonly totals: JsonObject;
  readonly raws: JsonObject[];
}

/** What says nothing about how much was eaten. */
const LABELS: readonly string[] = ['name', 'meal', 'quantity', 'absorptionType'];

function fieldsOf(values: readonly FoundValue[]): JsonObject {
  return Object.fromEntries(values.map(({ field, value }) => [field, value]));
}

function loggedAt(when: When, { meal }: JsonObject): string {
  if (when.instant !== undefined) return when.text;
  return `${when.date}T${MEAL_TIMES[scalarText(meal).toUpperCase()] ?? NOON}`;
}
