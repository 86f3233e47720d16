import type { Athlete } from './athlete.ts';
import { stream } from './random.ts';
import { caloriesOf } from './ride.ts';
import { decimal } from './wellness.ts';
import type { Workout } from './workouts.ts';

/** Something that the athlete ate, without its time. The fields are those of the service. */
export interface Serving {
  /** Seconds after local midnight. */
  readonly second: number;
  readonly food: ReturnType<typeof foodOf>;
}

type Meal = 'BREAKFAST' | 'LUNCH' | 'DINNER' | 'SNACK';
type Absorption = 'RAPID' | 'FAST' | 'BALANCED' | 'DENSE';

/** The contents of 100 g or 100 ml, as in food tables: kcal, then grams. */
type FoodRow = readonly [
  absorption: Absorption,
  calories: number,
  carbs: number,
  protein: number,
  fat: number,
];

const FOODS = {
  'Energy gel': ['RAPID', 260, 64, 0.1, 0],
  'White toast with honey': ['RAPID', 289, 61, 7.2, 2.3],
  Banana: ['FAST', 89, 22.8, 1.1, 0.3],
  'Chocolate milk': ['FAST', 78, 11.6, 3.4, 2],
  'Porridge with milk': ['BALANCED', 107, 16.4, 4.3, 2.7],
  'Muesli with yogurt': ['BALANCED', 148, 21.5, 6.2, 4.1],
  'Basmati rice': ['BALANCED', 130, 28.2, 2.7, 0.3],
  'Pasta with tomato sauce': ['BALANCED', 134, 24.6, 4.7, 1.9],
  'Boiled potatoes': ['BALANCED', 86, 20, 1.9, 0.1],
  'Scrambled eggs': ['DENSE', 149, 1.6, 10, 11],
  'Chicken breast': ['DENSE', 165, 0, 31, 3.6],
  'Salmon fillet': ['DENSE', 206, 0, 22.1, 12.4],
  'Mixed salad with olive oil': ['DENSE', 82, 4.2, 1.3, 6.9],
  'Mixed nuts': ['DENSE', 607, 21, 20, 54],
} as const satisfies Readonly<Record<string, FoodRow>>;

type Food = keyof typeof FOODS;
/** Foods, and the grams of an athlete of 70 kg on a day without training. */
type Plate = readonly (readonly [Food, number])[];

interface MealPlan {
  readonly meal: Meal;
  /** Minutes after midnight. */
  readonly minute: number;
  readonly plates: readonly [Plate, ...Plate[]];
}

const MEALS: readonly MealPlan[] = [
  {
    meal: 'BREAKFAST',
    minute: 7 * 60 + 10,
    plates: [
      [['Porridge with milk', 350]],
      [['Muesli with yogurt', 260]],
      [
        ['White toast with honey', 110],
        ['Scrambled eggs', 120],
      ],
    ],
  },
  {
    meal: 'LUNCH',
    minute: 12 * 60 + 30,
    plates: [
      [
        ['Basmati rice', 280],
        ['Chicken breast', 140],
      ],
      [
        ['Boiled potatoes', 350],
        ['Salmon fillet', 130],
      ],
      [['Pasta with tomato sauce', 420]],
    ],
  },
  { meal: 'SNACK', minute: 15 * 60 + 40, plates: [[['Banana', 120]], [['Mixed nuts', 35]]] },
  {
    meal: 'DINNER',
    minute: 19 * 60 + 15,
    plates: [
      [
        ['Pasta with tomato sauce', 380],
        ['Mixed salad with olive oil', 150],
      ],
      [
        ['Basmati rice', 260],
        ['Salmon fillet', 140],
      ],
      [
        ['Boiled potatoes', 350],
        ['Chicken breast', 150],
      ],
    ],
  },
];

/** Seconds from one gel to the next, and from the end of a workout to food. */
const GEL_EVERY = 40 * 60;
const AFTERWARDS = 15 * 60;

/** Returns what the athlete eats on a day, by time: more on a day with a workout, and some of it then. */
export function mealsOn(athlete: Athlete, date: string, workout: Workout | null): Serving[] {
  const random = stream(athlete.seed, 'kitchen', date);
  const burned = workout ? caloriesOf(athlete, workout) : 0;
  const portion = (athlete.weight / 70) * (1 + burned / 3000);
  const { start, end } = workout ? spanOf(workout) : { start: 0, end: 0 };
  const servings: Serving[] = [];
  const serve = (second: number, meal: Meal, food: Food, grams: number) => {
    servings.push({ second, food: foodOf(food, Math.round(grams / 5) * 5, meal) });
  };
  for (const { meal, minute, plates } of MEALS) {
    const usual = minute * 60 + random.integer(-900, 900);
    // Not during the workout, nor just before it.
    const second = usual > start - 1800 && usual < end ? end + 2 * AFTERWARDS : usual;
    random.pick(plates).forEach(([food, grams], course) => {
      serve(second + course * 60, meal, food, grams * portion * random.between(0.9, 1.1));
    });
  }
  for (let at = start + GEL_EVERY; at < end - AFTERWARDS; at += GEL_EVERY) {
    serve(at, 'SNACK', 'Energy gel', 40);
  }
  if (burned > 450) serve(end + AFTERWARDS, 'SNACK', 'Chocolate milk', 400);
  return servings.sort((one, other) => one.second - other.second);
}

/** Returns the start and the end of a workout (seconds after midnight). */
export function spanOf({ start, parts, pause }: Workout) {
  const timer = parts.reduce((sum, { seconds }) => sum + seconds, 0);
  return { start, end: start + timer + (pause?.seconds ?? 0) };
}

function foodOf(name: Food, amount: number, meal: Meal) {
  const [absorptionType, calories, carbs, protein, fat] = FOODS[name];
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
