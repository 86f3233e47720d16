import { highestOf } from './fields.ts';
import type { Conversion } from '../base/units.ts';
import type { RecordAnswer } from '../api/client.ts';
import type { PreparedRecord, Problem, RecurringNote, SourceOptions, Warning } from './types.ts';

/** What is known of a record before it is read: see `RawRecord`. */
interface NotedRecord {
  readonly source: string;
  readonly at?: number | undefined;
  readonly mapped?: boolean | undefined;
}

type UserUnits = Pick<SourceOptions, 'units' | 'ofDay'>;

/** Collects problems and warnings about one record while it is read. */
export class Notes {
  readonly source: string;
  readonly isStrict: boolean;
  readonly at: number | undefined;
  readonly isMapped: boolean | undefined;
  readonly problems: Problem[] = [];
  readonly warnings: Warning[] = [];
  readonly recurring: RecurringNote[] = [];
  /** What the user said of the units. */
  readonly #user: UserUnits;

  constructor(record: NotedRecord, strict: boolean, user: UserUnits = {}) {
    this.source = record.source;
    this.at = record.at;
    this.isMapped = record.mapped;
    this.isStrict = strict;
    this.#user = user;
  }

  /** Returns notes about a part of the record. */
  ofPart(): Notes {
    return new Notes({ source: this.source, mapped: this.isMapped }, this.isStrict, this.#user);
  }

  /** Returns the scale that the user named: of records in the platform's form, only scores are converted. */
  scaleOf(field: string): Conversion | undefined {
    const isOwnScore = this.isMapped !== true && highestOf(field) !== undefined;
    return isOwnScore ? this.#user.units?.get(field) : undefined;
  }

  problem(field: string, problem: string): void {
    this.problems.push({ field, problem });
  }

  warn(field: string, message: string): void {
    this.warnings.push({ source: this.source, field, message });
  }

  /** Notes a value that was adapted: a warning, or a problem if strict. */
  adapt(field: string, found: string, done: string): void {
    if (this.isStrict) this.problem(field, found);
    else this.warn(field, `${found}: ${done}`);
  }

  /** Notes a doubt that may apply to every record of an input: a warning, or a problem if strict. */
  doubt(key: string, field: string, found: () => string, done?: string): void {
    if (this.isStrict) this.problem(field, found());
    else this.recurring.push({ key, field, found, done });
  }
}

/** Notes the fields that a platform refuses, and that stayed behind. */
export function leftNotes(
  { sources }: Pick<PreparedRecord, 'sources'>,
  { left, reason }: Readonly<Pick<RecordAnswer, 'left'> & { reason?: string | undefined }>,
): Warning[] {
  if (left.length === 0) return [];
  const why = reason === undefined ? '' : ` (${reason})`;
  const message = `the platform refuses fields that its interface does not name${why}: the day was sent without them`;
  return [{ source: sources[0] ?? '', field: left.join(', '), message }];
}
