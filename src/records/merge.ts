import { sameJson } from './digest.ts';
import { SUMMED_TOTALS } from './fields.ts';
import { sameInput } from './nutrition/ours.ts';
import { itemKey } from './nutrition/items.ts';
import { nutrition, wellness } from './prepared-record.ts';
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
import { chooseFoods, contestNote, rankBy } from './prefer.ts';
import { isObject, show } from './values.ts';

/** Limits the warnings of a record; one more then gives the number of the others. */
export const MAX_WARNINGS = 50;

/** The winning value of a field. */
interface Stated {
  readonly value: JsonValue;
  readonly times: number;
  readonly agreed: boolean;
  /** Programs state it, and the rank decided between them. */
  readonly isRanked: boolean;
  /** The latest time of these records (ms); -Infinity if none has a time. */
  readonly latest: number;
  /** The value is from a record with a time. */
  readonly timed: boolean;
  /** The program that states it. */
  program: string;
  /** Its record: see `RawRecord`. */
  readonly source: string;
}

/** The items of one input, a list for each of its records. */
type DayPart = Omit<NutritionPart, 'items'> & { readonly lists: (readonly JsonObject[])[] };

interface GatheredDay {
  readonly fields: Map<string, Stated>;
  parts: DayPart[];
  readonly files: Set<string>;
  readonly sources: string[];
  readonly warnings: Warning[];
  /** Warnings beyond {@link MAX_WARNINGS}. */
  dropped: number;
  zoneUsed: boolean;
  /** All records are from exports, which say parts of a day in several files. */
  mapped: boolean;
}

/**
 * Merges many records into one request a date.
 *
 * Wellness is merged field by field. Of several programs, the one of the least rank counts. Among its
 * records with a time, the latest value counts. A record without a time replaces what was read before it.
 * `rawJson` objects are laid over each other, as the service does it. Nutrition items of one input are
 * joined; `oursOf` joins those of several. Totals that a service adds up from the items are kept only if
 * every record of the day states the same; other fields are merged like wellness.
 */
export class DayMerger {
  readonly #kind: RecordKind;
  readonly #path: string;
  readonly #rank: Rank;
  readonly #days = new Map<string, GatheredDay>();

  /** @param path where the records that are added come from: see `PreparedRecord.files` */
  constructor(kind: RecordKind, path: string, rank: Rank = rankBy()) {
    this.#kind = kind;
    this.#path = path;
    this.#rank = rank;
  }

