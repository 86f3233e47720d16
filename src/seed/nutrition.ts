import { clamp, rounded } from './arithmetic.ts';
import { weightOn } from './athlete.ts';
import { contentsOf, MEALS, type Food } from './foods.ts';
import type { LivedDay } from './plan.ts';
import { stream, type Random } from './random.ts';
import type { RecordingTruth } from './recording.ts';

/** A day's nutrition in the service's fields (service interface, section 2.3), items by time. */
export type SyntheticNutrition = Readonly<ReturnType<typeof nutritionOf>>;

interface Serving {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly instant: number;
  readonly food: Food;
  /** g or ml */
  readonly amount: number;
  readonly meal: (typeof MEALS)[number]['meal'] | 'SNACK';
}

/**
 * Returns the day's carbohydrates (g): the need on a rest day, plus three fifths of the workouts'
 * energy (4 kcal/g); before a race at least 8.5 g/kg.
 */
export function carbTarget(weight: number, workoutCalories: number, loading: boolean): number {
  const training = weight * 3.1 + (workoutCalories * 0.6) / 4;
  return loading ? Math.max(weight * 8.5, training) : training;
}

export function nutritionOf(day: LivedDay) {
  const { athlete, recorded: workout } = day;
  const { index } = day.plan;
  const random = stream(athlete.seed, 'kitchen', index);
  const weight = weightOn(athlete, index);
  const burned = workout?.totals.calories ?? 0;
  const target = carbTarget(weight, burned, isLoading(day)) * random.between(0.95, 1.05);
  const around = workout ? aroundWorkout(workout, weight, random) : [];
  const left = Math.max(target - carbsOf(around), weight * 1.2);
  const servings = [...around, ...mealsOf(left, burned, day, random)];
  servings.sort((a, b) => a.instant - b.instant);
  const hours = workout ? (workout.end - workout.start) / 3600 : 0;
  return {
    date: day.date,
    items: servings.map((serving) => itemOf(serving, day)),
    waterMl: Math.round((weight * 30 + hours * 550 + random.between(-250, 350)) / 50) * 50,
    rawJson: { synthetic: true, generator: 'athlete-sync seed', seed: athlete.seed },
  };
}

/** Whether this is a day of carbohydrate loading: one of the two before the race. */
function isLoading({ plan: { phase, index } }: LivedDay): boolean {
  return phase === 'race' && (index % 7 === 1 || index % 7 === 2);
}

/** Returns the food before, during and after a workout: mostly quick sugar. */
function aroundWorkout(
  { start, end, totals: { calories } }: RecordingTruth,
  weight: number,
  random: Random,
): Serving[] {
  const servings: Serving[] = [];
  const add = (instant: number, food: Food, amount: number) => {
    const whole = Math.round(amount / 5) * 5;
    servings.push({ instant: Math.round(instant), food, amount: whole, meal: 'SNACK' });
  };
  const hours = (end - start) / 3600;
  const before = random.chance(0.67) ? 'White toast with honey' : 'Energy gel';
  add(start - random.integer(20, 40) * 60, before, calories > 700 ? 80 : 50);
  if (hours > 1.1) {
    // 38 to 70 g of carbohydrate per hour, depending on the effort; half as a drink, half as food.
    const rate = clamp(calories / hours / 10, 38, hours > 2.4 ? 70 : 50);
    add(start + 600, 'Carbohydrate drink', (rate * hours * 0.5) / 0.08);
    const every = hours > 2.4 ? 40 : 50;
    const portions = Math.max(1, Math.floor((hours * 60 - 15) / every));
    const grams = (rate * hours * 0.5) / portions;
    for (let portion = 1; portion <= portions; portion++) {
      const food = (['Banana', 'Energy gel', 'Rice cake bar'] as const)[portion % 3] ?? 'Banana';
      const amount = (grams / contentsOf(food).carbs) * 100;
      add(start + portion * every * 60 - random.integer(0, 300), food, amount);
    }
  }
  if (calories > 450) {
    const amount = clamp(weight * (calories > 1200 ? 8 : 5), 300, 600);
    add(end + random.integer(8, 20) * 60, 'Chocolate milk', amount);
  }
  if (calories > 900) add(end + random.integer(21, 28) * 60, 'Banana', 120);
  return servings;
}

