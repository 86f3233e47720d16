import { groupBy } from '../base/group-by.ts';
import { EMPTY_DAY } from '../ledger/nutrition.ts';
import { recordDigest, sameJson } from './digest.ts';
import { SUMMED_TOTALS } from './fields.ts';
import { sameInput } from './nutrition/ours.ts';
import { itemKey } from './nutrition/items.ts';
import type {
  DayDraft,
  InvalidRecord,
  JsonObject,
  JsonValue,
  NutritionPart,
  PreparedRecord,
  Rank,
  RecordKind,
  Warning,
} from './types.ts';
import { OWN_RECORDS, chooseFoods, contestNote, isOfAthlete, lessNote, rankBy } from './prefer.ts';
import { isObject, show } from './values.ts';

/** Limits the warnings of a record; one more then gives the number of the others. */
export const MAX_WARNINGS = 50;

/** The winning value of a field. */
interface Stated {
  readonly value: JsonValue;
  /** The latest time of the records of its program (ms); -Infinity if none has a time. */
  readonly latest: number;
  /** The program that states it. */
  readonly program: string;
  /** Its record: see `RawRecord`. */
  readonly source: string;
  readonly asOf: NutritionPart['asOf'];
}

/** The records of an input that was read to its end. */
export interface InputDays {
  /** Merging takes them out. */
  readonly drafts: DayDraft[];
  /** Where they come from: see `PreparedRecord.files`. */
  readonly path: string;
  /** The program that wrote the input. */
  readonly program: string;
  /** The owner of its items. A later file of a source replaces them. */
  readonly part: Omit<NutritionPart, 'items'>;
}

/** The records of a day, by their inputs. */
type DraftsByInput = ReadonlyMap<InputDays, readonly DayDraft[]>;

/** Returns the number of days, the first and the last of them. */
export function extentOf(drafts: readonly DayDraft[]) {
  const dates = [...new Set(drafts.map(({ date }) => date))].sort();
  const [first, last = first] = [dates[0], dates.at(-1)];
  return { days: dates.length, ...(first && last && { first, last }) };
}

/**
 * Merges the records of many inputs into one request a date.
 *
 * Wellness is merged field by field. Of several programs, the one of the least rank counts. Among its
 * records with a time, the latest value counts. A record without a time replaces what was read before it.
 * `rawJson` objects are laid over each other, as the service does it. Nutrition items of one input are
 * joined; `oursOf` joins those of several. Totals that a service adds up from the items are kept only if
 * every record of the day states the same; other fields are merged like wellness.
 *
 * @returns `records`, by date; `invalid`: the days without items on whose totals their records do not agree; `beside`:
 *   the days without their sleepQuality, since the platform shows it in place of their sleepScore
 */
export function mergeDays(kind: RecordKind, inputs: Iterable<InputDays>, rank: Rank = rankBy()) {
  const byDate = new Map<string, Map<InputDays, DayDraft[]>>();
  for (const input of inputs) {
    for (const [date, drafts] of groupBy(input.drafts.splice(0), (draft) => draft.date)) {
      const known = byDate.get(date) ?? new Map<InputDays, DayDraft[]>();
      byDate.set(date, known.set(input, drafts));
    }
  }
  const records: PreparedRecord[] = [];
  const invalid: InvalidRecord[] = [];
  const beside: string[] = [];
  for (const date of [...byDate.keys()].sort()) {
    const day: DraftsByInput = byDate.get(date) ?? new Map();
    // Each is freed here, since drafts and requests together would take twice the memory.
    byDate.delete(date);
    const has = (field: string) => [...day.values()].flat().some(({ values }) => field in values);
    if (has('sleepQuality') && has('sleepScore')) beside.push(date);
    const record = mergeDay(kind, date, day, rank);
    if (record.outcome === 'ready') records.push(record);
    else invalid.push(record);
  }
  return { records, invalid, beside };
}

