import type { DayItem, ItemInput, LedgerDay } from '../../ledger/nutrition.ts';
import { sameJson } from '../digest.ts';
import { SUMMED_TOTALS } from '../fields.ts';
import { itemIdentity, itemKey, nameOf } from './items.ts';
import { KeyIndex } from './key-index.ts';
import type { DayFoods, JsonObject, JsonValue, MergeMode } from '../types.ts';
import { isObject } from '../values.ts';

/** Works out what the inputs say that a nutrition day holds. */

/** What the ledger knows of a day, and what the inputs of this run say of it. */
export interface DayInputs extends DayFoods {
  readonly known: LedgerDay;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** The zone decided about the date of an item. */
  readonly zoneUsed: boolean;
  /** Reads the days before and after. */
  readonly around: () => readonly DayInputs[];
}

/** The keys of bodies, which several rounds compare. */
const knownKeys = new WeakMap<JsonObject, string>();

function keyOf(body: JsonObject): string {
  const key = knownKeys.get(body) ?? itemKey(body);
  knownKeys.set(body, key);
  return key;
}

export interface Undo {
  /** Takes back only the items under this name; an item with another input stays. */
  readonly origin?: string | undefined;
  /** The user takes it back: it is not sent again, and the items of others stay. Otherwise, the ledger forgets it. */
  readonly remember: boolean;
}

export interface MergePolicy {
  readonly merge: MergeMode;
  /** Overwrites edits made in the platform, and sends again what the user took back. */
  readonly force: boolean;
  /** Instead of sending, takes items back. */
  readonly undo?: Undo | undefined;
  /** The ids that the platform showed before this run sent the day. Absent: it has not sent it. */
  readonly before?: ReadonlySet<string> | undefined;
}

/** Returns whether items that were removed in the platform are sent again: once a run. */
export function resends({ merge, before }: MergePolicy): boolean {
  return merge === 'replace-day' && before === undefined;
}

export interface Ours {
  /**
   * The items that the day should hold, or that stay away although an input states them; then those that the platform
   * may hold, and should not: they have no inputs.
   */
  readonly items: readonly DayItem[];
  /** Items that leave when the day before or after holds them. */
  readonly waiting: readonly DayItem[];
  /** Items of the inputs that stay on the day before or after, which was theirs in another zone. */
  readonly elsewhere: readonly DayItem[];
  /** Items of the inputs that the user has taken back. */
  readonly undone: readonly DayItem[];
  readonly fields: JsonObject;
  /** Fields that the user has taken back, and of which the inputs state no other value. */
  readonly undoneFields: JsonObject;
  /** Totals that are left out, since they count a part of the day. */
  readonly partialTotals: readonly string[];
}

/**
 * Joins the inputs of a run, in their order, to the known items of a day. An item with the instant and name of a
 * known one is a new version of it. So the same food in two inputs counts once, and two equal items in one input
 * stay two.
 */
export function oursOf(day: DayInputs, policy: MergePolicy): Ours {
  const { known, parts } = day;
  if (policy.undo !== undefined) {
    const { origin, remember } = policy.undo;
    const items = takenBack(known.items, policy.undo);
    const before = origin === undefined ? known.fields : {};
    const undoneFields = remember ? { ...known.undone, ...before } : {};
    const none = { waiting: [], elsewhere: [], undone: [], partialTotals: [] };
    return { ...none, items, fields: {}, undoneFields };
  }
  const { items, stated, left, before } = joinParts(day, policy);
  const isNew = ({ state }: DayItem) => state === undefined;
  const around = left.length > 0 || (day.zoneUsed && items.some(isNew)) ? day.around() : [];
  const shifted = left.filter((item) => around.some((other) => isShifted(item, day, other)));
  const waiting = left.filter((item) => !shifted.includes(item) && isMoving(item, around));
  const stay = new Set([...shifted, ...waiting]);
  const gone = [...before, ...left.filter((item) => !stay.has(item))];
  const leaving = new Set([...known.items.filter(isLeaving), ...gone.flatMap(asLeaving)]);
  const byKey = new KeyIndex(leaving, ({ body }) => keyOf(body));
  const undone: DayItem[] = [];
  const wanted = items.flatMap((item): DayItem[] => {
    const isAway = item.state === 'away' && item.edited === undefined;
    if (isAway && resends(policy)) return [returned(item)];
    const back = isNew(item) && leaving.size > 0 ? byKey.first(keyOf(item.body)) : undefined;
    if (back === undefined) return [item];
    if (isUndone(back) && !policy.force) {
      undone.push(item);
      return [];
    }
    leaving.delete(back);
    return [returned({ ...back, inputs: item.inputs })];
  });
  const isElsewhere = (item: DayItem) =>
    isNew(item) && around.some((other) => isShifted(item, other, day));
  const elsewhere = wanted.filter(isElsewhere);
  const here = [...wanted.filter((item) => !elsewhere.includes(item)), ...stay];
  // An input without items describes the whole day.
  const isWhole = parts.every((part) => part.items === undefined);
  const isPart = !isWhole && items.some((item) => !stated.has(item) && isHeld(item));
  const says = parts.some((part) => (part.items ?? []).length > 0);
  const isAllUndone = says && here.length === 0 && [...leaving].every(isUndone);
  const isTakenBack = ([name, value]: [string, JsonValue]) =>
    !policy.force && sameJson(known.undone?.[name] ?? null, value);
  const own = Object.entries(day.fields);
  // A new version of a day's totals has equal ones, too.
  const isNewTotal = own.some((field) => isTotal(field[0]) && !isTakenBack(field));
  const statedFields = Object.fromEntries(
    own.filter((field) => !isTakenBack(field) || (isTotal(field[0]) && isNewTotal)),
  );
  const fields = isAllUndone ? known.fields : mergedFields(known.fields, statedFields);
  // Other totals count a part of the day, or items that have changed since.
  const isTrue = (name: string) =>
    isWhole || !isTotal(name) || (!isPart && Object.hasOwn(statedFields, name));
  return {
    items: [...here, ...leaving],
    waiting,
    elsewhere,
    undone,
    undoneFields: Object.fromEntries(
      Object.entries(known.undone ?? {}).filter(([name]) => !(name in fields)),
    ),
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => isTrue(name))),
    partialTotals: isPart ? Object.keys(fields).filter(isTotal) : [],
  };
}

