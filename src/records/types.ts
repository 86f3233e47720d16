/** The shapes that records have on their way from a file to a request. */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export type RecordKind = 'wellness' | 'nutrition';

/** Something that was accepted, but that a person may want to know about. */
export interface Warning {
  /** The input record it is about, as in {@link RawRecord}. */
  readonly source: string;
  /** The field as the input spells it, with its place: `weight`, `items/3/logged_at`. */
  readonly field?: string;
  readonly message: string;
}

/** What is wrong with one field of a record (or with the record, if there is no field). */
export interface Problem {
  readonly field?: string;
  readonly problem: string;
}

/**
 * One record as it was read. `source` says where: `morning.json` (the whole document),
 * `morning.json#/data/0` (a JSON pointer, RFC 6901), `week.ndjson:12` (a line, counted from 1).
 */
export type RawRecord =
  | {
      readonly source: string;
      readonly value: JsonValue;
      /** A warning about the whole input. */
      readonly note?: string;
      /** Numbers that could not be kept exactly: accepted with a warning, refused if strict. */
      readonly inexact?: readonly Problem[];
    }
  | ({ readonly source: string } & Problem);

/** A record that cannot be sent. The other records are not held up by it. */
export interface InvalidRecord {
  readonly outcome: 'invalid';
  readonly kind: RecordKind;
  readonly source: string;
  /** The local date, where the record got that far. */
  readonly date?: string;
  /** The first thing that is wrong, and all of them. */
  readonly field?: string;
  readonly problem: string;
  readonly problems: readonly Problem[];
}

interface Prepared {
  readonly outcome: 'ready';
  /** The local calendar date: `YYYY-MM-DD`, as in the body. */
  readonly date: string;
  /** What the inputs say, as the service takes it: a copy of its own each time it is read. */
  readonly body: JsonObject;
  /** Every input record that is in the body, in the order they were read. */
  readonly sources: readonly string[];
  readonly warnings: readonly Warning[];
  /** Did the zone decide about the date or about an offset in the body? */
  readonly zoneUsed: boolean;
  /** Of what goes out; for nutrition also of the inputs that it came from. */
  readonly digest: string;
}

/** One request: there is one of a kind and date. */
export type PreparedRecord =
  | (Prepared & { readonly kind: 'wellness' })
  | (Prepared & {
      readonly kind: 'nutrition';
      /** What each input says about the day's items, in the order of reading. Parsed when read. */
      readonly parts: readonly NutritionPart[];
      /** The day's own fields: totals, `waterMl`, `rawJson`. Parsed when read. */
      readonly fields: JsonObject;
    });

/** The items of a day that are in one input. */
export interface NutritionPart {
  /** The input over all runs: an absolute path, a source's name or `stdin`. */
  readonly input: string;
  /** Without it, the input says nothing about the day's items. */
  readonly items?: readonly JsonObject[] | undefined;
}

/** What may be true of many records of an input, and is then told once: see `Recurring`. */
export interface RecurringNote {
  /** What is told once. */
  readonly key: string;
  /** As in {@link Warning}. */
  readonly field: string;
  /** The message; worked out for the first of them alone. */
  readonly say: () => string;
}

/** How records are read. */
export interface RecordOptions {
  readonly zone: Zone;
  /**
   * Refuse what the service may not take as it is meant: values that would have to be adapted
   * (decimals in integers, numbers as text), fields it is not known to have, days far ahead.
   */
  readonly strict: boolean;
  /** Send each record as it was read along, as `rawJson`. */
  readonly raw: boolean;
  /**
   * The time now, in ms: days far ahead of it are doubted. Without it none is; `sync seed` writes a
   * life of whatever years it is told.
   */
  readonly now?: number;
}

/** How records are read now. */
export interface ReadingOptions extends RecordOptions {
  /** The athlete's calendar date: `YYYY-MM-DD`. Without it no day is too far ahead. */
  readonly today?: string | undefined;
}

/** A checked IANA zone name, and who named it: a flag outweighs a timestamp's own offset. */
export interface Zone {
  readonly name: string;
  readonly from: 'flag' | 'environment' | 'profile' | 'machine';
}

/** What one input record says about one day. Days of the same date are merged into one request. */
export interface DayDraft {
  readonly date: string;
  readonly source: string;
  /** By canonical name, without `date` and `items`. */
  readonly fields: ReadonlyMap<string, JsonValue>;
  /** Nutrition only. Without it, the record says nothing about items. */
  readonly items?: readonly JsonObject[] | undefined;
  readonly warnings: readonly Warning[];
  readonly recurring: readonly RecurringNote[];
  readonly zoneUsed: boolean;
}

/** What became of one input record. */
export type Reading =
  | { readonly ok: true; readonly drafts: readonly DayDraft[] }
  | { readonly ok: false; readonly date?: string; readonly problems: readonly Problem[] };