function mergeDay(
  kind: RecordKind,
  date: string,
  inputs: DraftsByInput,
  rank: Rank,
): PreparedRecord | InvalidRecord {
  const drafts = [...inputs.values()].flat();
  const sources = drafts.map((draft) => draft.source);
  const [source = '', last = source] = [sources[0], sources.at(-1)];
  const zoneUsed = drafts.some((draft) => draft.zoneUsed);
  const files = [...new Set([...inputs.keys()].map(({ path }) => path))];
  const latest = withoutReplaced(inputs);
  const parts = [...latest].map(partOf);
  const hasItems = parts.some(({ items }) => items !== undefined);
  const warnings: Warning[] = [];
  const stated = statedIn(inputs, rank, warnings);
  if (stated.has('sleepScore')) stated.delete('sleepQuality');
  // Exports say parts of a day in several files, and of the files of a program, the later one counts.
  const hasRecords = [...inputs.keys()].some(({ program }) => program === OWN_RECORDS);
  const isOwn = sources.length > 1 && hasRecords;
  const contested = isOwn && !hasItems ? contestedTotal(inputs) : undefined;
  if (contested !== undefined) {
    const problem = `differs between ${sources.length} records of ${date}: write one total, or the foods in "items"`;
    const about = { field: contested, problem };
    return { outcome: 'invalid', kind, source: last, date, ...about, problems: [about] };
  }
  if (isOwn) {
    const more = sources.length - 5;
    const others = more > 0 ? ` and ${more.toLocaleString('en-US')} more` : '';
    const message = `${date} is merged from ${sources.slice(0, 5).join(', ')}${others}`;
    warnings.push({ source: last, message });
    for (const [name, { value }] of hasItems ? stated : []) {
      const isAgreed = drafts.every(({ values }) => sameJson(values[name] ?? null, value));
      if (!SUMMED_TOTALS.includes(name) || isAgreed) continue;
      stated.delete(name);
      const message = 'is a total that not all merged records agree on: not sent, the items count';
      warnings.push({ source: last, field: name, message });
    }
    for (const message of repeatedNotes(latest))
      warnings.push({ source: last, field: 'items', message });
  }
  const fields = Object.fromEntries([...stated].map(([name, { value }]) => [name, value]));
  const programs = Object.fromEntries([...stated].map(([name, { program }]) => [name, program]));
  const asOf = Object.fromEntries(
    [...stated].flatMap(([name, { asOf: at }]) => (at === undefined ? [] : [[name, at]])),
  );
  const warn = (note: Omit<Warning, 'source'>) => void warnings.push({ source, ...note });
  const foods =
    kind === 'wellness'
      ? { parts: [], fields }
      : chooseFoods({ parts, fields, programs }, EMPTY_DAY, rank, warn);
  const more = warnings.length - MAX_WARNINGS;
  if (more > 0) {
    const message = `there are ${more.toLocaleString('en-US')} more warnings about ${date}`;
    warnings.splice(MAX_WARNINGS, more, { source: last, message });
  }
  const about = { outcome: 'ready', kind, date, sources, files, warnings, zoneUsed } as const;
  const digest = recordDigest({ date, ...foods, programs, prefer: rank.prefer });
  return { ...about, ...foods, programs, asOf, digest };
}

/** Returns what counts of each field: of the records of a program, then of the programs. @param warnings gets the notes */
function statedIn(inputs: DraftsByInput, rank: Rank, warnings: Warning[]): Map<string, Stated> {
  const stated = new Map<string, Stated>();
  for (const [program, all] of groupBy(inputs, ([input]) => input.program)) {
    const own = new Map<string, Stated>();
    for (const [{ part }, drafts] of all)
      for (const draft of drafts)
        warnings.push(...draft.warnings, ...addRecord(own, draft, program, part.asOf));
    for (const [name, one] of own) {
      const other = stated.get(name);
      if (other === undefined) stated.set(name, one);
      else if (name === 'rawJson') stated.set(name, restate(name, other, one));
      else {
        const isOther = rank.of(other.program, name) < rank.of(program, name);
        const [counts, left] = isOther ? [other, one] : [one, other];
        stated.set(name, counts);
        if (!sameJson(one.value, other.value)) warnings.push(contest(name, counts, left));
      }
    }
  }
  return stated;
}

/** Adds a record to those of its program. @returns notes about values that differ from those before */
function addRecord(
  known: Map<string, Stated>,
  draft: DayDraft,
  program: string,
  asOf: Stated['asOf'],
): Warning[] {
  const { source, at: latest = -Infinity } = draft;
  const replaced: string[] = [];
  const outdated: string[] = [];
  const less: Warning[] = [];
  for (const [name, value] of Object.entries(draft.values)) {
    const own = {
      value: name === 'rawJson' ? copyOf(value) : value,
      latest,
      program,
      source,
      asOf,
    };
    const before = known.get(name);
    const counts = before === undefined ? own : restate(name, before, own);
    known.set(name, counts);
    // Layers of rawJson do not contradict each other.
    const isSame = before === undefined || name === 'rawJson' || sameJson(before.value, value);
    if (isSame || SUMMED_TOTALS.includes(name)) continue;
    const isOut = isOutdated(own, before);
    (isOut ? outdated : replaced).push(name);
    const message = lessNote(name, program, counts.value, isOut ? value : before.value);
    if (message !== undefined) less.push({ source, field: name, message });
  }
  const note = (names: readonly string[], said: string) =>
    names.length === 0 || !isOfAthlete(program)
      ? []
      : [{ source, message: `${names.join(', ')}: ${said}` }];
  return [
    ...note(replaced, "this record's value replaces an earlier one's"),
    ...note(outdated, 'not sent, since another record of the day is later'),
    ...less,
  ];
}

