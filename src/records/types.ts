import type { Failure } from '../base/errors.ts';
import type { Conversion } from '../base/units.ts';
import type { Text } from '../base/phrase.ts';
import type { ItemInput } from '../ledger/nutrition.ts';
import type { RecordKind } from '../ledger/records.ts';
import type { WellnessLedger } from '../ledger/wellness.ts';
import type { Match, Source } from './sources/types.ts';

/** The shapes that records have on their way from a file to a request. */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

export type { RecordKind };

/** A note about accepted input that the user may want to know. */
export interface Warning {
  /** The input record, as in {@link RawRecord}. */
  readonly source: string;
  /** The field as the input spells it, with its place: `weight`, `items/3/logged_at`. */
  readonly field?: string;
  readonly message: Text;
  /** The value was not sent, and the rest of the record was. */
  readonly unsent?: true;
}

/** A note that may apply to many records of an input. Those with one key are reported once. */
export interface Note extends Warning {
  readonly key?: string;
}

/** The fault of one field of a record, or of the record if there is no field. */
export interface Problem {
  readonly field?: string;
  readonly problem: string;
}

/** A problem of one of the rows that a record was made of. */
export interface Fault extends Problem {
  readonly source?: string;
  /** A value that could not be read; otherwise, a row that was perhaps cut off. */
  readonly unsent?: true;
}

/**
 * One record of an input. `source` names its place: `morning.json` (the whole document),
 * `morning.json#/data/0` (a JSON pointer, RFC 6901), `week.ndjson:12` (a line, counted from 1).
 */
export interface RawRecord {
  readonly source: string;
  readonly value: JsonValue;
  readonly doubts?: readonly Fault[];
  /** The places of its items, if an export has each in a row: its values are converted already. */
  readonly rows?: readonly string[];
}

/** A record that cannot be sent. It does not affect the others. */
export interface InvalidRecord {
  readonly outcome: 'invalid';
  readonly kind: RecordKind;
  readonly source: string;
  readonly date?: string;
  /** The first problem, and all of them. */
  readonly field?: string;
  readonly problem: string;
  readonly problems: readonly Problem[];
}

/** What the inputs say about a day: there is one of a kind and date. */
export interface PreparedRecord extends DayFoods {
  readonly outcome: 'ready';
  readonly kind: RecordKind;
  /** The local calendar date: `YYYY-MM-DD`, as in the body. */
  readonly date: string;
  /** Every input record that is in it, in the order they were read. */
  readonly sources: readonly string[];
  /** The inputs over all runs: absolute paths, paths in archives, or `stdin`. */
  readonly files: readonly string[];
  readonly warnings: readonly Warning[];
  /** The program that states each field: a source's name, or `platform`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Wellness: as in {@link NutritionPart}, by field. */
  readonly asOf?: Readonly<Record<string, number>>;
  /** The zone decided about the date or about an offset in the body. */
  readonly zoneUsed: boolean;
  /**
   * Digest of the date, the fields and their programs, the setting `prefer`, and for nutrition of the items by input: an
   * equal day with another digest is compared item by item.
   */
  readonly digest: string;
}

/** What the inputs say about the content of a day. */
export interface DayFoods {
  /** Nutrition: one for each input. A part without `items` says nothing about items. */
  readonly parts: readonly NutritionPart[];
  /** The day's own fields: those of wellness; totals, `waterMl`, `rawJson`. */
  readonly fields: JsonObject;
}

/** The items of a day that are in one input. */
export interface NutritionPart {
  readonly input: ItemInput;
  /** The input is read once, or not whole, so it removes nothing that was sent before. */
  readonly onlyAdds?: boolean;
  /** Without it, the input says nothing about the day's items. */
  readonly items?: readonly JsonObject[] | undefined;
  /** When the file of a source was written (ms since the epoch): an older one is no new version. */
  readonly asOf?: number | undefined;
}

/** The outcome of a day, from the delivery to the printed line. */
export type DayOutcome =
  | {
      readonly outcome: 'pushed';
      readonly attempts: number;
      /** The platform replaced a nutrition day of which nothing is known here. */
      readonly unseen?: true;
    }
  /** The items that were sent from here are removed, and stay away. */
  | { readonly outcome: 'undone'; readonly attempts: number }
  /** `undone`: the user took it back. */
  | { readonly outcome: 'skipped'; readonly reason: 'unchanged' | 'undone' }
  | {
      readonly outcome: 'rejected';
      readonly status?: number;
      readonly message: string;
      readonly hint?: Text;
      readonly attempts: number;
    }
  | {
      readonly outcome: 'conflict';
      /** Items that the service holds, and should not. */
      readonly stored: readonly JsonObject[];
      /** Items that it should hold instead. */
      readonly intended: readonly JsonObject[];
      readonly message: string;
      readonly hint: Text;
      readonly attempts: number;
    }
  | ({ readonly outcome: 'failed'; readonly attempts?: number } & Failure)
  /** No platform can store the day that this record would make of what was sent before. */
  | Omit<InvalidRecord, 'kind' | 'date'>
  /** `--dry-run`: the request, for nutrition with all that the day should hold. */
  | { readonly outcome: 'would-push'; readonly request: RecordRequest };

export interface RecordRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly body: JsonObject;
}

