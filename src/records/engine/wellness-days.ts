import { SyncError } from '../../base/errors.ts';
import { WELLNESS_FIELDS } from '../fields.ts';
import type { Problem, RawRecord } from '../types.ts';
import { scalarText } from '../values.ts';
import { type Combination, type Sample, combination } from './combine.ts';
import { type Stage, nightsOf } from './nights.ts';
import { nameSource } from '../sources/foreign.ts';
import { type Row, firstValue } from './row.ts';
import {
  type Fault,
  type FoundValue,
  type MappingOptions,
  ValueReader,
  isFault,
  problemOf,
  targetsOf,
} from './row-values.ts';
import { type When, readInstant, readWhen } from './time.ts';
import { isPart, rounded } from './value.ts';
import type { MappingRule, SpanRule, WellnessMapping } from '../sources/types.ts';

/** What people measure several times a day: the latest counts. */
const REPEATED = new Set(['weight', 'bodyFat', 'abdomen', 'systolic', 'diastolic']);

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

  /** @param problems gets one for each value of no day, and if strict for each that cannot be read */
  add(row: Row, problems: RawRecord[]): void {
    const faults: Fault[] = [];
    const values = this.#values.read(row, faults);
    if (values.length === 0 && faults.length === 0) return;
    const { day, at, span } = this.#mapping;
    const stages = values.filter(({ rule }) => rule.combine === 'night');
    if (stages.length > 0 && span !== undefined) {
      this.#addStage(row, span, stages, problems);
      return;
    }
    const when = this.#readDay(row);
    if (when === undefined || 'problem' in when) {
      problems.push(...faults, problemOf(row, day, when));
      return;
    }
    const time = at === undefined ? when : readWhen(row, at, this.#options.zone, 'day');
    const instant = instantOf(time);
    const mayRepeat = instant !== undefined && values.every(({ field }) => REPEATED.has(field));
    if (this.#options.oneRowADay === true && !mayRepeat && this.#days.has(when.date)) {
      const seen = `${row.source} is a second row for ${when.date}; a diary has one a day.`;
      throw new SyncError('INPUT_INVALID', seen, { hint: nameSource() });
    }
    this.#moved ??= when.moved;
    const known = this.#dayOf(when.date, row.source);
    if (this.#options.strict === true) problems.push(...faults);
    for (const fault of faults) {
      known.faulty.add(fault.field);
      known.doubts.push(fault);
    }
    if (row.doubt !== undefined) known.doubts.push({ problem: row.doubt });
    const end = span && readInstant(row, span.to, this.#options.zone);
    const origin = span && this.#originOf(row, span);
    for (const { field, rule, value, decimals } of values) {
      const sample = { value, instant, source: row.source, end, origin };
      known.add(field, rule, decimals, sample, span?.prefer);
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
        day.add(field, { from: '' }, 0, { value, instant: undefined, source });
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
      else yield* day.doubts.filter(isFault);
    }
  }
}

function instantOf(when: When | { readonly problem: string } | undefined): number | undefined {
  return when === undefined || 'problem' in when ? undefined : when.instant;
}

/** The values of a field on a day. */
interface FieldSamples {
  readonly all: Combination;
  readonly isSum: boolean;
  readonly decimals: number | undefined;
}

class WellnessDay {
  readonly doubts: (Problem | Fault)[] = [];
  /** Fields of which a value could not be read: a sum that lacks a part is not sent. */
  readonly faulty = new Set<string>();
  readonly fields = new Map<string, FieldSamples>();
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param prefer as in {@link SpanRule} */
  add(
    field: string,
    rule: MappingRule,
    decimals: number | undefined,
    sample: Sample,
    prefer: readonly string[] = [],
  ): void {
    let known = this.fields.get(field);
    if (known === undefined) {
      known = { all: combination(rule.combine, prefer), isSum: isPart(rule), decimals };
      this.fields.set(field, known);
    }
    known.all.add(sample);
  }

  record(date: string): RawRecord | undefined {
    const whole = [...this.fields].filter(
      ([field, { isSum }]) => !(isSum && this.faulty.has(field)),
    );
    if (whole.length === 0) return undefined;
    const samples = whole.map(([field, { all, decimals }]) => {
      const { value, ...sample } = all.result();
      const isNumber = typeof value === 'number';
      return [field, { ...sample, value: isNumber ? rounded(value, decimals) : value }] as const;
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
