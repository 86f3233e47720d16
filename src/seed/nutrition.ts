import { clamp, rounded } from './arithmetic.ts';
import { weightOn, type Athlete } from './athlete.ts';
import type { Calendar } from './calendar.ts';
import * as foods from './foods.ts';
import type { Absorption, Food } from './foods.ts';
import { stream, type Random } from './random.ts';

/** A day's nutrition in the service's fields (service interface, section 2.3). */
export interface SyntheticNutrition {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** In the order of `logged_at`. */
  readonly items: readonly SyntheticItem[];
  readonly waterMl: number;
  readonly rawJson: { readonly synthetic: true; readonly generator: string; readonly seed: number };
}

type Meal = 'BREAKFAST' | 'LUNCH' | 'DINNER' | 'SNACK' | 'OTHER';

interface SyntheticItem {
  readonly name: string;
  /** ISO 8601 with the zone's offset. */
  readonly logged_at: string;
  readonly meal: Meal;
  readonly quantity: string;
  /** kcal */
  readonly calories: number;
  /** g, like the other macronutrients. */
  readonly carbs: number;
  readonly protein: number;
  readonly fat: number;
  readonly fiber: number;
  readonly sugar: number;
  readonly absorptionType: Absorption;
}

/** The facts about a workout that determine meals. */
export interface FuelledWorkout {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly end: number;
  /** kcal */
  readonly calories: number;
  /** A swim: no food during the workout. */
  readonly swimming: boolean;
}

interface NutritionDay {
  readonly athlete: Athlete;
  /** Days before the race. */
  readonly index: number;
  readonly date: string;
  readonly calendar: Calendar;
  /** Days before the last one, for the calendar. */
  readonly daysBefore: number;
  readonly workouts: readonly FuelledWorkout[];
  /** Whether this is a day of carbohydrate loading: the two before the race. */
  readonly loading: boolean;
}

interface Serving {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly instant: number;
  readonly food: Food;
  /** g or ml */
  readonly amount: number;
  readonly meal: Meal;
}

/**
 * Returns the day's carbohydrates (g): the need on a rest day, plus three fifths of the workouts'
 * energy (4 kcal/g); before a race at least 8.5 g/kg.
 */
export function carbTarget(weight: number, workoutCalories: number, loading: boolean): number {
  const training = weight * 3.1 + (workoutCalories * 0.6) / 4;
  return loading ? Math.max(weight * 8.5, training) : training;
}

export function nutritionOf(day: NutritionDay): SyntheticNutrition {
  const { athlete, index, workouts } = day;
  const random = stream(athlete.seed, 'kitchen', index);
  const weight = weightOn(athlete, index);
  let burned = 0;
  for (const workout of workouts) burned += workout.calories;
  const target = carbTarget(weight, burned, day.loading) * random.between(0.95, 1.05);

  const around = workouts.flatMap((workout) => aroundWorkout(workout, weight, random));
  const left = Math.max(target - carbsOf(around), weight * 1.2);
  const servings = [...around, ...mealsOf(left, burned, day, random)];
  servings.sort((a, b) => a.instant - b.instant);
  const hours = workouts.reduce(
    (total, workout) => total + (workout.end - workout.start) / 3600,
    0,
  );
  return {
    date: day.date,
    items: servings.map((serving) => itemOf(serving, day)),
    waterMl: Math.round((weight * 30 + hours * 550 + random.between(-250, 350)) / 50) * 50,
    rawJson: { synthetic: true, generator: 'athlete-sync seed', seed: athlete.seed },
  };
}

/** Returns the food before, during and after a workout: mostly quick sugar. */
function aroundWorkout(workout: FuelledWorkout, weight: number, random: Random): Serving[] {
  const { start, end, calories } = workout;
  const servings: Serving[] = [];
  const add = (instant: number, food: Food, amount: number) => {
    servings.push({
      instant: Math.round(instant),
      food,
      amount: Math.round(amount / 5) * 5,
      meal: 'SNACK',
    });
  };
  const hours = (end - start) / 3600;
  const before = random.pick([foods.toastWithHoney, foods.toastWithHoney, foods.gel]);
  add(start - random.integer(20, 40) * 60, before, calories > 700 ? 80 : 50);
  if (!workout.swimming && hours > 1.1) {
    // 38 to 70 g of carbohydrate per hour, depending on the effort; half as a drink, half as food.
    const rate = clamp(calories / hours / 10, 38, hours > 2.4 ? 70 : 50);
    add(start + 600, foods.drinkMix, (rate * hours * 0.5) / 0.08);
    const every = hours > 2.4 ? 40 : 50;
    const portions = Math.max(1, Math.floor((hours * 60 - 15) / every));
    const grams = (rate * hours * 0.5) / portions;
    for (let portion = 1; portion <= portions; portion++) {
      const food =
        portion % 3 === 2 ? foods.riceCake : portion % 3 === 0 ? foods.banana : foods.gel;
      add(start + portion * every * 60 - random.integer(0, 300), food, (grams / food.carbs) * 100);
    }
  }
  if (calories > 450) {
    const shake = random.pick([foods.recoveryShake, foods.chocolateMilk]);
    add(
      end + random.integer(8, 20) * 60,
      shake,
      clamp(weight * (calories > 1200 ? 8 : 5), 300, 600),
    );
  }
  if (calories > 900) add(end + random.integer(21, 28) * 60, foods.banana, 120);
  return servings;
}

