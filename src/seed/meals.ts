import type { Athlete } from './athlete.ts';
import { stream } from './random.ts';
import { caloriesOf } from './ride.ts';
import { decimal } from './wellness.ts';
import type { Workout } from './workouts.ts';

type Meal = 'BREAKFAST' | 'LUNCH' | 'DINNER' | 'SNACK';

/** A portion of an athlete of 70 kg on a day without training, and what 100 g hold, as in food tables. */
type Dish = readonly [
  name: string,
  grams: number,
  absorption: 'RAPID' | 'FAST' | 'BALANCED' | 'DENSE',
  /** kcal, then grams. */
  calories: number,
  carbs: number,
  protein: number,
  fat: number,
];

interface MealPlan {
  readonly meal: Meal;
  /** Minutes after midnight. */
  readonly minute: number;
  readonly dishes: readonly [Dish, ...Dish[]];
}

const MEALS: readonly MealPlan[] = [
  {
    meal: 'BREAKFAST',
    minute: 7 * 60 + 10,
    dishes: [
      ['Porridge with milk and banana', 420, 'BALANCED', 103, 18, 3.5, 2],
      ['Muesli with yogurt', 290, 'BALANCED', 148, 21.5, 6.2, 4.1],
      ['Scrambled eggs on toast', 230, 'DENSE', 216, 30, 8.7, 6.8],
    ],
  },
  {
    meal: 'LUNCH',
    minute: 12 * 60 + 30,
    dishes: [
      ['Rice with chicken', 420, 'BALANCED', 142, 18.8, 12.1, 1.4],
      ['Potatoes with salmon', 480, 'DENSE', 119, 14.6, 7.4, 3.4],
      ['Pasta with tomato sauce', 420, 'BALANCED', 134, 24.6, 4.7, 1.9],
    ],
  },
  {
    meal: 'SNACK',
    minute: 15 * 60 + 40,
    dishes: [
      ['Banana', 120, 'FAST', 89, 22.8, 1.1, 0.3],
      ['Mixed nuts', 35, 'DENSE', 607, 21, 20, 54],
    ],
  },
  {
    meal: 'DINNER',
    minute: 19 * 60 + 15,
    dishes: [
      ['Pasta with salad', 530, 'BALANCED', 119, 18.8, 3.7, 3.3],
      ['Rice with salmon', 400, 'DENSE', 157, 18.3, 9.5, 4.5],
      ['Potatoes with chicken', 500, 'BALANCED', 110, 14, 10.6, 1.2],
    ],
  },
];

const GEL: Dish = ['Energy gel', 40, 'RAPID', 260, 64, 0.1, 0];
const MILK: Dish = ['Chocolate milk', 400, 'FAST', 78, 11.6, 3.4, 2];

/** Seconds from one gel to the next, and from the end of a workout to food. */
const GEL_EVERY = 40 * 60;
const AFTERWARDS = 15 * 60;

/** Returns what the athlete eats on a day, by time: more on a day with a workout, and some of it then. */
export function mealsOn(athlete: Athlete, date: string, workout: Workout | null) {
  const random = stream(athlete.seed, 'kitchen', date);
  const burned = workout ? caloriesOf(athlete, workout) : 0;
  const portion = (athlete.weight / 70) * (1 + burned / 3000);
  const { start, end } = workout ?? { start: 0, end: 0 };
  const servings = MEALS.map(({ meal, minute, dishes }) => {
    const usual = minute * 60 + random.integer(-900, 900);
    // Seconds after local midnight: not during the workout, nor just before it.
    const second = usual > start - 1800 && usual < end ? end + 2 * AFTERWARDS : usual;
    const size = portion * random.between(0.9, 1.1);
    return { second, food: foodOf(random.pick(dishes), size, meal) };
  });
  for (let at = start + GEL_EVERY; at < end - AFTERWARDS; at += GEL_EVERY) {
    servings.push({ second: at, food: foodOf(GEL, 1, 'SNACK') });
  }
  if (burned > 450) servings.push({ second: end + AFTERWARDS, food: foodOf(MILK, 1, 'SNACK') });
  return servings.sort((one, other) => one.second - other.second);
}

/** Returns something that the athlete ate, without its time. The fields are those of the service. */
function foodOf([name, grams, absorptionType, ...contents]: Dish, portion: number, meal: Meal) {
  const amount = Math.round((grams * portion) / 5) * 5;
  const [calories, carbs, protein, fat] = contents;
  const part = (of100: number) => decimal((of100 * amount) / 100);
  return {
    name,
    meal,
    quantity: `${amount} g`,
    calories: part(calories),
    carbs: part(carbs),
    protein: part(protein),
    fat: part(fat),
    absorptionType,
  };
}
