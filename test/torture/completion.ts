import type { StoredItem } from '../../src/sandbox/resources/nutrition-day.ts';
import { foodsHeld } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';
import { type Food, foodKey } from './cargo.ts';
import { type Job, OWN } from './errands.ts';
import { judgeCargo, judgeDoubles, onlyLooks } from './judge.ts';
import { type Line, judgeReport } from './reports.ts';
import type { Scene } from './scene.ts';

/** Runs of the same command until it reports completion. */
const MOST_RUNS = 4;

/** Requests that change something at the platform. */
const SENDING = [
  'upload-fit',
  'workout-removal',
  'wellness',
  'nutrition',
  'nutrition-items',
  'profile-update',
];

/**
 * Runs a job and judges its report.
 *
 * @param later jobs that are completed after it
 * @returns the exit code as far as it is about this job, and the printed lines
 */
export async function perform(scene: Scene, job: Job, args = job.args, later: readonly Job[] = []) {
  const onDays = heldOn(scene, job.claim.foods.keys(), versionKey);
  const finished = await scene.run(args);
  judgeReport(scene, args.join(' '), finished, job.claim);
  const lines = ndjson(finished.stdout);
  if (args.includes('undo') && finished.code === 0) forgetUndone(scene, job, onDays, later);
  const conflicts = lines.filter((line) => line['outcome'] === 'conflict');
  // What a conflict names may be there twice: its hint asks to delete it.
  const named = conflicts.flatMap(({ stored = [] }) => (stored as Food[]).map(versionKey));
  // Only a push of foods ends what an earlier one left undone: a food may be there in two versions.
  const isOver = finished.code === 0 && job.claim.foods.size > 0;
  const keyOf = (food: StoredItem) => {
    if (isOver) return foodKey(food);
    return named.includes(versionKey(food)) ? food.id : versionKey(food);
  };
  judgeDoubles(scene.round, scene.world.sandbox, scene.cargo.foods.keys(), keyOf);
  for (const line of conflicts) resolveConflict(scene, job, String(line['date']));
  // A run repeats the conflicts of other jobs until those are settled.
  const isOwn = ({ date }: Line) => job.claim.foods.has(String(date));
  const isRejected = lines.some(({ outcome }) => outcome === 'rejected');
  const isOthers = conflicts.length > 0 && !conflicts.some(isOwn) && !isRejected;
  return {
    code: isOthers && finished.code === 6 ? 0 : finished.code,
    lines,
  };
}

/**
 * Runs jobs again without faults until each reports completion, then judges what the platform holds.
 * Then they have nothing left to send.
 */
export async function complete(scene: Scene, jobs: readonly Job[]): Promise<void> {
  const { round, world, cargo } = scene;
  const { control } = world.sandbox;
  control.clearFaults();
  for (const [index, job] of jobs.entries()) {
    const args = job.again ?? job.args;
    let code: number | null = null;
    for (let run = 0; run < MOST_RUNS && code !== 0; run++) {
      ({ code } = await perform(scene, job, args, jobs.slice(index + 1)));
    }
    if (code !== 0) {
      round.failed('lost', `${args.join(' ')} ends with ${String(code)} without any fault`);
    }
  }
  judgeCargo(round, world.sandbox, cargo);
  const [last] = jobs.slice(-1);
  if (last === undefined || asksEachTime(last)) return;
  control.clearRequests();
  await perform(scene, last, last.again);
  for (const request of control.requests()) {
    const { route } = request;
    if (!SENDING.includes(route ?? '') || onlyLooks(request)) continue;
    round.failed('duplicated', `${String(route)} sent again`);
  }
}

/** The version of a food. */
function versionKey(food: Food | StoredItem): string {
  return `${foodKey(food)} with ${String(food.calories)} kcal`;
}

function heldOn(
  { world }: Scene,
  dates: Iterable<string>,
  keyOf: (food: StoredItem) => string,
): ReadonlySet<string> {
  return new Set([...dates].flatMap((date) => foodsHeld(world.sandbox, date).map(keyOf)));
}

/**
 * Expects no more of what `undo` took back: no job sends it again. A food, or a version of it, that a later job
 * has not brought to the platform yet may still come.
 */
function forgetUndone(
  scene: Scene,
  { claim }: Job,
  before: ReadonlySet<string>,
  later: readonly Job[],
): void {
  const { cargo } = scene;
  const held = heldOn(scene, claim.foods.keys(), foodKey);
  for (const [date, { gone }] of claim.foods) {
    for (const key of gone) if (!held.has(key)) cargo.removed.add(key);
    for (const [key, food] of cargo.foods.get(date) ?? []) {
      const isNew = !before.has(versionKey(food)) && later.some((job) => claims(job, date, food));
      if (held.has(key) || isNew) continue;
      cargo.foods.get(date)?.delete(key);
      cargo.removed.add(key);
    }
  }
}

function claims({ claim }: Job, date: string, { name, logged_at: at, calories }: Food): boolean {
  const { held } = claim.foods.get(date) ?? { held: [] };
  return held.some(
    (food) => food.name === name && food.logged_at === at && food.calories === calories,
  );
}

/** Returns whether a command sends although nothing has changed. */
function asksEachTime({ args, claim }: Job): boolean {
  return claim.profile !== undefined || args.includes('--replace-day');
}

/**
 * Does in the platform what the hint of a conflict asks for: removes what has to be gone. `undo` wants
 * all gone that `sync` sent, also what a later job sends again.
 */
function resolveConflict({ world, cargo, round }: Scene, { args }: Job, date: string): void {
  const due = cargo.foods.get(date);
  for (const food of foodsHeld(world.sandbox, date)) {
    const key = foodKey(food);
    const isWanted = !args.includes('undo') || key.startsWith(OWN);
    if (isWanted && due?.get(key)?.calories === food.calories) continue;
    world.sandbox.control.editFood(food.id, null);
    round.count('conflicts');
  }
}
