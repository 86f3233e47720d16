import type { FieldTable } from '../fields.ts';
import type { Fault, JsonValue, RefusedRecord, Zone } from '../types.ts';
import { type RawValue, type TakenValue, contradiction, scalarText, takeValue } from '../values.ts';
import type { Row } from './row.ts';
import type { MappingRule, Mapping, Path, TimeRule } from '../sources/types.ts';
import { nameOf } from './time.ts';
import { type FieldTarget, type ValueForm, isPart, rawValue } from './value.ts';

/** Finds the platform's fields in a record. */

export interface MappingOptions extends ValueForm {
  /** The file's: the place of a day from several records. */
  readonly name?: string;
  readonly zone: Zone;
  /** A second row for a day shows that the file is no diary. */
  readonly oneRowADay?: boolean;
  /** Refuse a day with a value that cannot be read. */
  readonly strict?: boolean;
  /** As in `RecordOptions`. */
  readonly now?: number;
  /** Gets the names of values that no rule wants, and of values that are left out. */
  readonly unread?: Set<string>;
  /** Gets a note about values that are left out. */
  readonly note?: (text: string) => void;
  /** Called if the last row is cut off. */
  readonly cutOff?: () => void;
}

export function targetsOf(
  fields: Readonly<Record<string, Path | MappingRule>>,
  table: FieldTable,
): readonly FieldTarget[] {
  return Object.entries(fields).map(([name, rule]) => targetOf(name, rule, table));
}

export function targetOf(name: string, rule: Path | MappingRule, table: FieldTable): FieldTarget {
  // A field may have several rules, told apart by what follows a hash: `steps#phone`.
  const [field = name] = name.split('#');
  const platform = table[field];
  if (platform === undefined) throw new Error(`The platform has no field ${field}`);
  return { field, rule: typeof rule === 'string' ? { from: rule } : rule, platform };
}

export interface FoundValue extends FieldTarget {
  readonly raw: RawValue;
  /** What the raw value becomes; a part of a sum is taken with the sum. */
  readonly taken: TakenValue;
}

/** A row, or a value of it, that cannot be read. */
export type RowFault = Fault & Required<Pick<Fault, 'source'>>;

export function refusalOf({ source, ...problem }: RowFault): RefusedRecord {
  return { source, problems: [problem] };
}

function ofEachColumn(target: FieldTarget): FieldTarget[] {
  const paths = [target.rule.from].flat();
  return paths.map((from) => ({ ...target, rule: { ...target.rule, from } }));
}

function statementOf({ rule, raw, taken }: FoundValue) {
  const { value, written = value } = raw;
  const name = `"${[rule.from].flat().join()}"`;
  return { name, value: taken.value ?? value, written, factor: rule.factor };
}

/** Finds the values of a record. */
export class ValueReader {
  readonly #targets: readonly FieldTarget[];
  /** The targets of a record, by its name. */
  readonly #targetsOf = new Map<JsonValue | undefined, readonly FieldTarget[]>();
  readonly #name: Path | undefined;
  readonly #isGuess: boolean;
  readonly #options: MappingOptions;

  constructor(
    targets: readonly FieldTarget[],
    { name, guess = false }: Mapping,
    options: MappingOptions,
  ) {
    // A diary has a column for each name of a field, and two of them must agree.
    this.#targets = guess ? targets.flatMap(ofEachColumn) : targets;
    this.#name = name;
    this.#isGuess = guess;
    this.#options = options;
  }

  /** @param faults gets one for each value that cannot be read */
  read(row: Row, faults: RowFault[]): FoundValue[] {
    const name = this.#name === undefined ? undefined : row.get(this.#name);
    const found: FoundValue[] = [];
    const faulty = new Set<string>();
    for (const target of this.#targetsNamed(name)) {
      const { field, rule, platform } = target;
      const raw = rawValue(row, target, this.#options, this.#isGuess);
      if (raw === undefined) continue;
      let problem: string | undefined;
      if ('problem' in raw) problem = raw.problem;
      else {
        const taken = isPart(rule) ? {} : takeValue(raw, platform);
        const one = { field, rule, platform, raw, taken };
        const other = this.#isGuess ? found.find((each) => each.field === field) : undefined;
        problem =
          one.taken.problem ?? (other && contradiction(statementOf(one), statementOf(other)));
        if (problem === undefined && other === undefined) found.push(one);
      }
      if (problem === undefined) continue;
      faults.push({ source: row.source, field, problem });
      faulty.add(field);
    }
    // A field with a column that cannot be read has no value: stones without pounds are no weight.
    return faulty.size === 0 ? found : found.filter(({ field }) => !faulty.has(field));
  }

  #targetsNamed(name: JsonValue | undefined): readonly FieldTarget[] {
    const known = this.#targetsOf.get(name);
    if (known !== undefined) return known;
    const targets = this.#targets.filter(({ rule }) => isNamed(rule, name));
    // A name that no rule wants may be unique to its record.
    if (targets.length > 0) this.#targetsOf.set(name, targets);
    else this.#noteUnread(scalarText(name));
    return targets;
  }

  #noteUnread(name: string): void {
    const { unread } = this.#options;
    if (name !== '' && unread !== undefined && unread.size < MAX_UNREAD) unread.add(name);
  }
}

/** Limits the names of values that no rule wants, which are listed. */
export const MAX_UNREAD = 100;

function isNamed({ named }: MappingRule, name: JsonValue | undefined): boolean {
  if (named === undefined) return true;
  return typeof named === 'string' ? named === name : named.includes(scalarText(name));
}

export function problemOf(
  row: Row,
  rule: TimeRule,
  when: { problem: string } | undefined,
): RowFault {
  const problem = when?.problem ?? `${nameOf(row, rule)} is empty`;
  return { source: row.source, field: 'date', problem };
}
