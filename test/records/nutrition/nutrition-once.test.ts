import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import type { RecordItem } from '../../../src/records/deliver.ts';
import { NUTRITION_REVISIONS } from '../../support/acceptance.ts';
import {
  DAY,
  type Food,
  READ,
  WRITE,
  crashing,
  day,
  itemOf,
  openNutrition,
} from './delivery-support.ts';

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ROUNDS = Number(process.env['SYNC_ONCE_ROUNDS'] ?? 3);
const FIRST_SEED = Number(process.env['SYNC_ONCE_SEED'] ?? 1);
const STEPS = 25;

const FAULTS = [
  ...['504(after)', '504', 'reset-after', 'reset', '500', 'html(after)', 'truncate', '400'],
  '429(retry-after=1)',
];

/** Each input has different foods. */
const NAMES = {
  'breakfast.json': ['gel', 'bar', 'rice'],
  'dinner.json': ['banana', 'tea'],
} as const;
type InputName = keyof typeof NAMES;
const ALL_NAMES = Object.values(NAMES).flat();

const KINDS = NUTRITION_REVISIONS.flatMap((revision) =>
  [WRITE, READ].flatMap((scopes) =>
    [true, false].map((nutritionEdits) => ({ revision, scopes, nutritionEdits })),
  ),
);

describe.each(KINDS)(
  'random pushes, faults, crashes and edits on $revision, $scopes, removal: $nutritionEdits',
  ({ revision, scopes, nutritionEdits }) => {
    it.each(Array.from({ length: ROUNDS }, (_, index) => FIRST_SEED + index))(
      'neither lose nor duplicate an item (seed %i)',
      async (seed) => {
        const random = randomOf(seed);
        const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
        const canRemove = nutritionEdits && revision === '2026-08';
        const world = await openNutrition(
          { revision, ...(canRemove ? {} : { nutritionEdits: false }) },
          { scopes },
        );
        const { sandbox, machine, foods: held } = world;
        const machines = [machine(), machine()];
        const said: Record<InputName, Food[]> = { 'breakfast.json': [], 'dinner.json': [] };
        /** Foods that the athlete removed or a push left unchanged: the input does not count. */
        const [removed, left] = [new Set<string>(), new Set<string>()];
        const log: string[] = [];
        let lastMachine = 0;
        const soup = { name: 'soup', carbs: 33, at: '12:00:00' };
        sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(soup) });
        for (let step = 0; step < STEPS; step++) {
          const input = pick(Object.keys(NAMES) as InputName[]);
          const name = pick<string>(NAMES[input]);
          const at = `1${ALL_NAMES.indexOf(name as never)}:00:00`;
          const others = said[input].filter((food) => food.name !== name);
          const foods =
            random() < 0.25 ? others : [...others, { name, at, carbs: Math.floor(random() * 5) }];
          if (foods.length === 0) continue;
          said[input] = foods;
          const app = random() < 0.15 ? pick(['edit', 'remove'] as const) : undefined;
          const target = app === undefined ? undefined : pick(held());
          if (target !== undefined && target.source !== 'manual') {
            sandbox.control.editFood(target.id, app === 'edit' ? { carbs: 77 } : null);
            (app === 'edit' ? left : removed).add(target.name ?? '');
          }
          const index = random() < 0.8 ? 0 : 1;
          if (random() < 0.1) machines[index] = machine();
          const fault = random() < 0.4 ? pick(FAULTS) : undefined;
          if (fault !== undefined) {
            sandbox.control.addFaults(`nutrition:${fault}+${Math.floor(random() * 4)}`);
          }
          const crash =
            random() < 0.3 ? { at: Math.floor(random() * 5), after: random() < 0.5 } : undefined;
          const force = random() < 0.15;
          let item: RecordItem | undefined;
          try {
            [item] = (await machines[index]?.push(
              { [input]: day(...foods) },
              { force, ...(crash === undefined ? {} : { wrap: crashing(crash) }) },
            )) ?? [undefined];
          } catch (error) {
            if (!(error instanceof SyncError) || error.code !== 'INTERRUPTED') throw error;
          }
          sandbox.control.clearFaults();
          const outcome = item?.outcome ?? 'crash';
          const all = held();
          const short = (
            list: readonly { name?: string | undefined; carbs?: number | undefined }[],
          ) => list.map((food) => `${String(food.name)}${String(food.carbs)}`).join();
          log.push(
            `${step}: m${index} ${input} ${short(foods)} app=${String(app)} ${String(target?.name)} fault=${String(fault)} ` +
              `crash=${JSON.stringify(crash)} force=${String(force)} -> ${outcome}: ${short(all)}`,
          );
          const where = log.slice(-8).join('\n');
          const ours = all.filter((food) => food.source !== 'manual');
          const named = (one: string) => ours.filter((food) => food.name === one);
          for (const one of ALL_NAMES) {
            expect(named(one).length, `${one} doubled\n${where}`).toBeLessThanOrEqual(1);
          }
          if (revision !== '2026-02') {
            expect(all.filter((food) => food.source === 'manual')).toHaveLength(1);
          }
          if (force && outcome === 'pushed') for (const { name: one } of foods) left.delete(one);
          // A ledger cannot know what another machine changed since.
          const isKnown = outcome === 'pushed' || (outcome === 'skipped' && index === lastMachine);
          const notes = JSON.stringify(item?.warnings ?? []);
          for (const food of foods) {
            if (removed.has(food.name) || left.has(food.name)) continue;
            // A push leaves the changes of another machine, and a note reports that.
            if (notes.includes('in the platform, so left') && notes.includes(`${food.name}, `)) {
              left.add(food.name);
              continue;
            }
            const amounts = named(food.name).map(({ carbs }) => carbs);
            if (isKnown) expect(amounts, `${food.name} lost\n${where}`).toEqual([food.carbs]);
            if (outcome === 'conflict') {
              expect(amounts, `${food.name} lost\n${where}`).toHaveLength(1);
            }
          }
          if (outcome !== 'skipped') lastMachine = index;
        }
      },
    );
  },
);
