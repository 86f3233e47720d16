import { conversionOf, unitsOf } from '../fields.ts';
import { plain } from '../names.ts';
import type { MappingRule, Match, SourcePaths } from '../sources/types.ts';
import type { FieldUnits, NamedUnit, SourceOptions } from '../types.ts';
import { roundingOf } from '../values.ts';
import { anyOf } from './recognise.ts';
import { type NumberForm, parseNumber, statesUnit } from './number.ts';

/**
 * Decides in which unit the values of each column are, before they are read. What the file states counts
 * before what the user says: a flag is about all files of a command.
 */

/** A column without a unit in its header. */
interface Column {
  readonly input: string;
  readonly field: string;
  readonly rule: MappingRule;
  /** The source and the columns of the file, for which an answer of the user is remembered. */
  readonly form: string;
  readonly file: FileColumns;
  /** The rules of the same field for columns with a stated unit. */
  readonly stated: readonly MappingRule[];
  readonly sources: SourceOptions;
}

type UnitJudge = (column: Column) => Judged | undefined | Promise<Judged | undefined>;
type Judged = 'stated' | 'assumed' | 'unknown' | NamedUnit;

/** The first that knows decides. */
const JUDGES: readonly UnitJudge[] = [
  inCells,
  inNeighbour,
  bySibling,
  namedByUser,
  remembered,
  ({ rule }) => (rule.factor === undefined ? undefined : rule.factor === 1 ? 'assumed' : 'stated'),
  askUser,
  () => 'unknown',
];

/** The columns of a file, and the cells of its first rows. */
export interface FileColumns {
  readonly header: readonly string[];
  readonly rows?: readonly (readonly string[])[];
}

export async function judgeUnits(
  input: string,
  { source, mapping }: Match,
  file: FileColumns,
  sources: SourceOptions,
): Promise<FieldUnits> {
  const columns = file.header.map(plain);
  const rules = Object.entries(mapping.kind === 'wellness' ? mapping.fields : {}).flatMap(
    ([name, rule]) => {
      const [field = '', unit] = name.split('#');
      const isThere = typeof rule === 'object' && anyOf(rule.from, (path) => isOne(columns, path));
      return isThere ? [{ field, unit, rule }] : [];
    },
  );
  const stated = rules.filter(({ unit }) => unit !== undefined);
  const units = new Map(sources.units);
  const unstated: FieldUnits['unstated'] = new Map();
  const form = `${source.name}: ${columns.join()}`;
  for (const { field, rule } of rules.filter((each) => each.rule.mayLackUnit === true)) {
    const others = stated.filter((each) => each.field === field).map((each) => each.rule);
    const column: Column = { input, field, rule, form, file, stated: others, sources };
    let judged: Judged | undefined;
    for (const judge of JUDGES) if ((judged ??= await judge(column)) !== undefined) break;
    if (judged === 'assumed' || judged === 'unknown') unstated.set(field, judged);
    else if (typeof judged === 'object') units.set(field, judged);
  }
  return { units, unstated, stated: new Set(stated.map(({ field }) => field)) };
}

function isOne(columns: readonly string[], path: string): boolean {
  return columns.includes(plain(path));
}

/** Returns the cells at the first of the paths that the file has. */
function cellsAt({ header, rows = [] }: FileColumns, paths: SourcePaths): readonly string[] {
  const at = header.findIndex((column) => [paths].flat().some((p) => plain(p) === plain(column)));
  return rows.map((row) => row[at] ?? '');
}

function inCells({ field, rule, file }: Column): Judged | undefined {
  const cells = cellsAt(file, rule.from).filter((cell) => cell !== '');
  return cells.length > 0 && cells.every((cell) => statesUnit(cell, field)) ? 'stated' : undefined;
}

function inNeighbour({ rule: { unit }, file: { header } }: Column): Judged | undefined {
  const columns = header.map(plain);
  const isThere = unit !== undefined && anyOf(unit.from, (path) => isOne(columns, path));
  return isThere ? 'stated' : undefined;
}

/** Decimals, since no unit turns thousands into them. */
const COMMAS: NumberForm = { comma: 'decimal', point: 'decimal' };

/** A column beside one with a unit has the unit in which both say the same. */
function bySibling({ field, rule, file, stated: [other] }: Column): Judged | undefined {
  if (other === undefined) return undefined;
  const own = cellsAt(file, rule.from);
  const pairs = cellsAt(file, other.from).flatMap((cell, at) => {
    const [one, two] = [own[at] ?? '', cell].map((text) => parseNumber(text, COMMAS));
    const rounding = roundingOf(own[at] ?? '') + roundingOf(cell);
    return one === undefined || two === undefined ? [] : [{ one, two, rounding }];
  });
  const factor = Object.values(unitsOf(field)).find((factor) =>
    pairs.every(
      ({ one, two, rounding }) => Math.abs(one * factor - two * (other.factor ?? 1)) <= rounding,
    ),
  );
  return factor === undefined ? 'stated' : { factor };
}

function namedByUser({ field, form, sources: { units, memory } }: Column): Judged | undefined {
  const named = units?.get(field);
  if (named?.name !== undefined) memory?.rememberUnit(form, field, named.name);
  return named;
}

function remembered({ field, form, sources: { memory } }: Column): Judged | undefined {
  const name = memory?.unitOf(form, field);
  if (name === undefined) return undefined;
  const known = conversionOf(field, name);
  return known && { ...known, name, isRemembered: true };
}

async function askUser({ input, field, form, sources }: Column): Promise<Judged | undefined> {
  const name = await sources.askUnit?.(input, field);
  if (name !== undefined) sources.memory?.rememberUnit(form, field, name);
  return name === undefined ? undefined : conversionOf(field, name);
}
