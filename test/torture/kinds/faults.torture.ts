import { MEALS } from '../../../src/sandbox/resources/nutrition-day.ts';
import type { Random } from '../../../src/seed/random.ts';
import { foodsHeld } from '../../support/acceptance.ts';
import { type BadLine, openBadLine } from '../bad-line.ts';
import { foodKey, foodsOn } from '../cargo.ts';
import { complete, perform } from '../completion.ts';
import { ERRAND_NAMES, type Job, OWN, newFood, prepare, usualRoute } from '../errands.ts';
import { SERVICE_FAULTS, faultAt, lineFault } from '../faults.ts';
import { type Round, torture } from '../kind.ts';
import { type Scene, openSceneBehind, relogIfEnded } from '../scene.ts';

/** One round in this many starts the built program, with its real pauses. */
const PROGRAM_EVERY = 20;

torture({
  name: 'faults',
  title: 'faults in any order over commands in any order, and edits by the athlete',
  rounds: { short: 28, full: 200 },
  run: async (round) => {
    const { random } = round;
    const { scene, line } = await openSceneBehind(round, openBadLine, {
      program: round.number % PROGRAM_EVERY === 0,
    });
    round.note(`${scene.platform}, ${scene.readsNutrition ? 'reads' : 'does not read'} nutrition`);
    const jobs: Job[] = [];
    for (let step = random.integer(2, 5); step > 0; step--) {
      await playStep(round, scene, line, jobs);
    }
    await relogIfEnded(scene);
    // In their order, since a command may take back what an earlier one sent.
    await complete(scene, jobs);
  },
});

/** Runs any command under any faults, and adds its job to the jobs so far. */
async function playStep(round: Round, scene: Scene, line: BadLine, jobs: Job[]): Promise<void> {
  const { random } = round;
  const { control } = scene.world.sandbox;
  const job = await prepare(random.pick(ERRAND_NAMES), scene, random);
  jobs.push(...(job.earlier === undefined ? [] : [job.earlier]), job);
  for (let count = random.integer(0, 3); count > 0; count--)
    control.addFaults(anyFault(scene, job, random));
  const broken = Array.from({ length: random.integer(0, 2) }, () => lineFault(random));
  line.script(broken);
  if (random.chance(0.2)) control.expire();
  round.note(`faults: ${JSON.stringify([...control.faults(), ...broken])}`);
  control.clearRequests();
  const { code } = await perform(scene, job);
  const served = control.requests().some(({ faults }) => faults.length > 0);
  if (line.settle() > 0 || served) round.count('faulted runs');
  control.clearFaults();
  for (const date of job.claim.foods.keys()) {
    if (random.chance(0.3)) enterFood(scene, random, date);
    // Only what sync knows to be there can be known to be removed.
    const mayRemove = code === 0 && !jobs.some((each) => restores(each, date));
    if (mayRemove && random.chance(0.3)) removeFood(scene, random, date);
  }
  await relogIfEnded(scene);
}

/** Returns whether a job, if it runs again, lets `sync` send again what the athlete removed. */
function restores({ args, claim }: Job, date: string): boolean {
  return (args.includes('--replace-day') || args.includes('undo')) && claim.foods.has(date);
}

function anyFault(scene: Scene, job: Job, random: Random): string {
  const route = random.chance(0.2) ? 'any' : usualRoute(job, random);
  const times = random.pick(['', '', '*2', '*5', '*inf']);
  const fault = faultAt(scene, route, random.pick(SERVICE_FAULTS), times);
  return `${route}:${fault}+${random.integer(0, 2)}`;
}

/** Whether `sync` can know what the athlete changed. A platform that replaces whole days does not show them. */
function isSeen({ platform }: Scene): boolean {
  return platform === 'coach-watts';
}

/** Enters a food in the platform's app. It stays there, unless the platform replaces whole days. */
function enterFood(scene: Scene, random: Random, date: string): void {
  if (scene.platform === 'interface') return;
  const food = newFood(scene, random, date, OWN);
  const meal = random.pick(MEALS);
  scene.world.sandbox.control.addFood({ date, meal, item: { ...food } });
  foodsOn(scene.cargo, date).set(foodKey(food), food);
  scene.round.note(`the athlete enters ${foodKey(food)}`);
  scene.round.count('edits');
}

/**
 * Removes a food that `sync` has reported as delivered. `sync` does not send it again, but would send a correction of it
 * that has not arrived yet.
 */
function removeFood(scene: Scene, random: Random, date: string): void {
  const { world, cargo, round } = scene;
  const due = foodsOn(cargo, date);
  const sent = foodsHeld(world.sandbox, date).filter(
    (food) =>
      !(food.name ?? '').startsWith(OWN) && due.get(foodKey(food))?.calories === food.calories,
  );
  const food = sent[random.integer(0, Math.max(0, sent.length - 1))];
  if (food === undefined || !isSeen(scene)) return;
  world.sandbox.control.editFood(food.id, null);
  round.note(`the athlete removes ${foodKey(food)}`);
  due.delete(foodKey(food));
  cargo.removed.add(foodKey(food));
  round.count('edits');
}
