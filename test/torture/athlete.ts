import { MEALS } from '../../src/sandbox/resources/nutrition-day.ts';
import type { Random } from '../../src/seed/random.ts';
import { foodsHeld } from '../support/acceptance.ts';
import { foodKey, foodsOn } from './cargo.ts';
import { OWN, newFood } from './errands.ts';
import type { Scene } from './scene.ts';

/**
 * Whether `sync` can know what the athlete changed. A revision that replaces whole days does not show
 * them without `nutrition:read`: docs/nutrition.md names this limit.
 */
function isSeen({ readsNutrition, revision }: Scene): boolean {
  return readsNutrition || revision === '2026-08';
}

/** Enters a food in the platform's app. It stays there, unless the revision replaces whole days. */
export function enterFood(scene: Scene, random: Random, date: string): void {
  if (scene.revision === '2026-02') return;
  const food = newFood(scene, random, date, OWN);
  const meal = random.pick(MEALS);
  scene.world.sandbox.control.addFood({ date, meal, item: { ...food } });
  foodsOn(scene.cargo, date).set(foodKey(food), food);
  scene.round.note(`the athlete enters ${foodKey(food)}`);
  scene.round.count('edits');
}

/** Removes a food that `sync` has reported as delivered. `sync` does not send it again. */
export function removeFood(scene: Scene, random: Random, date: string): void {
  const { world, cargo, round } = scene;
  const sent = foodsHeld(world.sandbox, date).filter(({ name = '' }) => !name.startsWith(OWN));
  const food = sent[random.integer(0, Math.max(0, sent.length - 1))];
  if (food === undefined || !isSeen(scene)) return;
  world.sandbox.control.editFood(food.id, null);
  round.note(`the athlete removes ${foodKey(food)}`);
  foodsOn(cargo, date).delete(foodKey(food));
  cargo.removed.add(foodKey(food));
  round.count('edits');
}
