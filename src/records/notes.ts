import { highestOf, unitNameOf } from './fields.ts';
import type { Conversion } from '../base/units.ts';
import type { JsonObject, Problem, RecurringNote, SourceOptions, Warning } from './types.ts';

type UserUnits = Pick<SourceOptions, 'units' | 'ofDay'>;

/** Collects problems and warnings about one record while it is read. */
export class Notes {
  readonly source: string;
  readonly isStrict: boolean;
  readonly problems: Problem[] = [];
  readonly warnings: Warning[] = [];
  readonly recurring: RecurringNote[] = [];
  readonly #isMapped: boolean;
  /** What the user said of the units. */
  readonly #user: UserUnits;
  /** The problems of values that are left out, by field. */
  readonly #left = new Map<string, Problem>();

  /** @param mapped the record's values are converted already */
  constructor(source: string, strict: boolean, mapped = false, user: UserUnits = {}) {
    this.source = source;
    this.isStrict = strict;
    this.#isMapped = mapped;
    this.#user = user;
  }

  /** Returns notes about a part of the record. */
  ofPart(): Notes {
    return new Notes(this.source, this.isStrict, this.#isMapped, this.#user);
  }

  /** Returns the scale that the user named: of records in the platform's form, only scores are converted. */
  scaleOf(field: string): Conversion | undefined {
    const isOwnScore = !this.#isMapped && highestOf(field) !== undefined;
    return isOwnScore ? this.#user.units?.get(field) : undefined;
  }

  #isSure(field: string): boolean {
    const unit = this.#user.units?.get(field);
    return this.#isMapped ? unit !== undefined : unit?.factor === 1;
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
  doubt(key: string, field: string, found: () => string, done?: string, column?: string): void {
    if (this.isStrict) this.problem(field, found());
    else this.recurring.push({ key, field, found, done, column });
  }

  /**
   * Notes a value that is perhaps in another unit: {@link takeOut} leaves it out, unless the user named
   * the unit. An input without any other value of the field is refused.
   */
  doubtUnit(name: string, field: string, found: () => string): void {
    if (this.#isSure(name)) return;
    this.leaveOut(name, field, found, `; --unit ${name}=${unitNameOf(name)} sends it`, name);
  }

  /** Notes a total that is perhaps of several days, as {@link doubtUnit}; the input is sent without it. */
  doubtDay(name: string, field: string, found: () => string): void {
    if (this.#user.ofDay?.has(name) === true) return;
    this.leaveOut(name, field, found, `; --unit ${name}=day sends it`);
  }

  /** Notes a value that {@link takeOut} leaves out. */
  leaveOut(name: string, field: string, found: () => string, remedy = '', column?: string): void {
    this.doubt(`unit of ${name}`, field, found, `Left out${remedy}`, column);
    this.#left.set(name, { field, problem: found() });
  }

  /** Takes out the values that are left out, which are problems if there is nothing `more` to send. */
  takeOut(fields: JsonObject, more = false): void {
    for (const name of this.#left.keys()) Reflect.deleteProperty(fields, name);
    if (!more && Object.keys(fields).length === 0) this.problems.push(...this.#left.values());
  }
}
