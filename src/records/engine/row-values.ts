import type { FieldTable } from '../fields.ts';
import type { JsonValue, Problem, RawRecord, Zone } from '../types.ts';
import { isSame, roundingOf, saysOther, scalarText } from '../values.ts';
import { type Row, firstValue } from './row.ts';
import type { MappingRule, Mapping, Path, TimeRule } from '../sources/types.ts';
import { nameOf } from './time.ts';
import { type FieldTarget, type ValueForm, readValue } from './value.ts';

/** Finds the platform's fields in a record. */

export interface MappingOptions extends ValueForm {
  readonly zone: Zone;
  /** A second row for a day shows that the file is no diary. */
  readonly oneRowADay?: boolean;
  /** Refuse a day with a value that cannot be read. */
  readonly strict?: boolean;
  /** Gets the names of values that no rule wants, and of values that are left out. */
  readonly unread?: Set<string>;
  /** Gets a note about values that are left out. */
  readonly note?: (text: string) => void;
}

export function targetsOf(
  fields: Readonly<Record<string, Path | MappingRule>>,
  table: FieldTable,
): readonly FieldTarget[] {
  return Object.entries(fields).map(([name, rule]) => {
    // A field may have several rules, told apart by what follows a hash: `steps#phone`.
    const [field = name] = name.split('#');
    const platform = table[field];
    if (platform === undefined) throw new Error(`The platform has no field ${field}`);
    return { field, rule: typeof rule === 'string' ? { from: rule } : rule, platform };
  });
}

export interface FoundValue extends Pick<FieldTarget, 'field' | 'rule'> {
  readonly value: JsonValue;
  readonly decimals?: number | undefined;
}

/** A value that cannot be read. */
export interface Fault extends Problem {
  readonly source: string;
  readonly field: string;
  readonly unsent: true;
}

export function isFault(problem: Problem | Fault): problem is Fault {
  return 'unsent' in problem;
}

function ofEachColumn(target: FieldTarget): FieldTarget[] {
  const paths = [target.rule.from].flat();
  return paths.map((from) => ({ ...target, rule: { ...target.rule, from } }));
}

/** Returns by how much a value was rounded at most. */
function roundingIn(row: Row, { from, factor = 1 }: MappingRule): number {
  return roundingOf(firstValue(row, from) ?? null) * factor;
}

/** Finds the values of a record. */
export class ValueReader {
  readonly #targets: readonly FieldTarget[];
  /** The targets of a record, by its name. */
  readonly #targetsOf = new Map<JsonValue | undefined, readonly FieldTarget[]>();
  readonly #name: Path | undefined;
  readonly #isGuess: boolean;
  readonly #options: MappingOptions;
  #isUsed = false;

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

  /** A record had a value for a rule, be it "not measured". */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** @param faults gets one for each value that cannot be read */
  read(row: Row, faults: Fault[]): FoundValue[] {
    const name = this.#name === undefined ? undefined : row.get(this.#name);
    const found: FoundValue[] = [];
    const faulty = new Set<string>();
    for (const target of this.#targetsNamed(name)) {
      const { field, rule } = target;
      const read = readValue(row, target, this.#options, this.#isGuess);
      this.#isUsed ||= read !== undefined || firstValue(row, rule.from) !== undefined;
      if (read === undefined) continue;
      if ('problem' in read) {
        faults.push({ source: row.source, field, problem: read.problem, unsent: true });
        faulty.add(field);
        continue;
      }
      const other = found.find((each) => each.field === field);
      if (other === undefined || !this.#isGuess) {
        found.push({ field, rule, ...read });
        continue;
      }
      const rounding = Math.max(roundingIn(row, rule), roundingIn(row, other.rule));
      if (isSame(read.value, other.value, rounding)) continue;
      const problem = saysOther(read.value, `"${[other.rule.from].flat().join()}"`, other.value);
      faults.push({ source: row.source, field, problem, unsent: true });
      faulty.add(field);
    }
    // A field with a column that cannot be read has no value: stones without pounds are no weight.
    return found.filter(({ field }) => !faulty.has(field));
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
const MAX_UNREAD = 100;

function isNamed({ named }: MappingRule, name: JsonValue | undefined): boolean {
  if (named === undefined) return true;
  return typeof named === 'string' ? named === name : named.includes(scalarText(name));
}

export function problemOf(
  row: Row,
  rule: TimeRule,
  when: { problem: string } | undefined,
): RawRecord {
  const problem = when?.problem ?? `${nameOf(rule)} is empty`;
  return { source: row.source, field: 'date', problem };
}
