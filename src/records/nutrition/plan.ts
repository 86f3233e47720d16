import type { DayContent, SentItem } from '../../ledger/nutrition.ts';
import type { RecordLedger } from '../../ledger/records.ts';
import { ELSEWHERE } from './day-match.ts';
import { type MergeMode, mergeDay } from './day-plan.ts';
import { ItemSet, itemIdentity, itemSet } from './items.ts';
import type { NutritionService } from './service.ts';
import type { JsonObject, PreparedRecord, Warning } from '../types.ts';

/** What a nutrition day should hold, by the ledger, the inputs and the days around it. */

export type NutritionRecord = PreparedRecord & { readonly kind: 'nutrition' };

export interface DayOptions {
  readonly merge: MergeMode;
  /** Send unchanged days, overwrite edits made in the platform, remove surplus copies. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** The user has looked: the items of unclear requests arrived. */
  readonly assumeArrived: boolean;
  /** Remove the items that were sent from here and that this accepts. */
  readonly undo: ((item: SentItem) => boolean) | undefined;
}

/** The run that a day belongs to: its service, its ledger and its other days. */
export interface DayTarget {
  readonly ledger: RecordLedger;
  readonly service: NutritionService;
  /** The other records of the run, by date. */
  readonly run: ReadonlyMap<string, PreparedRecord>;
  /** Items that this run left on another day than the input says now: see {@link holdMoved}. */
  readonly leftInPlace: Set<string>;
  /** More days follow in this run, so it pays to find out the kind of service. */
  readonly moreFollow: boolean;
  readonly warn: (warning: Warning) => void;
}

export interface DayPlan {
  readonly content: DayContent;
  /** Items that the input no longer has. */
  readonly gone: readonly SentItem[];
  /** Items that stay on the day that they were sent for. */
  readonly moved: readonly SentItem[];
  /** Totals that are left out, since they count a part of the day only. */
  readonly partialTotals: readonly string[];
}

/** Works out what the day should hold, and what to warn of. */
export function planDay(
  record: NutritionRecord,
  base: DayContent,
  options: DayOptions,
  target: DayTarget,
): DayPlan {
  const { undo } = options;
  if (undo !== undefined) {
    const stays = (item: SentItem) => item.input === ELSEWHERE || !undo(item);
    const items = base.items.filter(stays);
    const gone = base.items.filter((item) => !stays(item));
    return { content: { items, fields: {} }, gone, moved: [], partialTotals: [] };
  }
  const merged = mergeDay(base, record.parts, record.fields, options.merge);
  const { partialTotals } = merged;
  return { ...holdMoved(record, merged.content, merged.gone, base, target), partialTotals };
}

/**
 * Keeps items on the day that they were sent for, if only the time zone of the input has changed
 * since. On a service that replaces days they move to their new day instead.
 */
function holdMoved(
  record: NutritionRecord,
  content: DayContent,
  gone: readonly SentItem[],
  base: DayContent,
  { ledger, service, run, leftInPlace }: DayTarget,
): Omit<DayPlan, 'partialTotals'> {
  const { date } = record;
  const replaces = service.kind === 'replace';
  if (gone.length === 0 && !record.zoneUsed) return { content, gone, moved: [] };
  const around = daysAround(date).map((day) => {
    let said: ItemSet | undefined;
    return {
      day,
      stored: itemSet(ledger.nutrition.day(day).stored.items),
      says: ({ body }: SentItem) => (said ??= new ItemSet(itemsOf(run.get(day)))).has(body),
    };
  });
  const stay = replaces ? [] : gone.filter((item) => around.some(({ says }) => says(item)));
  for (const item of stay) leftInPlace.add(movedKey(date, item));
  const before = itemSet(base.items);
  const isElsewhere = (item: SentItem) =>
    record.zoneUsed &&
    !before.has(item.body) &&
    isWrittenOn(item, date) &&
    around.some(
      ({ day, stored, says }) =>
        stored.has(item.body) &&
        !says(item) &&
        (!replaces || !run.has(day) || leftInPlace.has(movedKey(day, item))),
    );
  const moved = content.items.filter(isElsewhere);
  return {
    content: {
      ...content,
      items: [...content.items.filter((item) => !moved.includes(item)), ...stay],
    },
    gone: gone.filter((item) => !stay.includes(item)),
    moved,
  };
}

function movedKey(date: string, { body }: SentItem): string {
  return `${date} ${itemIdentity(body)}`;
}

/** Checks that the zone puts an item on this day: a record's own date may differ. */
function isWrittenOn({ body: { logged_at: at } }: SentItem, date: string): boolean {
  return typeof at === 'string' && at.startsWith(date);
}

function itemsOf(record: PreparedRecord | undefined): readonly JsonObject[] {
  return record?.kind === 'nutrition' ? record.parts.flatMap(({ items }) => items ?? []) : [];
}

function daysAround(date: string): readonly string[] {
  const noon = Date.parse(`${date}T12:00:00Z`);
  return [-1, 1].map((days) => new Date(noon + days * 86_400_000).toISOString().slice(0, 10));
}

export function isEmpty({ items, fields }: DayContent): boolean {
  return items.length === 0 && Object.keys(fields).length === 0;
}
