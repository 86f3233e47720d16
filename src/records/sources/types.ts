/**
 * How the export of another program is recognised and read. A source is data and holds no functions:
 * `engine/` reads the records.
 */

/** An export that sync understands. */
export interface Source {
  /** As in `--source`: lower case, with hyphens (`garmin-export`). */
  readonly name: string;
  /** For people: `Garmin Connect account export`. */
  readonly title: string;
  /** Where to find the export, as one or two sentences for the athlete. */
  readonly howTo: string;
  /** The public documents or recorded answers that show the format: addresses, or `owner/repo path`. */
  readonly evidence: readonly string[];
  /** Names of members that many programs use: counts only if no other source matches. */
  readonly general?: true;
  /** The kinds of file in the export. The first that matches a file reads it. */
  readonly files: readonly Mapping[];
}

/** A source and the kind of its files that an input matches. */
export interface Match {
  readonly source: Source;
  readonly mapping: Mapping;
}

/** How the records of one kind of file are read. */
export type Mapping = WellnessMapping | NutritionMapping;

/** A mapping without what {@link wellness} and {@link nutrition} add. */
type Rest<M extends Mapping> = Omit<M, 'kind' | 'format' | 'holds'>;
export type WellnessRest = Rest<WellnessMapping>;

/** Makes the mapping of a kind of file with wellness. @param holds as in {@link Mapping} */
export function wellness(
  format: Mapping['format'],
  holds: string,
  rest: WellnessRest,
): WellnessMapping {
  return { kind: 'wellness', format, holds, ...rest };
}

/** Makes the mapping of a kind of file with nutrition. @param holds as in {@link Mapping} */
export function nutrition(
  format: Mapping['format'],
  holds: string,
  rest: Rest<NutritionMapping>,
): NutritionMapping {
  return { kind: 'nutrition', format, holds, ...rest };
}

interface FileMapping {
  /** What the file holds, in the plural, after the source's title: `sleep`, `daily summaries`. */
  readonly holds: string;
  /**
   * `xml`: every element with attributes is a record, its attributes are the members. `fit`: every
   * measurement that counts is a record (`fit-choice.ts`).
   */
  readonly format: 'json' | 'csv' | 'xml' | 'fit';
  /**
   * JSON: the path of the list of records, or of the only record; the document itself by default, or
   * with the path `''`. Of several, the first that has records counts. `[]` at the end of a name goes
   * through a list: `data.metrics[].data[]`. `*` is the only list of the document (`onlyList`). XML: the
   * element's name.
   */
  readonly records?: SourcePaths;
  /**
   * Members that tell this file from all others: each must be in a record (JSON), in the header (CSV),
   * or be the name of the root element (XML). A list inside the list: any one of these spellings.
   */
  readonly has: readonly SourcePaths[];
  /** Members that no file of this kind has: tells it from a similar one. */
  readonly hasNot?: readonly Path[];
  /** Fields of the platform that members or columns have the names of, and that are not read. Any other one is in the athlete's own files alone. */
  readonly ignored?: readonly string[];
  /** A record counts only if each of these members has one of the values. */
  readonly where?: Readonly<Record<Path, readonly (string | number | boolean)[]>>;
  /** A record is left out if one of these members has one of the values: what is no food. */
  readonly unless?: FileMapping['where'];
  /** The member that tells people apart: a file of several is refused. */
  readonly person?: SourcePaths;
  /** The member with the name of the value, if each record holds a single named value. */
  readonly name?: Path;
  /** JSON: every member is a field of the platform or neutral (`foreign.ts`). */
  readonly own?: boolean;
  /** Any program may write such a file: `import` leaves it out, `push` checks its columns and days. */
  readonly guess?: boolean;
  /** The file's name contains this, in any capitals: for files that nothing but the name tells apart. */
  readonly file?: string;
  /** CSV: number of lines before the header. */
  readonly skipLines?: number;
}

export interface WellnessMapping extends FileMapping {
  readonly kind: 'wellness';
  /** The athlete's day of a record. */
  readonly day: TimeRule;
  /** The time of the measurement, if it is not in `day`: the latest of a day wins. */
  readonly at?: TimeRule;
  /** From when to when a record was measured, and by which device. */
  readonly span?: SpanRule;
  /**
   * By the platform's name of the field (`WELLNESS_FIELDS`). A field with several rules has them under
   * `weight`, `weight#2`, ...: the values of all of them are combined.
   */
  readonly fields: Readonly<Record<string, Path | MappingRule>>;
  /**
   * The fields of one sleep: {@link NIGHT} by default. One record of a day gives all of them: the one with the
   * largest first field; of equal ones, the one with the most fields, then the last. Parts of two sleeps, or of
   * one sleep from two devices, do not add up.
   */
  readonly sleep?: readonly [string, ...string[]];
  /**
   * When a part of a sleep began, which ends at `day`: parts that follow each other within an hour are one sleep, and
   * the longest sleep of a day counts.
   */
  readonly partFrom?: TimeRule;
}

