import type { DayContent, ItemInput, SentItem } from '../../ledger/nutrition.ts';
import { SUMMED_TOTALS } from '../fields.ts';
import { itemIdentity, itemKey } from './items.ts';
import { KeyIndex } from './key-index.ts';
import type { JsonObject, MergeMode, NutritionPart } from '../types.ts';
import { isObject } from '../values.ts';

/** Works out what a nutrition day should hold, from earlier content and the inputs. */

interface Slot {
  readonly item: SentItem;
  /** An input of this run has it. */
  readonly said: boolean;
}

/**
 * Joins the inputs of a run, in their order, to the known content of a day. An item with the
 * instant and name of a known one is a new version of it. So the same food in two inputs counts
 * once, and two equal items in one input stay two.
 *
 * @param parts one for each input. A part without `items` says nothing about items.
 * @param fields the day's own fields as the inputs state them.
 * @returns `items` and `fields`: what the day should hold; `dropped`: items that the platform may hold, and should not,
 *   such as earlier versions; `partialTotals`: totals that are left out, since they count a part of the day
 */
export function mergeDay(
  known: DayContent,
  parts: readonly NutritionPart[],
  fields: JsonObject,
  mode: MergeMode,
  force = false,
) {
  const dropped = new Set(known.items.filter(isDropped));
  const { slots, left } = joinParts(known, parts, mode);
  for (const item of left) dropped.add(item);
  const byKey = new KeyIndex(dropped, ({ body }) => itemKey(body));
  const items = slots.flatMap(({ item }): SentItem[] => {
    if (item.state === 'removed' && mode === 'replace-day') {
      return [{ ...statedItem(item), state: 'new' }];
    }
    const isBack = item.state === 'new' && dropped.size > 0;
    const back = isBack ? byKey.first(itemKey(item.body)) : undefined;
    if (back === undefined) return [item];
    // The input has an item again that the platform may still hold, or that the user took back.
    if (back.undone === true && !force) return [];
    dropped.delete(back);
    const { undone, ...again } = back;
    if (undone !== true && back.edited !== undefined) {
      return [{ ...again, inputs: item.inputs, state: 'fresh' }];
    }
    const mayBeThere = undone !== true && back.state === 'dropped';
    return [{ ...again, inputs: item.inputs, state: mayBeThere ? 'unanswered' : 'new' }];
  });
  // An input without items describes the whole day.
  const isWhole = parts.every((part) => part.items === undefined);
  const isPart = !isWhole && slots.some(({ item, said }) => !said && item.state !== 'removed');
  const merged = mergedFields(known.fields, fields);
  // Other totals count a part of the day, or items that have changed since.
  const isTrue = (name: string) =>
    isWhole || !isTotal(name) || (!isPart && Object.hasOwn(fields, name));
  return {
    items,
    fields: Object.fromEntries(Object.entries(merged).filter(([name]) => isTrue(name))),
    dropped: [...dropped],
    partialTotals: isPart ? Object.keys(merged).filter(isTotal) : [],
  };
}

/** @returns `slots`: the items of the day; `left`: known items that have to leave it */
function joinParts(known: DayContent, parts: readonly NutritionPart[], mode: MergeMode) {
  const left: SentItem[] = [];
  let slots: readonly Slot[] = known.items
    .filter((item) => !isDropped(item))
    .map((item) => ({ item, said: false }));
  for (const { input, items, onlyAdds = false } of parts) {
    if (items === undefined) continue;
    const paired = pair(slots, items, input);
    left.push(...paired.before);
    slots = [
      ...paired.left.flatMap((slot) => {
        const isKept = mode !== 'same-input' || onlyAdds || slot.said;
        const item = isKept
          ? slot.item
          : withoutInputs(slot.item, (each) => sameInput(each, input));
        if (item !== undefined) return [{ ...slot, item }];
        left.push(slot.item);
        return [];
      }),
      ...paired.next,
    ];
  }
  if (mode === 'replace-day') {
    left.push(...slots.filter(({ said }) => !said).map(({ item }) => item));
    slots = slots.filter(({ said }) => said);
  }
  return { slots, left: left.flatMap(asDropped) };
}

