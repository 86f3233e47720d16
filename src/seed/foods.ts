/** The service's absorption categories (service behaviour, nutrition). */
export type Absorption = 'RAPID' | 'FAST' | 'BALANCED' | 'DENSE' | 'HYPER_LOAD';

/** Contents of 100 g (or 100 ml): kcal and grams, as in food tables. */
export interface Food {
  readonly name: string;
  readonly calories: number;
  readonly carbs: number;
  readonly protein: number;
  readonly fat: number;
  readonly fiber: number;
  readonly sugar: number;
  readonly absorption: Absorption;
  readonly unit: 'g' | 'ml';
}

function food(
  name: string,
  absorption: Absorption,
  [calories, carbs, protein, fat, fiber, sugar]: readonly [
    number,
    number,
    number,
    number,
    number,
    number,
  ],
  unit: 'g' | 'ml' = 'g',
): Food {
  return { name, calories, carbs, protein, fat, fiber, sugar, absorption, unit };
}

//                                             kcal  carbs prot  fat  fibre sugar
export const toastWithHoney = food('White toast with honey', 'RAPID', [289, 61, 7.2, 2.3, 2.1, 22]);
export const banana = food('Banana', 'FAST', [89, 22.8, 1.1, 0.3, 2.6, 12.2]);
export const gel = food('Energy gel', 'RAPID', [260, 64, 0.1, 0, 0, 28]);
export const drinkMix = food('Carbohydrate drink', 'RAPID', [32, 8, 0, 0, 0, 5.2], 'ml');
export const riceCake = food('Rice cake bar', 'FAST', [176, 36, 2.6, 2.2, 0.6, 12]);
export const recoveryShake = food('Recovery shake', 'FAST', [78, 12.5, 5.2, 0.8, 0.3, 10.4], 'ml');
export const chocolateMilk = food('Chocolate milk', 'FAST', [78, 11.6, 3.4, 2, 0.4, 10.9], 'ml');
export const orangeJuice = food('Orange juice', 'FAST', [45, 10.4, 0.7, 0.2, 0.2, 8.4], 'ml');

export const porridge = food('Porridge with milk', 'BALANCED', [107, 16.4, 4.3, 2.7, 1.9, 4.6]);
export const muesli = food('Muesli with yogurt', 'BALANCED', [148, 21.5, 6.2, 4.1, 2.4, 8.2]);
export const bread = food('Wholegrain bread', 'BALANCED', [247, 43, 11, 3.4, 6.8, 4.3]);
export const pasta = food('Pasta with tomato sauce', 'BALANCED', [134, 24.6, 4.7, 1.9, 2, 3.6]);
export const rice = food('Basmati rice', 'BALANCED', [130, 28.2, 2.7, 0.3, 0.4, 0.1]);
export const potatoes = food('Boiled potatoes', 'BALANCED', [86, 20, 1.9, 0.1, 1.8, 0.9]);
export const quinoa = food('Quinoa', 'BALANCED', [120, 21.3, 4.4, 1.9, 2.8, 0.9]);
export const couscous = food('Couscous', 'BALANCED', [112, 23.2, 3.8, 0.2, 1.4, 0.1]);
export const bigPasta = food(
  'White pasta, carb loading',
  'HYPER_LOAD',
  [157, 30.9, 5.8, 0.9, 1.8, 0.6],
);
export const bigRice = food('White rice with raisins', 'HYPER_LOAD', [152, 34, 2.6, 0.4, 0.8, 5.8]);

export const eggs = food('Scrambled eggs', 'DENSE', [149, 1.6, 10, 11, 0, 1.4]);
export const yogurt = food('Skyr', 'DENSE', [63, 4, 11, 0.2, 0, 4]);
export const chicken = food('Chicken breast', 'DENSE', [165, 0, 31, 3.6, 0, 0]);
export const salmon = food('Salmon fillet', 'DENSE', [206, 0, 22.1, 12.4, 0, 0]);
export const tofu = food('Tofu', 'DENSE', [144, 2.8, 17.3, 8.7, 1.9, 0.6]);
export const lentils = food('Lentil stew', 'DENSE', [116, 16.3, 8, 1.9, 6.4, 2]);
export const salad = food('Mixed salad with olive oil', 'DENSE', [82, 4.2, 1.3, 6.9, 1.8, 2.3]);
export const vegetables = food('Roast vegetables', 'DENSE', [74, 8.4, 1.9, 3.6, 2.9, 4.2]);
export const nuts = food('Mixed nuts', 'DENSE', [607, 21, 20, 54, 7, 4.2]);
export const apple = food('Apple', 'BALANCED', [52, 13.8, 0.3, 0.2, 2.4, 10.4]);
