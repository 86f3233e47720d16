import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordLedger } from '../../src/ledger/records.ts';
import {
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../../src/records/deliver.ts';
import { prepareInputs } from '../../src/records/prepare.ts';
import type { MintRequest } from '../../src/sandbox/control.ts';
import type { Revision } from '../../src/sandbox/revisions.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import { markIn, openIn } from '../ledger/support.ts';
import { NUTRITION_REVISIONS, foodsHeld } from '../support/acceptance.ts';
import { clientOf, hastyClock, openSandbox } from '../support/delivery.ts';
import { SyncError } from '../../src/errors.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { BERLIN } from './support.ts';

const DAY = '2026-02-15';
type Scopes = NonNullable<MintRequest['scopes']>;
const SCOPES: Scopes = ['nutrition:write', 'profile:read'];

/** The process ends at request `at` (from 0) of a day: before it leaves, or after it was processed. */
interface Crash {
  readonly at: number;
  readonly after: boolean;
}

/** A client whose process dies at one of its requests. */
function crashing(client: ServiceClient, { at, after }: Crash): ServiceClient {
  let count = 0;
  const dying = async <T>(request: () => Promise<T>): Promise<T> => {
    const dies = count++ === at;
    if (dies && !after) throw new SyncError('INTERRUPTED', 'killed');
    const answer = await request();
    if (dies) throw new SyncError('INTERRUPTED', 'killed');
    return answer;
  };
  return {
    ...client,
    push: (...args) => dying(() => client.push(...args)),
    removeNutritionItem: (...args) => dying(() => client.removeNutritionItem(...args)),
  };
}

interface Food {
  readonly name: string;
  readonly carbs: number;
  readonly at?: string;
}

const item = ({ name, carbs, at = '10:00:00' }: Food) => ({
  name,
  carbs,
  logged_at: `${DAY}T${at}+01:00`,
});

async function open(revision: Revision, settings: Partial<SandboxSettings> = {}, scopes = SCOPES) {
  const sandbox = await openSandbox({ settings: { revision, ...settings } });
  const { client } = clientOf(sandbox, { scopes: [...scopes] });
  const machine = () => {
    const dir = mkdtempSync(join(tmpdir(), 'sync-once-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const database = openIn(dir);
    const ledger = recordLedger(database, 'athlete:1', markIn(dir), Date.now);
    const push = async (
      inputs: Record<string, unknown>,
      options: Partial<DeliveryOptions> & { signal?: AbortSignal; crash?: Crash } = {},
    ): Promise<RecordItem[]> => {
      const { signal = new AbortController().signal, crash, ...rest } = options;
      const { records, invalid, unreadable } = await prepareInputs(
        'nutrition',
        Object.entries(inputs).map(([name, value]) => ({
          name: name.replace(/#.*/, ''),
          chunks: chunks(JSON.stringify(value)),
        })),
        BERLIN,
        signal,
      );
      expect([invalid, unreadable]).toEqual([[], []]);
      const items: RecordItem[] = [];
      await deliverRecords(
        records,
        { force: false, dryRun: false, jobs: 4, nutrition: 'auto', ...rest },
        {
          ledger,
          client: crash === undefined ? client : async () => crashing(await client(), crash),
          url: (of) => new URL(`/api/${of}`, sandbox.url),
          clock: hastyClock,
          signal,
          report: (one) => items.push(one),
        },
      );
      return items;
    };
    return { push, ledger };
  };
  const held = (date = DAY) =>
    foodsHeld(sandbox, date)
      .map((food) => `${String(food['name'])} ${String(food['carbs'])}`)
      .sort();
  return { sandbox, machine, held, ...machine() };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an input's chunks are asynchronous
async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const day = (...foods: Food[]) => ({ date: DAY, items: foods.map(item) });
const GEL = { name: 'gel', carbs: 25 };
const BAR = { name: 'bar', carbs: 40, at: '11:00:00' };
const RICE = { name: 'rice', carbs: 90, at: '19:00:00' };

describe.each(NUTRITION_REVISIONS)('revision %s', (revision) => {
  it('holds each item once after a first push, a change, an addition and a removal', async () => {
    const { push, held } = await open(revision);
    expect(await push({ 'a.json': day(GEL, BAR) })).toMatchObject([{ outcome: 'pushed' }]);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    expect(await push({ 'a.json': day({ ...GEL, carbs: 30 }, BAR, RICE) })).toMatchObject([
      { outcome: 'pushed' },
    ]);
    expect(held()).toEqual(['bar 40', 'gel 30', 'rice 90']);
    expect(await push({ 'a.json': day(BAR) })).toMatchObject([{ outcome: 'pushed' }]);
    expect(held()).toEqual(['bar 40']);
    expect(await push({ 'a.json': day(BAR) })).toMatchObject([{ outcome: 'skipped' }]);
  });

  it('keeps breakfast when dinner is pushed from another file', async () => {
    const { push, held } = await open(revision);
    await push({ 'breakfast.json': day(GEL) });
    await push({ 'dinner.json': day(RICE) });
    expect(held()).toEqual(['gel 25', 'rice 90']);
  });

  it('doubles nothing after the ledger was lost', async () => {
    const { push, held, machine } = await open(revision);
    await push({ 'a.json': day(GEL, BAR) });
    expect(await machine().push({ 'a.json': day(GEL, BAR, RICE) })).toMatchObject([
      { outcome: 'pushed' },
    ]);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it.each(['504(after)', 'reset-after'])('doubles nothing after %s', async (fault) => {
    const { push, held, sandbox } = await open(revision);
    for (const skip of [0, 1, 2, 3]) {
      sandbox.control.addFaults(`nutrition:${fault}+${skip}`);
      await push({ 'a.json': day(GEL, { ...BAR, carbs: skip }) });
      await push({ 'a.json': day(GEL, { ...BAR, carbs: skip }) });
      expect(held()).toEqual([`bar ${skip}`, 'gel 25']);
    }
  });
});

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
const READ: Scopes = [...SCOPES, 'nutrition:read'];
const KINDS = NUTRITION_REVISIONS.flatMap((revision) =>
  [SCOPES, READ].flatMap((scopes) =>
    [true, false].map((nutritionEdits) => ({ revision, scopes, nutritionEdits })),
  ),
);

describe.each(KINDS)('random life on $revision, $scopes, removal $nutritionEdits', (kind) => {
  it.each(Array.from({ length: ROUNDS }, (_, index) => FIRST_SEED + index))(
    'neither loses nor doubles an item (seed %i)',
    async (seed) => {
      const random = randomOf(seed);
      const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
      const { revision, scopes, nutritionEdits } = kind;
      const canRemove = nutritionEdits && revision !== '2026-02';
      const { sandbox, machine } = await open(
        revision,
        canRemove ? {} : { nutritionEdits: false },
        scopes,
      );
      const machines = [machine(), machine()];
      const names = ['gel', 'bar', 'rice', 'banana', 'tea'];
      let foods: Food[] = [];
      let lastMachine = 0;
      const log: string[] = [];
      const manual = { name: 'soup', carbs: 33, logged_at: `${DAY}T12:00:00+01:00` };
      sandbox.control.addFood({ date: DAY, meal: 'lunch', item: manual });
      for (let step = 0; step < 25; step++) {
        const name = pick(names);
        const at = `1${names.indexOf(name)}:00:00`;
        const others = foods.filter((food) => food.name !== name);
        foods =
          random() < 0.25 ? others : [...others, { name, at, carbs: Math.floor(random() * 5) }];
        if (foods.length === 0) continue;
        const machineIndex = random() < 0.8 ? 0 : 1;
        if (random() < 0.1) machines[machineIndex] = machine();
        const fault =
          random() < 0.4
            ? pick([
                '504(after)',
                '504',
                'reset-after',
                'reset',
                '500',
                'html(after)',
                'truncate',
                '400',
                '429(retry-after=1)',
              ])
            : undefined;
        if (fault !== undefined)
          sandbox.control.addFaults(`nutrition:${fault}+${Math.floor(random() * 4)}`);
        const crash =
          random() < 0.3 ? { at: Math.floor(random() * 5), after: random() < 0.5 } : undefined;
        const force = random() < 0.15;
        let outcome = 'crash';
        let item: RecordItem | undefined;
        try {
          [item] = await machines[machineIndex]!.push(
            { 'a.json': day(...foods) },
            { force, ...(crash === undefined ? {} : { crash }) },
          );
          outcome = item?.outcome ?? 'none';
        } catch (error) {
          if (!(error instanceof SyncError)) throw error;
        }
        sandbox.control.clearFaults();
        const all = foodsHeld(sandbox, DAY);
        log.push(
          `${step}: m${machineIndex} ${JSON.stringify(foods.map((f) => `${f.name}${f.carbs}`))} fault=${fault} crash=${JSON.stringify(crash)} force=${force} -> ${outcome}: ${all.map((f) => `${String(f['name'])}${String(f['carbs'])}`).join()}`,
        );
        const where = log.slice(-6).join('\n');
        const ours = all.filter((food) => food['source'] !== 'manual');
        for (const one of names) {
          expect(
            ours.filter((food) => food['name'] === one).length,
            `${one} doubled\n${where}`,
          ).toBeLessThanOrEqual(1);
        }
        // A ledger cannot know what another machine changed since.
        if (outcome === 'pushed' || (outcome === 'skipped' && machineIndex === lastMachine)) {
          const said = JSON.stringify(item?.warnings);
          for (const food of foods) {
            // What another machine changed is left as it is, and the outcome says so.
            if (said.includes(`in the platform, so left`) && said.includes(`${food.name}, `))
              continue;
            expect(
              ours.filter((other) => other['name'] === food.name).map((other) => other['carbs']),
              `${food.name} lost\n${where}`,
            ).toEqual([food.carbs]);
          }
        }
        if (outcome !== 'skipped') lastMachine = machineIndex;
        if (outcome === 'conflict') {
          for (const food of foods) {
            expect(
              ours.some((other) => other['name'] === food.name),
              `${food.name} lost\n${where}`,
            ).toBe(true);
          }
        }
        if (revision !== '2026-02')
          expect(all.filter((food) => food['source'] === 'manual')).toHaveLength(1);
      }
    },
  );
});
