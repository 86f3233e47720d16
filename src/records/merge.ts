import { canonicalJson, itemDigest, itemKeys, recordDigest } from './digest.ts';
import { SUMMED_TOTALS } from './fields.ts';
import type {
  DayDraft,
  JsonObject,
  JsonValue,
  PreparedRecord,
  RecordKind,
  Warning,
} from './types.ts';
import { isObject } from './values.ts';

/** A record keeps this many warnings; the last then says how many there were beyond it. */
export const MAX_WARNINGS = 50;

/** What was last said about a field. */
interface Stated {
  readonly value: JsonValue;
  /** How many records stated this field, and did they all say the same? */
  readonly times: number;
  readonly agreed: boolean;
}

interface Day {
  readonly fields: Map<string, Stated>;
  readonly items: JsonObject[];
  /** For each item, the index of its source. */
  readonly itemSources: number[];
  readonly sources: string[];
  readonly warnings: Warning[];
  dropped: number;
  zoneUsed: boolean;
}

/**
 * Brings what many records say to one request a date.
 *
 * Wellness is merged field by field in the order of reading: a later value replaces an earlier
 * one, `rawJson` objects are laid over each other, as the service does it. Nutrition items are
 * joined. Totals that a service works out from the items (and that would override its sum) are
 * kept only if every record of the day states the same; other fields are merged like wellness.
 */
export class DayMerger {
  readonly #kind: RecordKind;
  readonly #days = new Map<string, Day>();

  constructor(kind: RecordKind) {
    this.#kind = kind;
  }

  add(draft: DayDraft): void {
    const day = this.#dayOf(draft.date);
    const source = day.sources.push(draft.source) - 1;
    for (const warning of draft.warnings) warn(day, warning);
    const replaced: string[] = [];
    for (const [name, value] of draft.fields) {
      const before = day.fields.get(name);
      const same = before === undefined || canonicalJson(before.value) === canonicalJson(value);
      day.fields.set(name, {
        value: name === 'rawJson' ? layered(before?.value, value) : value,
        times: (before?.times ?? 0) + 1,
        agreed: same && before?.agreed !== false,
      });
      if (!same && name !== 'rawJson') replaced.push(name);
    }
    for (const item of draft.items) {
      day.items.push(item);
      day.itemSources.push(source);
    }
    day.zoneUsed ||= draft.zoneUsed;
    const visible = replaced.filter((name) => !this.#isSummed(name));
    if (visible.length > 0) {
      const message = `${visible.join(', ')}: this record's value replaces an earlier one's`;
      warn(day, { source: draft.source, message });
    }
  }

  /** One record a date, by date. */
  finish(): PreparedRecord[] {
    const dates = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
    return dates.map(([date, day]) => this.#prepare(date, day));
  }

  #dayOf(date: string): Day {
    let day = this.#days.get(date);
    if (day === undefined) {
      day = {
        fields: new Map(),
        items: [],
        itemSources: [],
        sources: [],
        warnings: [],
        dropped: 0,
        zoneUsed: false,
      };
      this.#days.set(date, day);
    }
    return day;
  }

  #isSummed(name: string): boolean {
    return this.#kind === 'nutrition' && SUMMED_TOTALS.includes(name);
  }

  #prepare(date: string, day: Day): PreparedRecord {
    if (day.sources.length > 1) this.#reportMerge(date, day);
    const fields = [...day.fields].map(([name, { value }]) => [name, value] as const);
    const { sources, warnings, zoneUsed } = day;
    if (day.dropped > 0) {
      const message = `there are ${day.dropped} more warnings about ${date}`;
      warnings.push({ source: sources.at(-1) ?? '', message });
    }
    const common = { outcome: 'ready', date, sources, warnings, zoneUsed } as const;
    if (this.#kind === 'wellness') {
      const body: JsonObject = Object.fromEntries([['date', date], ...fields]);
      return { kind: 'wellness', ...common, body, digest: recordDigest(body) };
    }
    const body: JsonObject = Object.fromEntries([['date', date], ['items', day.items], ...fields]);
    const keys = itemKeys(day.items);
    return { kind: 'nutrition', ...common, body, digest: recordDigest(body), itemKeys: keys };
  }

  #reportMerge(date: string, day: Day): void {
    const last = day.sources.at(-1) ?? '';
    const listed = day.sources.slice(0, 5).join(', ');
    const more = day.sources.length > 5 ? ` and ${day.sources.length - 5} more` : '';
    warn(day, { source: last, message: `${date} is merged from ${listed}${more}` });
    for (const [name, { times, agreed }] of day.fields) {
      if (!this.#isSummed(name) || (agreed && times === day.sources.length)) continue;
      day.fields.delete(name);
      const message = 'is a total that not all merged records agree on: not sent, the items count';
      warn(day, { source: last, field: name, message });
    }
    const twice = repeatedItems(day);
    if (twice > 0) {
      const items = twice === 1 ? 'one item is' : `${twice} items are`;
      const message = `${items} the same in several of the merged records: all are sent`;
      warn(day, { source: last, field: 'items', message });
    }
  }
}

function layered(before: JsonValue | undefined, value: JsonValue): JsonValue {
  return isObject(before) && isObject(value) ? { ...before, ...value } : value;
}

function warn(day: Day, warning: Warning): void {
  if (day.warnings.length < MAX_WARNINGS) day.warnings.push(warning);
  else day.dropped++;
}

/** How many items are the same as one from another source. */
function repeatedItems(day: Day): number {
  const firstSource = new Map<string, number>();
  let count = 0;
  day.items.forEach((item, index) => {
    const digest = itemDigest(item);
    const source = day.itemSources[index] ?? 0;
    const first = firstSource.get(digest);
    if (first === undefined) firstSource.set(digest, source);
    else if (first !== source) count++;
  });
  return count;
}