const MEALS: readonly {
  readonly meal: Meal;
  /** Minutes after midnight, and the maximal deviation from it. */
  readonly minute: number;
  readonly spread: number;
  /** Share of the meals' carbohydrates. */
  readonly share: number;
  readonly main: readonly [Food, ...Food[]];
  readonly protein: readonly [Food, ...Food[]];
  readonly side: readonly [Food, ...Food[]];
}[] = [
  {
    meal: 'BREAKFAST',
    minute: 7 * 60 + 25,
    spread: 15,
    share: 0.29,
    main: [foods.porridge, foods.muesli, foods.bread],
    protein: [foods.eggs, foods.yogurt],
    side: [foods.apple, foods.banana],
  },
  {
    meal: 'LUNCH',
    minute: 12 * 60 + 30,
    spread: 20,
    share: 0.35,
    main: [foods.rice, foods.quinoa, foods.couscous, foods.pasta],
    protein: [foods.chicken, foods.tofu, foods.lentils],
    side: [foods.salad, foods.vegetables],
  },
  {
    meal: 'DINNER',
    minute: 19 * 60 + 15,
    spread: 25,
    share: 0.36,
    main: [foods.pasta, foods.rice, foods.potatoes],
    protein: [foods.salmon, foods.chicken, foods.lentils],
    side: [foods.vegetables, foods.salad],
  },
];

/** Largest portion of a main dish (g); juice and bread provide the remaining carbohydrates. */
const BIGGEST_PLATE = 480;

/**
 * Returns the day's meals, and often a snack of nuts.
 * @param carbs g for all meals
 * @param burned kcal in the day's workouts
 */
function mealsOf(carbs: number, burned: number, day: NutritionDay, random: Random): Serving[] {
  const servings: Serving[] = [];
  let left = carbs;
  if (random.chance(0.6)) {
    const nuts = Math.round(random.integer(4, 7) * (1 + burned / 1500)) * 5;
    const instant = freeTime(atMinute(day, 15 * 60 + 50 + random.integer(-25, 25)), day);
    servings.push({ instant, food: foods.nuts, amount: nuts, meal: 'SNACK' });
    left -= carbsOf(servings);
  }
  let shares = 1;
  for (const plan of MEALS) {
    const usually = atMinute(day, plan.minute + random.integer(-plan.spread, plan.spread));
    const begin = plan.meal === 'BREAKFAST' ? breakfastTime(usually, day) : freeTime(usually, day);
    const protein = random.pick(plan.protein);
    const side = random.pick(plan.side);
    const usual = random.pick(plan.main);
    const heavy = random.pick([foods.bigPasta, foods.bigRice]);
    const main = day.loading && plan.meal !== 'BREAKFAST' ? heavy : usual;
    const serve = (food: Food, amount: number, delay: number): number => {
      const whole = Math.round(amount / 5) * 5;
      if (whole === 0) return 0;
      servings.push({ instant: begin + delay, food, amount: whole, meal: plan.meal });
      return (food.carbs * whole) / 100;
    };
    // The next meals compensate for a meal's deviation from its share.
    let share = (left * plan.share) / shares;
    const before = carbsOf(servings);
    share -= serve(protein, random.integer(22, 34) * 5 * (1 + burned / 3000), 60);
    share -= serve(side, random.integer(20, 34) * 5, 120);
    share -= serve(main, clamp((share / main.carbs) * 100, 40, BIGGEST_PLATE), 0);
    // Juice, then bread provide the carbohydrates that are left.
    if (share > 10) share -= serve(foods.orangeJuice, clamp((share / 10.4) * 100, 100, 400), 180);
    if (share > 10) serve(foods.bread, (share / 43) * 100, 240);
    left -= carbsOf(servings) - before;
    shares -= plan.share;
  }
  return servings;
}

/** Returns the time of breakfast: two hours before a long morning workout, otherwise a free time. */
function breakfastTime(usual: number, day: NutritionDay): number {
  const [from, to] = [atMinute(day, 7 * 60), atMinute(day, 11 * 60)];
  const long = day.workouts.find(
    ({ start, end }) => start >= from && start < to && end - start > 5400,
  );
  return long === undefined ? freeTime(usual, day) : Math.min(usual, long.start - 7200);
}

/** Returns the first time from an instant on that is not during a workout, nor close to one. */
function freeTime(instant: number, day: NutritionDay): number {
  let free = instant;
  for (const { start, end } of [...day.workouts].sort((a, b) => a.start - b.start)) {
    if (free > start - 3600 && free < end + 1800) free = end + 1800;
  }
  return Math.min(free, atMinute(day, 23 * 60 + 50));
}

/** Returns the instant of a minute of the day by the wall clock. */
function atMinute({ calendar, daysBefore }: NutritionDay, minute: number): number {
  return calendar.moment(daysBefore, minute * 60).instant;
}

function carbsOf(servings: readonly Serving[]): number {
  let carbs = 0;
  for (const { food, amount } of servings) carbs += (food.carbs * amount) / 100;
  return carbs;
}

function itemOf(serving: Serving, day: NutritionDay): SyntheticItem {
  const { food, amount, meal } = serving;
  const part = (per100: number) => rounded((per100 * amount) / 100, 1);
  return {
    name: food.name,
    logged_at: day.calendar.at(serving.instant).text,
    meal,
    quantity: `${amount} ${food.unit}`,
    calories: Math.round(part(food.calories)),
    carbs: part(food.carbs),
    protein: part(food.protein),
    fat: part(food.fat),
    fiber: part(food.fiber),
    sugar: part(food.sugar),
    absorptionType: food.absorption,
  };
}
