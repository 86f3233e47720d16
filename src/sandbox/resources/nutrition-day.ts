import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { instantOf, localTimeOf } from './dates.ts';
import { finiteNumber, integer } from '../http/validate.ts';

export const MEALS = ['breakfast', 'lunch', 'dinner', 'snacks'] as const;
export type Meal = (typeof MEALS)[number];

const number = v.optional(finiteNumber);
const text = v.optional(v.string());

export const sentItem = v.object({
  logged_at: v.pipe(
    v.string(),
    v.check((time) => instantOf(time) !== null, 'Invalid time'),
  ),
  name: text,
  calories: number,
  carbs: number,
  protein: number,
  fat: number,
  fiber: number,
  sugar: number,
  quantity: text,
  absorptionType: v.optional(v.picklist(['RAPID', 'FAST', 'BALANCED', 'DENSE', 'HYPER_LOAD'])),
  meal: v.optional(v.picklist(['BREAKFAST', 'LUNCH', 'DINNER', 'SNACK', 'OTHER'])),
});

/** A day as applications send it. */
export const sentDay = v.object({
  date: v.string(),
  calories: v.optional(integer),
  carbs: number,
  protein: number,
  fat: number,
  waterMl: v.optional(integer),
  rawJson: v.optional(v.unknown()),
  items: v.optional(v.array(sentItem)),
});

type ReceivedDay = Omit<v.InferOutput<typeof sentDay>, 'date'>;
type ReceivedItem = v.InferOutput<typeof sentItem>;

export type StoredItem = ReceivedItem & {
  readonly id: string;
  /** `oauth:APP_ID`, `manual`, or the name of another source. */
  readonly source: string;
};

const SUMMED = ['calories', 'protein', 'carbs', 'fat', 'fiber', 'sugar'] as const;
type DayTotals = Readonly<Record<(typeof SUMMED)[number], number>>;

type MealLists = Readonly<Record<Meal, readonly StoredItem[]>>;

export interface StoredDay extends DayTotals, MealLists {
  readonly waterMl: number | null;
  readonly rawJson: unknown;
}

export const NUTRITION_INTEGERS: readonly string[] = ['calories', 'waterMl'];

/** Water that the platform adds for each logged meal (ml). */
const WATER_OF_A_MEAL = 400;

const NO_ITEMS = listsOf(() => []);
export const EMPTY_DAY: StoredDay = { ...NO_ITEMS, ...recomputed(NO_ITEMS), rawJson: null };

/**
 * Returns the day after a request of an application, which adds its items.
 * @param source the application, as the source of its items
 * @param timeZone the athlete's
 */
export function receivedDay(
  before: StoredDay,
  { items = [], ...totals }: ReceivedDay,
  source: string,
  timeZone: string,
): StoredDay {
  const added = items.map((item) => ({
    meal: mealOf(item, timeZone),
    stored: { ...filledIn(item), id: randomUUID(), source },
  }));
  const lists = listsOf((meal) => [
    ...before[meal],
    ...added.filter((each) => each.meal === meal).map(({ stored }) => stored),
  ]);
  return {
    ...editedDay(before, lists),
    ...(totals as Partial<DayTotals>),
    rawJson: totals.rawJson ?? before.rawJson,
  };
}

/** Returns the day with changed lists, as after an edit in the app. */
export function editedDay(before: StoredDay, lists: Partial<MealLists>): StoredDay {
  const after = { ...before, ...lists };
  return { ...after, ...recomputed(after) };
}

function filledIn(item: ReceivedItem): ReceivedItem {
  const name = item.name?.trim();
  return {
    ...item,
    name: name === undefined || name === '' ? 'Unknown item' : name,
    absorptionType: item.absorptionType ?? 'BALANCED',
  };
}

/** Usual times of the meals, minutes after midnight. An item belongs to the nearest. */
const USUAL: readonly (readonly [Meal, number])[] = [
  ['breakfast', 7 * 60],
  ['lunch', 12 * 60],
  ['dinner', 18 * 60],
  ['snacks', 15 * 60],
];

function mealOf(item: ReceivedItem, timeZone: string): Meal {
  if (item.meal !== undefined) {
    return MEALS.find((meal) => meal === item.meal?.toLowerCase()) ?? 'snacks';
  }
  const { minutes } = localTimeOf(instantOf(item.logged_at) ?? 0, timeZone);
  const [nearest] = [...USUAL].sort(
    ([, a], [, b]) => Math.abs(minutes - a) - Math.abs(minutes - b),
  );
  return nearest?.[0] ?? 'snacks';
}

function listsOf(itemsOf: (meal: Meal) => readonly StoredItem[]): MealLists {
  return Object.fromEntries(MEALS.map((meal) => [meal, itemsOf(meal)])) as MealLists;
}

/** Sums the items; calories are rounded, since their column is an integer. */
function recomputed(lists: MealLists): DayTotals & { waterMl: number } {
  const items = MEALS.flatMap((meal) => lists[meal]);
  const sum = (field: keyof DayTotals) =>
    items.reduce((total, item) => total + (item[field] ?? 0), 0);
  return {
    ...(Object.fromEntries(SUMMED.map((field) => [field, sum(field)])) as DayTotals),
    calories: Math.round(sum('calories')),
    waterMl: MEALS.filter((meal) => lists[meal].length > 0).length * WATER_OF_A_MEAL,
  };
}