/** Returns an item that has to leave the platform, if it may be there. */
function asDropped(item: SentItem): readonly SentItem[] {
  const { state, edited } = item;
  if (state === 'removed') return [];
  if (state !== 'new') return [{ ...item, state: 'dropped' }];
  // Of a contested item the athlete's version is there.
  return edited === undefined ? [] : [{ ...item, body: edited, state: 'dropped' }];
}

function isTotal(name: string): boolean {
  return SUMMED_TOTALS.includes(name);
}

/** Checks that the day should not hold an item. */
export function isDropped({ state }: SentItem): boolean {
  return state === 'dropped' || state === 'gone';
}

/** Joins the day's own fields; `rawJson` objects merge. */
function mergedFields(known: JsonObject, fields: JsonObject): JsonObject {
  const [before, now] = [known['rawJson'], fields['rawJson']];
  const rawJson = isObject(before) && isObject(now) ? { rawJson: { ...before, ...now } } : {};
  return { ...known, ...fields, ...rawJson };
}

export function sameInput(one: ItemInput, other: ItemInput): boolean {
  return one.kind === other.kind && one.name === other.name;
}

/** Returns an item without some of its inputs, if it has others. */
export function withoutInputs(
  item: SentItem,
  isOut: (input: ItemInput) => boolean,
): SentItem | undefined {
  const inputs = item.inputs.filter((each) => !isOut(each));
  return inputs.length === 0 ? undefined : { ...item, inputs };
}

/** Returns an item as its inputs state it, without what is known of it on the platform. */
export function statedItem({ body, inputs }: SentItem): SentItem {
  return { body, inputs };
}

/** Pairs an input's items with the known ones that they are versions of. */
function pair(slots: readonly Slot[], items: readonly JsonObject[], input: ItemInput) {
  const left = new Set(slots);
  const before: SentItem[] = [];
  // What a later version can come of takes items over from streams.
  const isOther = (each: ItemInput) =>
    !sameInput(each, input) && (each.kind !== 'stream' || input.kind === 'stream');
  const take = (slot: Slot | undefined): SentItem | undefined => {
    if (slot === undefined) return undefined;
    left.delete(slot);
    return slot.item;
  };
  // Equal ones first: a changed item must not take the place of an unchanged one.
  const byKey = new KeyIndex(left, ({ item }) => itemKey(item.body));
  // A key takes longer than all else, and a new day has no known items.
  const equals = left.size === 0 ? [] : items.map((body) => take(byKey.first(itemKey(body))));
  const byIdentity = new KeyIndex(left, ({ item }) => itemIdentity(item.body));
  const next = items.map((body, index): Slot => {
    const equal = equals[index];
    if (equal !== undefined) {
      const inputs = [input, ...equal.inputs.filter(isOther)];
      return { item: { ...equal, inputs }, said: true };
    }
    const version = take(byIdentity.first(itemIdentity(body)));
    // The athlete's version stays until the user decides.
    const isContested = version?.state === 'new' && version.edited !== undefined;
    const theirs = isContested ? version : {};
    if (version !== undefined && !isContested) before.push(version);
    return { item: { ...theirs, body, inputs: [input], state: 'new' }, said: true };
  });
  return { next, left: [...left], before };
}

/** Returns the body of a nutrition day (interface 2.3). @param items absent: the body says nothing about them */
export function nutritionBody(
  date: string,
  {
    items,
    fields,
  }: { items: readonly { readonly body: JsonObject }[] | undefined; fields: JsonObject },
): JsonObject {
  return { date, ...(items && { items: items.map(({ body }) => body) }), ...fields };
}
