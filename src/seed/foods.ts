/** An absorption category of the service (service behaviour, nutrition). */
type Absorption = 'RAPID' | 'FAST' | 'BALANCED' | 'DENSE' | 'HYPER_LOAD';

/** The contents of 100 g (or 100 ml): kcal and grams, as in food tables. */
type FoodRow = readonly [
  absorption: Absorption,
  calories: number,
  carbs: number,
  protein: number,
  fat: number,
  fiber: number,
  sugar: number,
];

const FOODS = {
  'White toast with honey': ['RAPID', 289, 61, 7.2, 2.3, 2.1, 22],
  'Energy gel': ['RAPID', 260, 64, 0.1, 0, 0, 28],
  'Carbohydrate drink': ['RAPID', 32, 8, 0, 0, 0, 5.2],
  Banana: ['FAST', 89, 22.8, 1.1, 0.3, 2.6, 12.2],
  'Rice cake bar': ['FAST', 176, 36, 2.6, 2.2, 0.6, 12],
  'Chocolate milk': ['FAST', 78, 11.6, 3.4, 2, 0.4, 10.9],
  'Orange juice': ['FAST', 45, 10.4, 0.7, 0.2, 0.2, 8.4],
  'Porridge with milk': ['BALANCED', 107, 16.4, 4.3, 2.7, 1.9, 4.6],
  'Muesli with yogurt': ['BALANCED', 148, 21.5, 6.2, 4.1, 2.4, 8.2],
  'Wholegrain bread': ['BALANCED', 247, 43, 11, 3.4, 6.8, 4.3],
  'Pasta with tomato sauce': ['BALANCED', 134, 24.6, 4.7, 1.9, 2, 3.6],
  'Basmati rice': ['BALANCED', 130, 28.2, 2.7, 0.3, 0.4, 0.1],
  'Boiled potatoes': ['BALANCED', 86, 20, 1.9, 0.1, 1.8, 0.9],
  Apple: ['BALANCED', 52, 13.8, 0.3, 0.2, 2.4, 10.4],
  'White pasta, carb loading': ['HYPER_LOAD', 157, 30.9, 5.8, 0.9, 1.8, 0.6],
  'White rice with raisins': ['HYPER_LOAD', 152, 34, 2.6, 0.4, 0.8, 5.8],
  'Scrambled eggs': ['DENSE', 149, 1.6, 10, 11, 0, 1.4],
  Skyr: ['DENSE', 63, 4, 11, 0.2, 0, 4],
  'Chicken breast': ['DENSE', 165, 0, 31, 3.6, 0, 0],
  'Salmon fillet': ['DENSE', 206, 0, 22.1, 12.4, 0, 0],
  'Lentil stew': ['DENSE', 116, 16.3, 8, 1.9, 6.4, 2],
  'Mixed salad with olive oil': ['DENSE', 82, 4.2, 1.3, 6.9, 1.8, 2.3],
  'Roast vegetables': ['DENSE', 74, 8.4, 1.9, 3.6, 2.9, 4.2],
  'Mixed nuts': ['DENSE', 607, 21, 20, 54, 7, 4.2],
} as const satisfies Readonly<Record<string, FoodRow>>;

export type Food = keyof typeof FOODS;

const DRINKS: readonly Food[] = ['Carbohydrate drink', 'Chocolate milk', 'Orange juice'];

/** Returns the contents of 100 g or 100 ml of a food. */
export function contentsOf(food: Food) {
  const row: FoodRow = FOODS[food];
  const [absorption, calories, carbs, protein, fat, fiber, sugar] = row;
  const unit = DRINKS.includes(food) ? 'ml' : 'g';
  return { absorption, calories, carbs, protein, fat, fiber, sugar, unit };
}

type Foods = readonly [Food, ...Food[]];

interface MealPlan {
  readonly meal: 'BREAKFAST' | 'LUNCH' | 'DINNER';
  /** Minutes after midnight, and the largest deviation from it. */
  readonly minute: number;
  readonly spread: number;
  readonly share: number;
  readonly main: Foods;
  readonly protein: Foods;
  readonly side: Foods;
}

export const MEALS: readonly MealPlan[] = [
  {
    meal: 'BREAKFAST',
    minute: 7 * 60 + 25,
    spread: 15,
    share: 0.29,
    main: ['Porridge with milk', 'Muesli with yogurt', 'Wholegrain bread'],
    protein: ['Scrambled eggs', 'Skyr'],
    side: ['Apple', 'Banana'],
  },
  {
    meal: 'LUNCH',
    minute: 12 * 60 + 30,
    spread: 20,
    share: 0.35,
    main: ['Basmati rice', 'Boiled potatoes', 'Pasta with tomato sauce'],
    protein: ['Chicken breast', 'Lentil stew'],
    side: ['Mixed salad with olive oil', 'Roast vegetables'],
  },
  {
    meal: 'DINNER',
    minute: 19 * 60 + 15,
    spread: 25,
    share: 0.36,
    main: ['Pasta with tomato sauce', 'Basmati rice', 'Boiled potatoes'],
    protein: ['Salmon fillet', 'Chicken breast', 'Lentil stew'],
    side: ['Roast vegetables', 'Mixed salad with olive oil'],
  },
];
