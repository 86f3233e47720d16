import { SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import type { ItemInput, LedgerDay } from '../ledger/nutrition.ts';
import { sameJson } from './digest.ts';
import { WELLNESS_FIELDS, SUMMED_TOTALS, isDayTotal } from './fields.ts';
import type { DayFoods, JsonValue, PreparedRecord, Rank, Warning } from './types.ts';
import { show } from './values.ts';

/** Decides which of several programs counts on a day. The order of arguments and commands makes no difference. */

/** Names JSON records, the athlete's own, among the programs. */
export const OWN_RECORDS = 'json';

/** Programs that are none: the athlete's own records and tables. */
const OWN = [OWN_RECORDS, 'table', 'food-log'];

/** The athlete's own records, and devices, count before exports. */
const FIRST = [...OWN, 'fit'];

/** Checks for the athlete's own records and tables: of an export, the later file counts without a word. */
export function isOfAthlete(program: string): boolean {
  return OWN.includes(program);
}

/**
 * Returns the order in which programs count.
 *
 * @param prefer the setting: programs (`oura`), also for one field (`restingHr=oura`)
 * @param sources the exports, in the order in which they count
 * @throws SyncError `CONFIG` if the setting names no such program or field
 */
export function rankBy(
  prefer: readonly string[] = [],
  sources?: readonly { readonly name: string }[],
): Rank {
  const order = [...FIRST, ...(sources ?? []).map(({ name }) => name)];
  for (const entry of sources === undefined ? [] : prefer) {
    const [name, field = 'items'] = entry.split('=').reverse();
    if (order.includes(name ?? '') && (field === 'items' || field in WELLNESS_FIELDS)) continue;
    throw new SyncError('CONFIG', `prefer: ${entry} names no program or no field.`, {
      hint: phrase`${sync('sources')} lists the programs, docs/records.md the fields.`,
    });
  }
  const of = (program: string, field: string) => {
    const [own, any] = [prefer.indexOf(`${field}=${program}`), prefer.indexOf(program)];
    if (own !== -1) return own - 2 * MANY;
    if (any !== -1) return any - MANY;
    const at = order.indexOf(program);
    return at === -1 ? MANY : at;
  };
  return { prefer, of };
}

/** Rank of an unknown program. */
const MANY = 1_000;

/** Says which value or food counts. @param other the program that does not */
export function contestNote(counts: Text, other: string, field?: string): Text {
  const choice = field === undefined ? other : `${field}=${other}`;
  return phrase`${counts}. ${sync('config', 'set', 'prefer', choice)} chooses ${other}`;
}

interface Claim {
  readonly program: string;
  readonly value: JsonValue;
}

/** Says whether a value that was sent before counts, or the new one of another program. */
export function contestWithSent(
  field: string,
  sent: Claim,
  own: Claim,
  isOutranked: boolean,
): Pick<Warning, 'field' | 'message'> {
  const [one, two] = [sent, own].map(({ program, value }) => `${show(value)} of ${program}`);
  const message = isOutranked
    ? contestNote(`${one}, sent before, counts, and not ${two}`, own.program, field)
    : contestNote(`${two} replaces ${one}`, sent.program, field);
  return { field, message };
}

/** Share of a day's total below which a later one is noted: the total usually grows, and corrections are small. */
const LEAST_OF_TOTAL = 0.9;

/** Notes a day's total that is much less than in another file of the same export; undefined if it is not. */
export function lessNote(
  field: string,
  program: string,
  counts: JsonValue,
  other: JsonValue,
): string | undefined {
  const isLess = Number(counts) < Number(other) * LEAST_OF_TOTAL;
  if (!isLess || !isDayTotal(field) || isOfAthlete(program)) return undefined;
  const found = `${show(counts)} replaces ${show(other)} of an earlier file of ${program}`;
  return `${found}. If the later file holds a part of the day, export whole days`;
}

/** Returns the program of an export. */
export function programOf({ kind, name }: ItemInput): string | undefined {
  return kind === 'source' ? name.replace(/: .*/, '') : undefined;
}

/**
 * Chooses the program of a day's foods, if exports of several have some: two diaries of one day would
 * double it. Records of the athlete's own add to them.
 *
 * @param known what was sent before
 * @param warn gets a note about each program that does not count
 */
export function chooseFoods(
  { parts, fields, programs }: DayFoods & Pick<PreparedRecord, 'programs'>,
  known: LedgerDay,
  rank: Rank,
  warn: (note: Pick<Warning, 'field' | 'message'>) => void,
): DayFoods {
  const sent = known.items.filter((item) => item.inputs.length > 0);
  const inputs = [...parts.map(({ input }) => input), ...sent.flatMap((item) => item.inputs)];
  const ofTotals = SUMMED_TOTALS.filter((name) => name in known.fields).map(
    (name) => known.programs?.[name] ?? OWN_RECORDS,
  );
  const exported = ofTotals.filter((program) => !isOfAthlete(program));
  const [winner, ...others] = [...new Set([...inputs.map(programOf), ...exported])]
    .filter((program) => program !== undefined)
    .sort((a, b) => scoreOf(a) - scoreOf(b));
  if (winner === undefined || others.length === 0) return { parts, fields };
  for (const other of others) {
    const counts = `${winner} and ${other} have foods of this day: those of ${winner} count`;
    warn({ field: 'items', message: contestNote(counts, other) });
  }
  const isOther = (input: ItemInput) => others.some((other) => other === programOf(input));
  // An input that has no items any more takes back the sent ones.
  const sentBy = sent.flatMap((item) => item.inputs).filter(isOther);
  const dropped = new Map(sentBy.map((input) => [input.name, input])).values();
  const isOwn = (name: string) =>
    !SUMMED_TOTALS.includes(name) || !others.includes(programs[name] ?? winner);
  return {
    parts: [
      ...parts.filter(({ input }) => !isOther(input)),
      ...[...dropped].map((input) => ({ input, items: [] })),
    ],
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => isOwn(name))),
  };

  /** A list of foods says more than their totals. */
  function scoreOf(program: string): number {
    const own = rank.of(program, 'items');
    const hasItems =
      sent.some((item) => item.inputs.map(programOf).includes(program)) ||
      parts.some(({ input, items = [] }) => programOf(input) === program && items.length > 0);
    return own < 0 || hasItems ? own : own + MANY;
  }
}

/**
 * Chooses between a day's fields and the sent ones, if one of both is the athlete's own. Fields beside
 * items are those of the items.
 *
 * @param warn gets a note about each value that is contradicted
 */
export function chooseFields(
  { parts, fields, programs }: DayFoods & Pick<PreparedRecord, 'programs'>,
  known: LedgerDay,
  rank: Rank,
  warn: (note: Pick<Warning, 'field' | 'message'>) => void,
): DayFoods {
  const counts = ([field, value]: [string, JsonValue]) => {
    const sent = known.fields[field];
    const [before, program] = [known.programs?.[field], programs[field]];
    if (sent === undefined || before === undefined || program === undefined) return true;
    if (isOfAthlete(before) === isOfAthlete(program) || field === 'rawJson') return true;
    const isOutranked = rank.of(before, field) < rank.of(program, field);
    const [one, two] = [
      { program: before, value: sent },
      { program, value },
    ];
    if (!sameJson(sent, value)) warn(contestWithSent(field, one, two, isOutranked));
    return !isOutranked;
  };
  const isWhole = parts.every(({ items }) => items === undefined);
  return {
    parts,
    fields: isWhole ? Object.fromEntries(Object.entries(fields).filter(counts)) : fields,
  };
}