/** The order in which programs count. */
export interface Rank {
  /** The setting `prefer`. */
  readonly prefer: readonly string[];
  /** Returns the rank of a program for a field, or for `items`: the least counts. */
  readonly of: (program: string, field: string) => number;
}

/** How an input joins the known content of a nutrition day. */
export type MergeMode =
  /** It replaces the earlier items of the same input, and adds to the rest. */
  | 'same-input'
  /** It removes nothing. */
  | 'add'
  /** The day holds what this run's inputs say, and nothing else. */
  | 'replace-day';

/** How records are read. */
export interface RecordOptions {
  /** Names the records of all inputs over all runs, in place of programs and paths. */
  readonly origin?: string | undefined;
  /** How nutrition joins what was sent before. Default: `same-input`. */
  readonly merge?: MergeMode;
  /** The inputs remove nothing that was sent before. */
  readonly onlyAdds?: boolean;
  /** An empty list of items is refused: it would remove nothing. */
  readonly needsItems?: boolean;
  /** Which of several programs counts on a day. */
  readonly rank?: Rank | undefined;
  readonly zone: Zone;
  /** The exports that are recognised; without it, records are in the platform's form. */
  readonly sources?: SourceOptions;
  /**
   * Refuse values that would have to be adapted (decimals in integers, numbers as text), unknown fields
   * and days far ahead.
   */
  readonly strict: boolean;
  /**
   * The time now (ms): days far ahead of it are noted. `sync seed` leaves it out, since it writes the
   * records of any year.
   */
  readonly now?: number;
  /** The weight that was sent last, or that the profile holds (kg): a weight far from it is noted. */
  readonly lastWeight?: number | undefined;
  /** FIT files: the user of a scale whose weights count, if there are several. */
  readonly user?: number | undefined;
}

/** A unit that the user named: in this command, or in an earlier one for such a file. */
export type NamedUnit = Conversion & { readonly name?: string; readonly isRemembered?: true };

/** How values become the fields', in the units that the user named (`--unit`). */
export type Units = ReadonlyMap<string, NamedUnit>;

/** The units of an input's fields. */
export interface FieldUnits {
  /** The conversions of fields without a stated unit: named by the user, or remembered. */
  readonly units: Units;
  /** The fields of which the header states the unit or the scale. */
  readonly stated: ReadonlySet<string>;
  /** The fields without a stated unit: read in the platform's, or unknown. `left`: values were left out. */
  readonly unstated: Map<string, 'assumed' | 'unknown' | 'left'>;
}

/** Which exports are recognised. */
export interface SourceOptions {
  readonly list: readonly Source[];
  /** The user named the source: a file of another one is refused. */
  readonly named: boolean;
  /**
   * Decides between several sources that a file matches.
   *
   * @throws SyncError `USAGE` if it cannot ask
   */
  readonly choose: (input: string, matches: readonly Match[]) => Promise<Match>;
  readonly units?: Units;
  /** The fields whose values the user confirmed to be of single days (`--unit steps=day`). */
  readonly ofDay?: ReadonlySet<string>;
  /** The units that the user named for files with the same columns. */
  readonly memory?: Pick<WellnessLedger, 'unitOf' | 'rememberUnit'> | undefined;
  /** Asks for the unit of a field that a file does not state. */
  readonly askUnit?: (input: string, field: string) => Promise<string | undefined>;
}

/** A checked IANA zone name and its origin: a flag overrides a timestamp's own offset. */
export interface Zone {
  readonly name: string;
  readonly from: 'flag' | 'environment' | 'profile' | 'machine';
  /** Returns the zone in which an earlier run read this written time, if it was another one. */
  readonly earlier?: (written: string) => Zone | undefined;
}

/** What came of reading a record, on one day. */
export type Reading = DayDraft | RefusedRecord;

/** One input record's part of a day. Parts of the same date are merged into one request. */
export interface DayDraft extends Entry {
  /** Nutrition only. Without it, the record says nothing about items. */
  readonly items: readonly Entry[] | undefined;
  zoneUsed: boolean;
  /** The time of the measurement (ms), if the record has one. */
  readonly at: number | undefined;
  warnings: readonly Note[];
  /** The faults of values that are not in it. */
  problems: readonly Fault[];
}

/** A record that cannot be sent. */
export interface RefusedRecord {
  /** As in {@link RawRecord}. */
  readonly source: string;
  readonly date?: string | undefined;
  readonly problems: readonly Problem[];
  /** It is a record of the other kind. */
  readonly isOtherKind?: true;
  /** The members of a record of which none is a field, or near to one. */
  readonly strange?: readonly string[];
}

export function isDraft(reading: Reading): reading is DayDraft {
  return 'values' in reading;
}

/** The values of a day, or of an item, as one record states them. */
export interface Entry extends Values {
  /** The place of the record: as in `RawRecord`. */
  readonly source: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Its place in the record: `items/3`; empty for the day itself. */
  readonly path: string;
}

/** The values that an object states. */
export interface Values {
  /** By canonical name, without `date` and `items`. A value with an objection is taken out. */
  readonly values: JsonObject;
  /** The name of each value as the record spells it, if it is another one. */
  readonly spellings: ReadonlyMap<string, string>;
  /** The unrounded numbers, of values that were rounded. */
  readonly exact: ReadonlyMap<string, number>;
  /** A value that must be positive was 0. */
  readonly isUnmeasured: boolean;
}