/** Largest portion of a main dish (g); juice and bread provide the remaining carbohydrates. */
const BIGGEST_PLATE = 480;

/**
 * Returns the day's meals, and often a snack of nuts.
 * @param carbs g for all meals
 * @param burned kcal in the day's workout
 */
function mealsOf(carbs: number, burned: number, day: LivedDay, random: Random): Serving[] {
  const servings: Serving[] = [];
  let left = carbs;
  if (random.chance(0.6)) {
    const amount = Math.round(random.integer(4, 7) * (1 + burned / 1500)) * 5;
    const instant = freeTime(atMinute(day, 15 * 60 + 50 + random.integer(-25, 25)), day);
    servings.push({ instant, food: 'Mixed nuts', amount, meal: 'SNACK' });
    left -= carbsOf(servings);
  }
  let shares = 1;
  for (const plan of MEALS) {
    const usually = atMinute(day, plan.minute + random.integer(-plan.spread, plan.spread));
    const begin = plan.meal === 'BREAKFAST' ? breakfastTime(usually, day) : freeTime(usually, day);
    const protein = random.pick(plan.protein);
    const side = random.pick(plan.side);
    const usual = random.pick(plan.main);
    const heavy = random.pick(['White pasta, carb loading', 'White rice with raisins'] as const);
    const main = isLoading(day) && plan.meal !== 'BREAKFAST' ? heavy : usual;
    const serve = (food: Food, amount: number, delay: number): number => {
      const whole = Math.round(amount / 5) * 5;
      if (whole === 0) return 0;
      servings.push({ instant: begin + delay, food, amount: whole, meal: plan.meal });
      return (contentsOf(food).carbs * whole) / 100;
    };
    // The next meals compensate for a meal's deviation from its share.
    let share = (left * plan.share) / shares;
    const before = carbsOf(servings);
    share -= serve(protein, random.integer(22, 34) * 5 * (1 + burned / 3000), 60);
    share -= serve(side, random.integer(20, 34) * 5, 120);
    share -= serve(main, clamp((share / contentsOf(main).carbs) * 100, 40, BIGGEST_PLATE), 0);
    // Juice, then bread provide the carbohydrates that are left.
    if (share > 10) share -= serve('Orange juice', clamp((share / 10.4) * 100, 100, 400), 180);
    if (share > 10) serve('Wholegrain bread', (share / 43) * 100, 240);
    left -= carbsOf(servings) - before;
    shares -= plan.share;
  }
  return servings;
}

/** Returns the time of breakfast: two hours before a long morning workout, otherwise a free time. */
function breakfastTime(usual: number, day: LivedDay): number {
  const [from, to] = [atMinute(day, 7 * 60), atMinute(day, 11 * 60)];
  const { start, end } = day.recorded ?? { start: 0, end: 0 };
  const isLong = start >= from && start < to && end - start > 5400;
  return isLong ? Math.min(usual, start - 7200) : freeTime(usual, day);
}

/** Returns the first time from an instant on that is not during the workout, nor close to it. */
function freeTime(instant: number, day: LivedDay): number {
  const { start, end } = day.recorded ?? { start: 0, end: 0 };
  const free = instant > start - 3600 && instant < end + 1800 ? end + 1800 : instant;
  return Math.min(free, atMinute(day, 23 * 60 + 50));
}

/** Returns the instant of a minute of the day by the wall clock. */
function atMinute({ calendar, daysBefore }: LivedDay, minute: number): number {
  return calendar.moment(daysBefore, minute * 60).instant;
}

function carbsOf(servings: readonly Serving[]): number {
  let carbs = 0;
  for (const { food, amount } of servings) carbs += (contentsOf(food).carbs * amount) / 100;
  return carbs;
}

function itemOf({ food, amount, meal, instant }: Serving, { calendar }: LivedDay) {
  const { absorption, unit, ...per100 } = contentsOf(food);
  const part = (share: number) => rounded((share * amount) / 100, 1);
  return {
    name: food,
    logged_at: calendar.at(instant).text,
    meal,
    quantity: `${amount} ${unit}`,
    calories: Math.round(part(per100.calories)),
    carbs: part(per100.carbs),
    protein: part(per100.protein),
    fat: part(per100.fat),
    fiber: part(per100.fiber),
    sugar: part(per100.sugar),
    absorptionType: absorption,
  };
}
