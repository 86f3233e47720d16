import { WELLNESS_FIELDS } from '../fields.ts';
import { NONE } from '../members.ts';
import { Notes } from '../notes.ts';
import { secondRow } from './refusals.ts';
import { NIGHT, type SpanRule, type WellnessMapping } from '../sources/types.ts';
import type { JsonObject, Reading } from '../types.ts';
import { type TakenValue, scalarText, takeValue } from '../values.ts';
import { dayOf } from '../days/wellness-day.ts';
import { type Combination, type Sample, combination } from './combine.ts';
import { type Stage, followingEachOther, nightsOf } from './nights.ts';
import { type Row, firstValue } from './row.ts';
import {
  type FoundValue,
  type MappingOptions,
  type RowFault,
  ValueReader,
  problemOf,
  refusalOf,
  targetOf,
  targetsOf,
} from './row-values.ts';
import { type When, readInstant, readWhen } from './time.ts';
import { isPart } from './value.ts';

/** What people measure several times a day: the latest counts. */
const REPEATED = new Set(['weight', 'bodyFat', 'abdomen', 'systolic', 'diastolic']);

function isPressure({ field }: FoundValue): boolean {
  return field === 'systolic' || field === 'diastolic';
}

/** A row of a sleep that was interrupted (s since 1970). */
interface SleepPart extends Pick<Row, 'source' | 'doubt'> {
  readonly start: number;
  readonly end: number;
  readonly date: string;
  readonly values: readonly FoundValue[];
  readonly faults: readonly RowFault[];
}

/** Combines the rows of an export to one record a day. */
export class WellnessDays {
  readonly #mapping: WellnessMapping;
  readonly #options: MappingOptions;
  readonly #values: ValueReader;
  readonly #days = new Map<string, WellnessDay>();
  readonly #stages: Stage[] = [];
  readonly #parts: SleepPart[] = [];
  readonly #origins = new Map<string, string>();
  /** What `--tz` did to the first time in another zone. */
  #moved: string | undefined;

  constructor(mapping: WellnessMapping, options: MappingOptions) {
    this.#mapping = mapping;
    this.#options = options;
    const targets = targetsOf(mapping.fields, WELLNESS_FIELDS);
    this.#values = new ValueReader(targets, mapping, options);
  }