/** Returns a total on which the records of the only program that states it do not agree. */
function contestedTotal(inputs: DraftsByInput): string | undefined {
  return SUMMED_TOTALS.find((name) => {
    const all = [...inputs].filter(([, drafts]) => drafts.some(({ values }) => name in values));
    const values = all.flatMap(([, drafts]) => drafts.flatMap((draft) => draft.values[name] ?? []));
    return new Set(all.map(([{ program }]) => program)).size === 1 && new Set(values).size > 1;
  });
}

/** Says which items are in several records. */
function repeatedNotes(inputs: DraftsByInput): string[] {
  const keysOf = ({ items = [] }: DayDraft) => items.map(({ values }) => itemKey(values));
  const all = [...inputs.values()].map((drafts) => drafts.map(keysOf));
  const twice = all.reduce((sum, lists) => sum + repeatedItems(lists), 0);
  const once = repeatedItems(all.map((lists) => lists.flat()));
  const said = (count: number) => (count === 1 ? 'one item is' : `${count} items are`);
  return [
    ...(twice > 0 ? [`${said(twice)} the same in several records of one input: all are sent`] : []),
    ...(once > 0 ? [`${said(once)} the same in several inputs: sent once`] : []),
  ];
}

/** Counts the keys that are in another of the lists, too. */
function repeatedItems(lists: readonly (readonly string[])[]): number {
  if (lists.length < 2) return 0;
  const first = new Map<string, number>();
  let count = 0;
  for (const [list, keys] of lists.entries()) {
    for (const key of keys) {
      const before = first.get(key) ?? list;
      if (before !== list) count++;
      first.set(key, before);
    }
  }
  return count;
}

/** Leaves out the files of a program with a later file that has the day. */
function withoutReplaced(inputs: DraftsByInput): DraftsByInput {
  const all = [...inputs.keys()].map(({ part }) => part);
  const isReplaced = ({ input }: NutritionPart, at: number) =>
    input.kind === 'source' &&
    all.slice(at + 1).some((part) => part.onlyAdds !== true && sameInput(part.input, input));
  return new Map([...inputs].filter(([{ part }], at) => !isReplaced(part, at)));
}

function partOf([{ part }, drafts]: readonly [InputDays, readonly DayDraft[]]): NutritionPart {
  const lists = drafts.flatMap(({ items }) => (items ? [items.map(({ values }) => values)] : []));
  return lists.length === 0 ? part : { ...part, items: lists.flat() };
}

function restate(name: string, before: Stated, later: Stated): Stated {
  const outdated = isOutdated(later, before);
  const over = outdated ? before : later;
  const isLayers = name === 'rawJson' && isObject(before.value) && isObject(later.value);
  return {
    ...over,
    value: isLayers ? addLayer(before.value, later.value, outdated) : over.value,
    latest: Math.max(before.latest, later.latest),
  };
}

/** Copies an object. The copy has no prototype, so that a member `__proto__` is one like any other. */
function copyOf(value: JsonValue): JsonValue {
  return isObject(value) ? addLayer(Object.create(null) as JsonObject, value, false) : value;
}

/** Adds the members of an object to another one, which it returns; `under` those that it has already. */
function addLayer(object: JsonObject, layer: JsonObject, under: boolean): JsonObject {
  for (const [name, value] of Object.entries(layer)) {
    if (!under || !(name in object)) object[name] = value;
  }
  return object;
}

function contest(field: string, counts: Stated, other: Stated): Warning {
  const [one, two] = [counts, other].map(({ value, program }) => `${show(value)} of ${program}`);
  const message = contestNote(`${one ?? ''} counts, and not ${two ?? ''}`, other.program, field);
  return { source: counts.source, field, message };
}

/** Checks that a value was measured before an earlier one of the input. */
function isOutdated(later: Stated, before: Stated): boolean {
  return later.latest > -Infinity && later.latest < before.latest;
}
