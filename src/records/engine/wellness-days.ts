import { SyncError } from '../../base/errors.ts';
import { WELLNESS_FIELDS } from '../fields.ts';
import type { JsonValue, Problem, RawRecord } from '../types.ts';
import { scalarText } from '../values.ts';
import { type Combination, type Sample, combination } from './combine.ts';
import { type Stage, nightsOf } from './nights.ts';
import { nameSource } from '../sources/foreign.ts';
import { type Row, firstValue } from './row.ts';
import {
  type FoundValue,
  type MappingOptions,
  ValueReader,
  problemOf,
  targetsOf,
} from './row-values.ts';
import { type When, readInstant, readWhen } from './time.ts';
import { CONVERTED_DECIMALS, isPart } from './value.ts';
import type { MappingRule, SpanRule, WellnessMapping } from '../sources/types.ts';

/** Combines the rows of an export to one record a day. */
export class WellnessDays {
  readonly #mapping: WellnessMapping;
  readonly #options: MappingOptions;
  readonly #values: ValueReader;
  readonly #days = new Map<string, WellnessDay>();
  readonly #stages: Stage[] = [];
  readonly #origins = new Map<string, string>();
  /** What `--tz` did to the first time in another zone. */
  #moved: string | undefined;

  constructor(mapping: WellnessMapping, options: MappingOptions) {
    this.#mapping = mapping;
    this.#options = options;
    const targets = targetsOf(mapping.fields, WELLNESS_FIELDS);
    this.#values = new ValueReader(targets, mapping, options);
  }

  get isUsed(): boolean {
    return this.#values.isUsed;
  }

  /** @param problems gets one for each value that cannot be read */
  add(row: Row, problems: RawRecord[]): void {
    const before = problems.length;
    const values = this.#values.read(row, problems);
    const faulty = problems.slice(before).flatMap((raw) => ('field' in raw ? [raw.field] : []));
    if (values.length === 0 && faulty.length === 0) return;
    const { day, at, span } = this.#mapping;
    const stages = values.filter(({ rule }) => rule.combine === 'night');
    if (stages.length > 0 && span !== undefined) {
      this.#addStage(row, span, stages, problems);
      return;
    }
    const when = this.#readDay(row);
    if (when === undefined || 'problem' in when) {
      problems.push(problemOf(row, day, when));
      return;
    }
    if (this.#options.oneRowADay === true && this.#days.has(when.date)) {
      const seen = `${row.source} is a second row for ${when.date}; a diary has one a day.`;
      throw new SyncError('INPUT_INVALID', seen, { hint: nameSource() });
    }
    this.#moved ??= when.moved;
    const known = this.#dayOf(when.date, row.source);
    for (const field of faulty) known.faulty.add(field);
    if (row.doubt !== undefined) known.doubts.push({ problem: row.doubt });
    const time = at === undefined ? when : readWhen(row, at, this.#options.zone, 'day');
    const instant = instantOf(time);
    const end = span && readInstant(row, span.to, this.#options.zone);
    const origin = span && this.#originOf(row, span);
    for (const { field, rule, value } of values) {
      known.add(field, rule, { value, instant, source: row.source, end, origin }, span?.prefer);
    }
  }

  /** Returns the day of a row. What has a length began at a time, midnight included. */
  #readDay(row: Row): ReturnType<typeof readWhen> {
    const { day, span } = this.#mapping;
    const when = readWhen(row, day, this.#options.zone, 'day');
    const isTime = span !== undefined && instantOf(when) === undefined;
    return isTime ? readWhen(row, span.from, this.#options.zone, 'time') : when;
  }

  #addStage(row: Row, span: SpanRule, values: readonly FoundValue[], problems: RawRecord[]): void {
    const start = readInstant(row, span.from, this.#options.zone);
    const to = readWhen(row, span.to, this.#options.zone, 'time');
    const end = instantOf(to);
    if (to === undefined || 'problem' in to || start === undefined || end === undefined) {
      const problem = to !== undefined && 'problem' in to ? to : undefined;
      problems.push(problemOf(row, span.to, problem));
      return;
    }
    if (end <= start) return;
    this.#stages.push({
      start: start / 1_000,
      end: end / 1_000,
      endDate: to.date,
      origin: this.#originOf(row, span),
      fields: values.map(({ field }) => field),
      source: row.source,
    });
  }

  /** Returns one string for each origin: a part of the file's text would keep all of it in memory. */
  #originOf(row: Row, { origin }: SpanRule): string {
    const name = scalarText(firstValue(row, origin));
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const copy = Buffer.from(name).toString();
    this.#origins.set(copy, copy);
    return copy;
  }

  #dayOf(date: string, source: string): WellnessDay {
    let known = this.#days.get(date);
    if (known === undefined) this.#days.set(date, (known = new WellnessDay(source)));
    return known;
  }

  *finish(): Generator<RawRecord, void, undefined> {
    for (const { date, seconds, source } of nightsOf(
      this.#stages.splice(0),
      this.#mapping.span?.prefer ?? [],
    )) {
      const day = this.#dayOf(date, source);
      for (const [field, value] of seconds) {
        day.add(field, { from: '' }, { value, instant: undefined, source });
      }
    }
    if (this.#moved !== undefined) this.#options.note?.(`a time in another zone: ${this.#moved}`);
    for (const date of [...this.#days.keys()].sort()) {
      const day = this.#days.get(date);
      // Years of samples: each day is given up once it is a record.
      this.#days.delete(date);
      if (day === undefined || (this.#options.strict === true && day.faulty.size > 0)) continue;
      const record = day.record(date);
      if (record !== undefined) yield record;
    }
  }
}

function instantOf(when: When | { readonly problem: string } | undefined): number | undefined {
  return when === undefined || 'problem' in when ? undefined : when.instant;
}

class WellnessDay {
  readonly doubts: Problem[] = [];
  /** Fields of which a value could not be read: a sum that lacks a part is not sent. */
  readonly faulty = new Set<string>();
  readonly fields = new Map<string, { readonly all: Combination; readonly rule: MappingRule }>();
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param prefer as in {@link SpanRule} */
  add(field: string, rule: MappingRule, sample: Sample, prefer: readonly string[] = []): void {
    let known = this.fields.get(field);
    if (known === undefined) {
      this.fields.set(field, (known = { all: combination(rule.combine, prefer), rule }));
    }
    known.all.add(sample);
  }

  record(date: string): RawRecord | undefined {
    const whole = [...this.fields].filter(
      ([field, { rule }]) => !(isPart(rule) && this.faulty.has(field)),
    );
    if (whole.length === 0) return undefined;
    const samples = whole.map(([field, { all, rule }]) => {
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
      value: { date, ...Object.fromEntries(values) },
      inexact: this.doubts,
      ...(instants.length === 0 ? {} : { at: Math.max(...instants) }),
    };
  }
}

/** Rounds what sums and means leave. */
function rounded(field: string, rule: MappingRule, value: JsonValue): JsonValue {
  if (typeof value !== 'number') return value;
  if ((isPart(rule) || rule.factor !== undefined) && WELLNESS_FIELDS[field]?.type === 'integer')
    return Math.round(value);
  const decimals = rule.decimals ?? (isPart(rule) ? CONVERTED_DECIMALS : undefined);
  return decimals === undefined ? value : Number(value.toFixed(decimals));
}