/** Checks that no input states an item: it leaves the day, or the user took it back. */
export function isLeaving({ inputs }: DayItem): boolean {
  return inputs.length === 0;
}

/** Checks that the user took an item back. */
export function isUndone(item: DayItem): boolean {
  return isLeaving(item) && item.state === 'away';
}

/** Checks that the user took items or fields of a day back. */
export function hasUndone({ items, undone = {} }: LedgerDay): boolean {
  return items.some(isUndone) || Object.keys(undone).length > 0;
}

/** Checks that the athlete's version of an item has to stay until the user decides. */
export function isContested({ state, edited }: DayItem): boolean {
  return state === 'away' && edited !== undefined;
}

/** Checks that the day should hold an item, in some version. */
export function isHeld(item: DayItem): boolean {
  return !isLeaving(item) && (item.state !== 'away' || item.edited !== undefined);
}

/** Returns an item that has to leave the platform, if it may be there. */
function asLeaving(item: DayItem): readonly DayItem[] {
  const { state, edited } = item;
  if (state === undefined) return [];
  if (state !== 'away') return [{ ...item, inputs: [] }];
  // Of a contested item the athlete's version is there.
  return edited === undefined ? [] : [{ ...item, state: 'base', body: edited, inputs: [] }];
}

/** Returns an item that the input states again. The platform may hold it. */
function returned(item: DayItem): DayItem {
  if (item.edited !== undefined) return item;
  return { ...without(item, 'id'), state: 'unsure' };
}

export function without(item: DayItem, field: 'id' | 'edited' | 'stored'): DayItem {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => name !== field),
  ) as unknown as DayItem;
}

function takenBack(items: readonly DayItem[], { origin, remember }: Undo): DayItem[] {
  const isBack = ({ kind, name }: ItemInput) =>
    origin === undefined || (name === origin && kind !== 'stream');
  return items.flatMap((item): readonly DayItem[] => {
    const left = isLeaving(item) ? item : withoutInputs(item, isBack);
    if (left !== undefined) return [left];
    if (!remember) return asLeaving(item);
    return item.foreign === true ? [] : [{ ...item, inputs: [], state: 'away' }];
  });
}

/**
 * @returns `items`: those of the day, of which the inputs state `stated`; of those that have to leave it, with their
 *   former inputs: `before`: earlier versions; `left`: the others
 */
function joinParts({ known, parts }: DayInputs, { merge }: MergePolicy) {
  const stated = new Set<DayItem>();
  const left: DayItem[] = [];
  const before: DayItem[] = [];
  let items: readonly DayItem[] = known.items.filter((item) => !isLeaving(item));
  /** Takes an input away from the items that an input of this run has not stated. */
  const drop = (item: DayItem, input: ItemInput): readonly DayItem[] => {
    if (stated.has(item)) return [item];
    const rest = withoutInputs(item, (each) => sameInput(each, input));
    if (rest !== undefined) return [rest];
    left.push(item);
    return [];
  };
  for (const { input, items: bodies, onlyAdds = false } of parts) {
    if (bodies === undefined) continue;
    const paired = pair(items, bodies, input);
    before.push(...paired.before);
    for (const item of paired.next) stated.add(item);
    const isKept = merge !== 'same-input' || onlyAdds;
    const kept = isKept ? paired.left : paired.left.flatMap((item) => drop(item, input));
    items = [...kept, ...paired.next];
  }
  if (merge !== 'replace-day') return { items, stated, left, before };
  left.push(...items.filter((item) => !stated.has(item)));
  return { items: items.filter((item) => stated.has(item)), stated, left, before };
}