export interface NutritionMapping extends FileMapping {
  readonly kind: 'nutrition';
  /**
   * The time of an item, and the day of a record without items. An item with a day alone gets the usual
   * time of its meal.
   */
  readonly time: TimeRule;
  /** Every record is an item: its fields by the platform's names (`ITEM_FIELDS`). */
  readonly item?: Readonly<Record<string, Path | MappingRule>>;
  /** Every record is a day's total: its fields by the platform's names (`NUTRITION_FIELDS`). */
  readonly totals?: Readonly<Record<string, Path | MappingRule>>;
}

/**
 * A place in a record. JSON: names joined by dots, `valueInML` also for `value_in_ml`; `[name=value]` picks the element of a list
 * (`metrics[type=HRV].value`); `^.` goes out to the element that the record's list is in (`^.name`).
 * CSV: the text of a header cell; capitals, blanks, `_` and `-` do not count; `^`: the last line above with a single
 * cell. After a dot, a member of the JSON in the cell. XML: an attribute.
 */
export type Path = string;
/** The first of these with a value counts: the languages or versions of an export. */
export type SourcePaths = Path | readonly Path[];

/** Where a date or a time is, and how it is written. */
export interface TimeRule {
  readonly from: SourcePaths;
  /** A time of day in a member of its own, to be joined to a date (`08:14 AM`, `07:30`). */
  readonly clock?: SourcePaths;
  /**
   * `iso` (default): the forms of docs/dates.md; in JSON, also a list of numbers from the year on
   * (`[2026, 2, 15, 7, 30]`).
   * `day`: a calendar date, whatever time and offset stand after it; of a count of milliseconds, the date
   * in UTC. `days`: a count since 1970-01-01. `mdy`, `dmy`: numbers in this order, with a time
   * after them if there is one (`02/15/26 07:30:00`, `15.02.2026`).
   */
  readonly format?: 'iso' | 'day' | 'days' | 'mdy' | 'dmy';
  /** What a time without an offset is counted in: the athlete's zone by default. */
  readonly zone?: 'utc';
  /**
   * The member with the offset from UTC: `UTC-05:00`, `+0100`. A time in UTC is converted to it.
   */
  readonly offset?: SourcePaths;
  /** The day is that of this many hours later. */
  readonly plusHours?: number;
  /** Counts if the record has no value for this rule. */
  readonly or?: TimeRule;
}

/** The fields of a night: its length, and its phases. */
export const NIGHT = [
  'sleepSecs',
  'sleepDeepSecs',
  'sleepLightSecs',
  'sleepRemSecs',
  'sleepAwakeSecs',
] as const;

/** Where the length of a measurement and its origin are. */
export interface SpanRule {
  readonly from: TimeRule;
  readonly to: TimeRule;
  /** The name of the device or program that measured. */
  readonly origin: SourcePaths;
  /** Words in the names of origins that count before others (lower case). */
  readonly prefer: readonly string[];
}

/** What some devices write in place of its deviation from the wearer's own. */
export const ABSOLUTE_TEMPERATURE = 'a temperature, and the platform takes its deviation';
/** Devices derive their stress of 0 to 100 from the heart rate. */
export const DEVICE_STRESS =
  'measured by the device, and the platform takes the athlete’s own word';

/** How the value of a field is found. A {@link Path} alone is short for `{ from: path }`. */
export interface MappingRule {
  readonly from: SourcePaths;
  /** Members whose values are added to it, if the record has them: the phases of a sleep. */
  readonly and?: readonly Path[];
  /** With `name` of the mapping: the names of the values that are meant. */
  readonly named?: string | readonly string[];
  /** The value is divided by this member: a mass of fat by the weight. Without it, there is no value. */
  readonly over?: SourcePaths;
  /** The value is multiplied by this. 1 if the column's name states the unit: `--unit` does not override it. */
  readonly factor?: number;
  /** Added after the factor: degrees Fahrenheit are `factor: 0.5556, plus: -17.78`. */
  readonly plus?: number;
  /** Smaller values become this one. */
  readonly least?: number;
  /** The value's unit is in a member: the factor for each unit. An unknown unit is a problem. */
  readonly unit?: {
    readonly from: SourcePaths;
    readonly factors: Readonly<Record<string, number>>;
  };
  /**
   * The file does not say the unit: `--unit` overrides the factor, and without a factor it must be known
   * (a member for the unit, `--unit`, an answer of the user).
   */
  readonly mayLackUnit?: true;
  /** There is no value if this member is true. */
  readonly unless?: Path;
  /** What the value is, if it is not the field's: left out with a note. */
  readonly means?: string;
  /** Decimals to keep. Fields that the platform counts in whole numbers are rounded anyway. */
  readonly decimals?: number;
  /** Values that mean "not measured", besides empty cells, `null`, `--`, `n/a` and `NaN`. */
  readonly none?: readonly (string | number)[];
  /** What the source's words mean to the platform. Another word is a problem; with `combine: 'night'`, another stage. */
  readonly words?: Readonly<Record<string, string | number>>;
  /**
   * How several values of a day become one: the latest by default. Two of them need a `span`: `once` is a
   * sum in which every moment counts from one origin, `night` the seconds of the longest sleep that ends
   * on the day.
   */
  readonly combine?: 'latest' | 'earliest' | 'sum' | 'mean' | 'once' | 'night';
}
