import { unitNameOf } from './fields.ts';
import type { JsonObject, Problem, RecurringNote, Warning } from './types.ts';

/** Collects problems and warnings about one record while it is read. */
export class Notes {
  readonly source: string;
  readonly isStrict: boolean;
  readonly problems: Problem[] = [];
  readonly warnings: Warning[] = [];
  readonly recurring: RecurringNote[] = [];
  /** Checks whether the user named the unit of a field. */
  readonly isSure: (field: string) => boolean;
  /** The problems of values that are left out, by field. */
  readonly #left = new Map<string, Problem>();

  constructor(source: string, strict: boolean, isSure: (field: string) => boolean = () => false) {
    this.source = source;
    this.isStrict = strict;
    this.isSure = isSure;
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
    if (this.isSure(name)) return;
    this.leaveOut(name, field, found, `; --unit ${name}=${unitNameOf(name)} sends it`, name);
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