/** Checks that an item was sent for a day, and that the inputs have it on another one only since the zone is another one. */
function isShifted({ body }: DayItem, from: DayInputs, to: DayInputs): boolean {
  if (!to.zoneUsed) return false;
  const key = keyOf(body);
  const holds = ({ known }: DayInputs) =>
    known.items.some((item) => !isLeaving(item) && keyOf(item.body) === key);
  const statedIn = ({ parts }: DayInputs) =>
    parts.flatMap(({ items = [] }) => items.filter((item) => keyOf(item) === key));
  // A record's own date may differ from that of an item.
  const isWritten = ({ logged_at: at }: JsonObject) =>
    typeof at === 'string' && at.startsWith(to.date);
  const isStated = statedIn(to).some(isWritten) && statedIn(from).length === 0;
  return isStated && holds(from) && !holds(to);
}

/** Checks that an input has an item on the day before or after now, which does not hold it yet. */
function isMoving({ body, inputs }: DayItem, around: readonly DayInputs[]): boolean {
  const isOf = (input: ItemInput) => inputs.some((each) => sameInput(each, input));
  return around.some(({ parts, known }) => {
    const says = parts.filter(({ input }) => isOf(input)).flatMap(({ items = [] }) => items);
    const arrived = known.items.filter(hasArrived).map((item) => keyOf(item.body));
    return says.some((item) => nameOf(item) === nameOf(body) && !arrived.includes(keyOf(item)));
  });
}

function hasArrived({ state, id, edited }: DayItem): boolean {
  return state === 'base' || (state === 'unsure' ? id !== undefined : edited === undefined);
}

function isTotal(name: string): boolean {
  return SUMMED_TOTALS.includes(name);
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
function withoutInputs(item: DayItem, isOut: (input: ItemInput) => boolean): DayItem | undefined {
  const inputs = item.inputs.filter((each) => !isOut(each));
  return inputs.length === 0 ? undefined : { ...item, inputs };
}

/** Pairs an input's items with the known ones that they are versions of. */
function pair(items: readonly DayItem[], bodies: readonly JsonObject[], input: ItemInput) {
  // Of equal items, the shared one stays: the surplus one of a corrected duplicate goes.
  const sharing = ({ inputs }: DayItem) =>
    inputs.some((each) => sameInput(each, input)) ? inputs.length : 0;
  const left = new Set([...items].sort((one, other) => sharing(other) - sharing(one)));
  const before: DayItem[] = [];
  // No later version of a stream can drop an item: it belongs to the other inputs that state it.
  const withInput = (inputs: readonly ItemInput[]) => {
    const all = [input, ...inputs.filter((each) => !sameInput(each, input))];
    const lasting = all.filter(({ kind }) => kind !== 'stream');
    return lasting.length > 0 ? lasting : all;
  };
  const take = (item: DayItem | undefined) => {
    if (item !== undefined) left.delete(item);
    return item;
  };
  // Equal ones first: a changed item must not take the place of an unchanged one.
  const byKey = new KeyIndex(left, ({ body }) => keyOf(body));
  // A key takes longer than all else, and a new day has no known items.
  const equals = left.size === 0 ? [] : bodies.map((body) => take(byKey.first(keyOf(body))));
  const byIdentity = new KeyIndex(left, ({ body }) => itemIdentity(body));
  const next = bodies.map((body, index): DayItem => {
    const equal = equals[index];
    if (equal !== undefined) return { ...equal, inputs: withInput(equal.inputs) };
    const version = left.size === 0 ? undefined : take(byIdentity.first(itemIdentity(body)));
    // The athlete's version stays until the user decides.
    if (version !== undefined && isContested(version)) {
      return { ...without(version, 'stored'), body, inputs: [input] };
    }
    if (version !== undefined) before.push(version);
    return { body, inputs: [input] };
  });
  return { next, left: [...left], before };
}

/** Returns the body of a nutrition day (interface 2.3). @param items absent: the body says nothing about them */
export function nutritionBody(
  date: string,
  items: readonly { readonly body: JsonObject }[] | undefined,
  fields: JsonObject,
): JsonObject {
  return { date, ...(items && { items: items.map(({ body }) => body) }), ...fields };
}