  /** @param problems gets one for each value of no day, and if strict for each that cannot be read */
  add(row: Row, problems: RowFault[]): void {
    const faults: RowFault[] = [];
    const values = this.#values.read(row, faults);
    if (values.length === 0 && faults.length === 0) return;
    const { day, at, span, sleep = NIGHT, partFrom } = this.#mapping;
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
    this.#moved ??= when.moved;
    if (this.#options.strict === true) problems.push(...faults);
    if (partFrom !== undefined && when.instant !== undefined) {
      const { date, instant: ended } = when;
      const start = readInstant(row, partFrom, this.#options.zone) ?? ended;
      const { source, doubt } = row;
      const part = { date, values, faults, source, doubt };
      this.#parts.push({ ...part, start: start / 1_000, end: ended / 1_000 });
      return;
    }
    const time = at === undefined ? when : readWhen(row, at, this.#options.zone, 'day');
    const instant = instantOf(time);
    const isSecond = this.#options.oneRowADay === true && this.#days.has(when.date);
    const mayRepeat = () => instant !== undefined && values.every((v) => REPEATED.has(v.field));
    if (isSecond && !mayRepeat()) throw secondRow(row.source, when.date, 'wellness');
    const known = this.#dayOf(when.date, row.source);
    known.faults.push(...faults);
    if (row.doubt !== undefined) known.doubts.push(row.doubt);
    const end = span && readInstant(row, span.to, this.#options.zone);
    const origin = span && this.#originOf(row, span);
    const isHalf = values.filter(isPressure).length === 1;
    for (const value of known.ofLongestSleep(values, sleep)) {
      const about = { instant, source: row.source, end, origin };
      known.add(value, { ...about, isHalf: isHalf && isPressure(value) }, span?.prefer);
    }
  }

  /** Returns the day of a row. What has a length began at a time, midnight included. */
  #readDay(row: Row): ReturnType<typeof readWhen> {
    const { day, span } = this.#mapping;
    const when = readWhen(row, day, this.#options.zone, 'day');
    const isTime = span !== undefined && instantOf(when) === undefined;
    return (isTime ? readWhen(row, span.from, this.#options.zone, 'time') : undefined) ?? when;
  }

  #addStage(row: Row, span: SpanRule, values: readonly FoundValue[], problems: RowFault[]): void {
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

  /** Makes a day of each sleep that is the longest of its day. */
  #addSleeps(): void {
    for (const parts of followingEachOther(this.#parts.splice(0))) {
      const [first, last = first] = [parts[0], parts.at(-1)];
      if (first === undefined || last === undefined) continue;
      const day = new WellnessDay(first.source);
      for (const { values, faults, source, doubt, end } of parts) {
        day.faults.push(...faults);
        if (doubt !== undefined) day.doubts.push(doubt);
        for (const found of values) day.add(found, { instant: end * 1_000, source });
      }
      const known = this.#days.get(last.date);
      if (known === undefined || day.secsAsleep > known.secsAsleep) this.#days.set(last.date, day);
    }
  }

  *finish(): Generator<Reading, void, undefined> {
    for (const { date, seconds, source } of nightsOf(
      this.#stages.splice(0),
      this.#mapping.span?.prefer ?? [],
    )) {
      const day = this.#dayOf(date, source);
      const values = [...seconds].map(([field, value]) => {
        const target = targetOf(field, '', WELLNESS_FIELDS);
        const raw = { value, isRounded: true };
        return { ...target, raw, taken: takeValue(raw, target.platform) };
      });
      for (const found of day.ofLongestSleep(values, this.#mapping.sleep ?? NIGHT))
        day.add(found, { instant: undefined, source });
    }
    this.#addSleeps();
    if (this.#moved !== undefined) this.#options.note?.(`a time in another zone: ${this.#moved}`);
    const isStrict = this.#options.strict === true;
    for (const date of [...this.#days.keys()].sort()) {
      const day = this.#days.get(date);
      // Years of samples: each day is given up once it is a record.
      this.#days.delete(date);
      if (day === undefined || (isStrict && day.faults.length > 0)) continue;
      if (day.hasValues) yield day.read(date, this.#options);
      else yield* day.faults.map(refusalOf);
    }
  }
}

function instantOf(when: When | { readonly problem: string } | undefined): number | undefined {
  return when === undefined || 'problem' in when ? undefined : when.instant;
}

/** The values of a field on a day. */
interface FieldSamples extends FoundValue {
  readonly all: Combination;
}

class WellnessDay {
  /** Values that could not be read: a sum that lacks a part is not sent. */
  readonly faults: RowFault[] = [];
  /** Faults of whole rows. */
  readonly doubts: string[] = [];
  readonly #fields = new Map<string, FieldSamples>();
  /** By field: a value that is not sent, and has a note. */
  readonly #unsent = new Map<string, { readonly taken: TakenValue; readonly source: string }>();
  /** Seconds of the longest sleep so far, and number of its values. */
  #sleep = { length: 0, count: 0 };
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** @param prefer as in {@link SpanRule} */
  add(found: FoundValue, about: Omit<Sample, 'value'>, prefer: readonly string[] = []): void {
    const { field, rule, raw, taken } = found;
    const value = isPart(rule) ? raw.value : taken.value;
    if (value === undefined) {
      this.#unsent.set(field, { taken, source: about.source });
      return;
    }
    let known = this.#fields.get(field);
    if (known === undefined) {
      known = { ...found, all: combination(rule.combine, prefer) };
      this.#fields.set(field, known);
    }
    const { instant, source, end, origin, isHalf } = about;
    known.all.add({ value, taken, instant, source, end, origin, isHalf });
  }

  /**
   * Returns the values of a record without those of a shorter sleep, or of one of the same length with fewer values. Any
   * other sleep replaces the one so far as a whole.
   */
  ofLongestSleep(values: readonly FoundValue[], sleep: readonly string[]): readonly FoundValue[] {
    const others = values.filter(({ field }) => !sleep.includes(field));
    const count = values.length - others.length;
    if (count === 0) return values;
    const seconds = values.find(({ field }) => field === sleep[0])?.taken.value;
    const length = typeof seconds === 'number' ? seconds : 0;
    if ((length - this.#sleep.length || count - this.#sleep.count) < 0) return others;
    for (const field of sleep) {
      this.#fields.delete(field);
      this.#unsent.delete(field);
    }
    this.#sleep = { length, count };
    return values;
  }

  get #whole(): FieldSamples[] {
    const faulty = new Set(this.faults.map(({ field }) => field));
    const isWhole = ({ field, rule }: FieldSamples) => !isPart(rule) || !faulty.has(field);
    return [...this.#fields.values()].filter(isWhole);
  }

  get secsAsleep(): number {
    return Number(this.#fields.get('sleepSecs')?.all.result().value ?? 0);
  }

  get hasValues(): boolean {
    return this.#unsent.size > 0 || this.#whole.length > 0;
  }

  read(date: string, options: MappingOptions): Reading {
    const samples = this.#whole.map((found) => ({ ...found, sample: found.all.result() }));
    const sources = new Set(samples.map(({ sample }) => sample.source));
    const isOfOne = sources.size < 2 && samples.every(({ sample: { count = 1 } }) => count < 2);
    // A day from one record has its place; of several, the file.
    const [only = this.#source] = isOfOne ? sources : [options.name];
    const notes = new Notes(only, options.strict === true);
    notes.problems.push(...this.faults);
    for (const doubt of this.doubts) notes.adapt(undefined, doubt);
    const values: JsonObject = {};
    const exact = new Map<string, number>();
    let isUnmeasured = false;
    const take = (field: string, { problem, ...taken }: TakenValue, place: string, of = '') => {
      if (problem !== undefined)
        notes.problems.push({ source: place, field, problem: problem + of });
      notes.take(field, taken);
      isUnmeasured ||= taken.isUnmeasured === true;
      if (taken.value !== undefined) values[field] = taken.value;
      if (taken.exact !== undefined) exact.set(field, taken.exact);
    };
    for (const { field, rule, platform, raw, sample } of samples) {
      const { value, taken = {}, source, count = 1 } = sample;
      const whole = isPart(rule) ? takeValue({ ...raw, value, written: value }, platform) : taken;
      const parts = rule.combine === 'mean' ? 'mean' : 'sum';
      take(field, whole, source, count > 1 ? ` (the ${parts} of ${count} records)` : '');
    }
    for (const [field, { taken, source }] of this.#unsent)
      if (!(field in values)) take(field, taken, source);
    const instants = samples.flatMap(({ sample: { instant } }) => instant ?? []);
    const at = instants.length === 0 ? undefined : Math.max(...instants);
    const day = { date, names: [], zoneUsed: false, at };
    const read = { values, exact, spellings: NONE, isUnmeasured };
    return dayOf(read, notes, day, options, notes.problems.length);
  }
}