  add(draft: DayDraft): void {
    const day = dayOf(draft, this.#path);
    const { date } = draft;
    const part = this.#days.get(date)?.parts[0];
    const joined = part === undefined ? [] : day.parts.splice(0);
    this.#merge(date, day);
    for (const { lists } of joined) part?.lists.push(...lists);
  }

  /** The number of days, the first and the last of them. */
  get extent(): { readonly days: number; readonly first?: string; readonly last?: string } {
    const [first, ...others] = [...this.#days.keys()].sort();
    if (first === undefined) return { days: 0 };
    return { days: this.#days.size, first, last: others.at(-1) ?? first };
  }

  /** Records that the zone decided about a day, if it exists. */
  noteZoneUsed(date: string): void {
    const day = this.#days.get(date);
    if (day !== undefined) day.zoneUsed = true;
  }

  warn(date: string, warning: Warning): void {
    const day = this.#days.get(date);
    if (day !== undefined) warn(day, warning);
  }

  /**
   * Takes over all records of another merger of this kind, which must not be used afterwards. So an
   * input can be merged on its own first, and counts only if it could be read to its end.
   *
   * @param program that wrote the input
   * @param of its items, if they are not those of a file. A later file of a source replaces them.
   */
  absorb(other: DayMerger, program = 'platform', of?: Omit<NutritionPart, 'items'>): void {
    for (const [date, day] of other.#days) {
      for (const stated of day.fields.values()) stated.program = program;
      if (of !== undefined) {
        for (const part of day.parts) Object.assign(part, of);
        const known = this.#days.get(date);
        if (known !== undefined && of.input.kind === 'source' && of.onlyAdds !== true)
          known.parts = known.parts.filter((part) => !sameInput(part.input, of.input));
      }
      this.#merge(date, day);
    }
    other.#days.clear();
  }

  /** Takes the field out of the days that have the other one, too. @returns the days */
  leaveOutBeside(field: string, other: string): string[] {
    const days = [...this.#days].filter(([, { fields }]) => fields.has(other));
    return days.filter(([, { fields }]) => fields.delete(field)).map(([date]) => date);
  }

  /** Takes out the days without items on whose totals their records do not agree. */
  takeContested(): InvalidRecord[] {
    return [...this.#days].flatMap(([date, day]) => {
      const { fields, mapped, sources } = day;
      const isContested = ([name, { agreed, isRanked }]: [string, Stated]) =>
        this.#isSummed(name) && !agreed && !isRanked;
      const [field] = [...fields].find(isContested) ?? [];
      // Of the files of a program, the later one counts.
      if (mapped || hasItems(day) || field === undefined) return [];
      this.#days.delete(date);
      const problem = `differs between ${sources.length} records of ${date}: write one total, or the foods in "items"`;
      const source = sources.at(-1) ?? '';
      const about = { field, problem };
      return [{ outcome: 'invalid', kind: this.#kind, source, date, ...about, problems: [about] }];
    });
  }

  /** One record a date, by date. The merger is empty afterwards. */
  finish(): PreparedRecord[] {
    const dates = [...this.#days.keys()].sort();
    return dates.flatMap((date) => {
      const day = this.#days.get(date);
      this.#days.delete(date);
      return day === undefined ? [] : [this.#prepare(date, day)];
    });
  }

  #merge(date: string, later: GatheredDay): void {
    const day = this.#days.get(date);
    if (day === undefined) {
      this.#days.set(date, later);
      return;
    }
    for (const source of later.sources) day.sources.push(source);
    for (const warning of later.warnings) warn(day, warning);
    day.dropped += later.dropped;
    const replaced: string[] = [];
    const outdated: string[] = [];
    for (const [name, stated] of later.fields) {
      const before = day.fields.get(name);
      // Layers of rawJson do not contradict each other.
      const same =
        before === undefined || name === 'rawJson' || sameJson(before.value, stated.value);
      const isContest =
        before !== undefined && name !== 'rawJson' && before.program !== stated.program;
      if (isContest) {
        const counts = this.#contest(name, before, stated);
        day.fields.set(name, counts);
        const other = counts === stated ? before : stated;
        if (!same) warn(day, contest(name, counts, other));
        continue;
      }
      day.fields.set(name, before === undefined ? stated : restate(name, before, stated, same));
      if (same || this.#isSummed(name)) continue;
      if (isOutdated(stated, before)) outdated.push(name);
      else replaced.push(name);
    }
    for (const part of later.parts) day.parts.push(part);
    for (const file of later.files) day.files.add(file);
    day.zoneUsed ||= later.zoneUsed;
    day.mapped &&= later.mapped;
    if (day.mapped) return;
    const source = later.sources.at(-1) ?? '';
    if (replaced.length > 0) {
      const message = `${replaced.join(', ')}: this record's value replaces an earlier one's`;
      warn(day, { source, message });
    }
    if (outdated.length > 0) {
      const message = `${outdated.join(', ')}: not sent, since another record of the day is later`;
      warn(day, { source, message });
    }
  }

  /** Returns what counts of the statements of two programs. */
  #contest(name: string, one: Stated, other: Stated): Stated {
    const [first, second] = [one, other].map(({ program }) => this.#rank(program, name));
    const counts = (first ?? 0) < (second ?? 0) ? one : other;
    const agreed = one.agreed && other.agreed && sameJson(one.value, other.value);
    return Object.assign(counts, { times: one.times + other.times, agreed, isRanked: true });
  }

  #isSummed(name: string): boolean {
    return this.#kind === 'nutrition' && SUMMED_TOTALS.includes(name);
  }

  #prepare(date: string, day: GatheredDay): PreparedRecord {
    if (day.sources.length > 1 && !day.mapped) this.#reportMerge(date, day);
    const { sources, warnings, zoneUsed } = day;
    if (day.dropped > 0) {
      const message = `there are ${day.dropped.toLocaleString('en-US')} more warnings about ${date}`;
      warnings.push({ source: sources.at(-1) ?? '', message });
    }
    const fields = Object.fromEntries([...day.fields].map(([name, { value }]) => [name, value]));
    const programs = Object.fromEntries(
      [...day.fields].map(([name, { program }]) => [name, program]),
    );
    const files = [...day.files];
    const about = { outcome: 'ready', date, sources, files, warnings, programs, zoneUsed } as const;
    if (this.#kind === 'wellness') return wellness(about, { date, ...fields });
    const source = sources[0] ?? '';
    const foods = { parts: day.parts.map(partOf), fields, programs };
    const chosen = chooseFoods(foods, [], this.#rank, (note) => warn(day, { source, ...note }));
    return nutrition(about, chosen.parts, chosen.fields);
  }

  #reportMerge(date: string, day: GatheredDay): void {
    const last = day.sources.at(-1) ?? '';
    const listed = day.sources.slice(0, 5).join(', ');
    const more =
      day.sources.length > 5 ? ` and ${(day.sources.length - 5).toLocaleString('en-US')} more` : '';
    warn(day, { source: last, message: `${date} is merged from ${listed}${more}` });
    for (const [name, { times, agreed }] of hasItems(day) ? day.fields : []) {
      if (!this.#isSummed(name) || (agreed && times === day.sources.length)) continue;
      day.fields.delete(name);
      const message = 'is a total that not all merged records agree on: not sent, the items count';
      warn(day, { source: last, field: name, message });
    }
    reportRepeated(day, last);
  }
}

function hasItems({ parts }: GatheredDay): boolean {
  return parts.some(({ lists }) => lists.length > 0);
}

/** Warns of items that are in several records. */
function reportRepeated(day: GatheredDay, source: string): void {
  const parts = day.parts.map(({ lists }) => lists);
  const twice = parts.reduce((sum, lists) => sum + repeatedItems(lists), 0);
  if (twice > 0) {
    const found = twice === 1 ? 'one item is' : `${twice} items are`;
    const message = `${found} the same in several records of one input: all are sent`;
    warn(day, { source, field: 'items', message });
  }
  const once = repeatedItems(parts.map((lists) => lists.flat()));
  if (once > 0) {
    const found = once === 1 ? 'one item is' : `${once} items are`;
    const message = `${found} the same in several inputs: sent once`;
    warn(day, { source, field: 'items', message });
  }
}

/** Counts the items that equal one in another of the lists. */
function repeatedItems(lists: readonly (readonly JsonObject[])[]): number {
  if (lists.length < 2) return 0;
  const first = new Map<string, number>();
  let count = 0;
  for (const [list, items] of lists.entries()) {
    for (const key of items.map(itemKey)) {
      const before = first.get(key) ?? list;
      if (before !== list) count++;
      first.set(key, before);
    }
  }
  return count;
}

/** An input that says nothing about items has no lists. */
function partOf({ lists, ...part }: DayPart): NutritionPart {
  return lists.length === 0 ? part : { ...part, items: lists.flat() };
}

function dayOf(draft: DayDraft, path: string): GatheredDay {
  const items = draft.items?.map(({ values }) => values);
  const fields = Object.entries(draft.values).map(([name, value]): [string, Stated] => [
    name,
    {
      value: name === 'rawJson' ? copyOf(value) : value,
      times: 1,
      agreed: true,
      isRanked: false,
      latest: draft.at ?? -Infinity,
      timed: draft.at !== undefined,
      program: 'platform',
      source: draft.source,
    },
  ]);
  return {
    fields: new Map(fields),
    files: new Set([path]),
    parts: [{ input: { kind: 'file', name: path }, lists: items ? [items] : [] }],
    sources: [draft.source],
    warnings: draft.warnings.slice(0, MAX_WARNINGS),
    dropped: Math.max(0, draft.warnings.length - MAX_WARNINGS),
    zoneUsed: draft.zoneUsed,
    mapped: draft.mapped,
  };
}

function restate(name: string, before: Stated, later: Stated, same: boolean): Stated {
  const outdated = isOutdated(later, before);
  const over = outdated ? before : later;
  const layers = name === 'rawJson' && isObject(before.value) && isObject(later.value);
  return {
    value: layers ? addLayer(before.value, later.value, outdated) : over.value,
    times: before.times + later.times,
    agreed: same && before.agreed && later.agreed,
    isRanked: before.isRanked || later.isRanked,
    latest: Math.max(before.latest, later.latest),
    timed: over.timed,
    program: over.program,
    source: over.source,
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
  return later.timed && later.latest < before.latest;
}

function warn(day: GatheredDay, warning: Warning): void {
  if (day.warnings.length < MAX_WARNINGS) day.warnings.push(warning);
  else day.dropped++;
}
