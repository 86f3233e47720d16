import { expect } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import { recordLedger } from '../../../src/ledger/records.ts';
import {
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../../../src/records/deliver.ts';
import { emptyDay } from '../../../src/records/prepared-record.ts';
import { prepareInputs } from '../../../src/records/prepare.ts';
import type { PreparedRecord, Zone } from '../../../src/records/types.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import type { SandboxSettings } from '../../../src/sandbox/settings.ts';
import type { ServiceClient } from '../../../src/api/client.ts';
import type { Clock } from '../../../src/base/time.ts';
import { markIn, openIn } from '../../ledger/support.ts';
import { foodsHeld } from '../../support/acceptance.ts';
import { testContext } from '../../support/context.ts';
import { clientOf, hastyClock, openSandbox } from '../../support/delivery.ts';
import { BERLIN, chunks } from '../support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';
import type { MintRequest } from '../../../src/sandbox/types.ts';

export const DAY = '2026-02-15';

export type Scopes = NonNullable<MintRequest['scopes']>;
export const WRITE: Scopes = ['nutrition:write', 'profile:read'];
export const READ: Scopes = [...WRITE, 'nutrition:read'];

export interface Food {
  readonly name: string;
  readonly carbs: number;
  readonly at?: string;
}

export const GEL: Food = { name: 'gel', carbs: 25 };
export const BAR: Food = { name: 'bar', carbs: 40, at: '11:00:00' };
export const RICE: Food = { name: 'rice', carbs: 90, at: '19:00:00' };

export const itemOf = ({ name, carbs, at = '10:00:00' }: Food, date = DAY) => ({
  name,
  carbs,
  logged_at: `${date}T${at}+01:00`,
});

/** A nutrition record for {@link DAY}. */
export const day = (...foods: Food[]) => dayOn(DAY, ...foods);
export const dayOn = (date: string, ...foods: Food[]) => ({
  date,
  items: foods.map((food) => itemOf(food, date)),
});

/** The process ends at request `at` (from 0) of a run: before it leaves, or after it was processed. */
export interface Crash {
  readonly at: number;
  readonly after: boolean;
}

type Wrap = (client: ServiceClient) => ServiceClient;

export interface PushOptions extends Partial<DeliveryOptions> {
  readonly signal?: AbortSignal;
  /** Puts something around the client of this run. */
  readonly wrap?: Wrap;
  readonly clock?: Clock;
  /** The athlete's; Europe/Berlin if none is given. */
  readonly zone?: Zone;
  /** Fields with plausible values, however large: `--unit`. */
  readonly sure?: readonly string[];
}

/** Makes a client that fails, like a killed process, at one of the writing requests of a run. */
export function crashing({ at, after }: Crash): Wrap {
  let count = 0;
  const dying = async <T>(request: () => Promise<T>): Promise<T> => {
    const dies = count++ === at;
    if (dies && !after) throw new SyncError('INTERRUPTED', 'killed');
    const answer = await request();
    if (dies) throw new SyncError('INTERRUPTED', 'killed');
    return answer;
  };
  return (client) => ({
    ...client,
    push: (...args) => dying(() => client.push(...args)),
    removeNutritionItem: (...args) => dying(() => client.removeNutritionItem(...args)),
  });
}

/** Opens a computer with a separate ledger. */
function openMachine(client: () => Promise<ServiceClient>, url: string) {
  const dir = scratchDir();
  const ledger = recordLedger(openIn(dir), 'athlete:1', markIn(dir), Date.now);
  /** @param inputs by name; what follows a `#` only tells two inputs of one name apart. */
  const push = async (
    inputs: Readonly<Record<string, unknown>>,
    options: PushOptions = {},
  ): Promise<RecordItem[]> => {
    const { signal = new AbortController().signal, zone = BERLIN.zone, sure = [] } = options;
    const units = new Map(sure.map((field) => [field, { factor: 1 }]));
    const choose = () => Promise.reject(new Error('no source matches'));
    const { records, invalid, unreadable } = await prepareInputs(
      'nutrition',
      Object.entries(inputs).map(([name, value]) => ({
        name: name.replace(/#.*/, ''),
        chunks: chunks(JSON.stringify(value)),
        isStream: name === 'stdin',
      })),
      { ...BERLIN, zone, sources: { list: [], named: false, choose, units } },
      signal,
    );
    expect([invalid, unreadable]).toEqual([[], []]);
    return await deliver(records, options);
  };
  const deliver = async (
    records: readonly PreparedRecord[],
    options: PushOptions,
  ): Promise<RecordItem[]> => {
    const { signal = new AbortController().signal, wrap, clock = hastyClock, ...rest } = options;
    const items: RecordItem[] = [];
    await deliverRecords(
      testContext({ clock, signal }),
      records,
      { force: false, dryRun: false, jobs: 4, ...rest },
      {
        ledger,
        client: wrap === undefined ? client : async () => wrap(await client()),
        url: (of) => new URL(`/api/${of}`, url),
        report: (item) => items.push(item),
      },
    );
    return items;
  };
  const undo = (date: string, options: PushOptions = {}) =>
    deliver([emptyDay(date, [])], { undo: { remember: true }, ...options });
  return { push, undo, ledger };
}

/** Opens a sandbox, and computers that push nutrition to it. */
export async function openNutrition(
  settings: Partial<SandboxSettings> = {},
  { scopes = WRITE }: { readonly scopes?: Scopes } = {},
) {
  const sandbox = await openSandbox({ settings });
  const { client } = clientOf(sandbox, { scopes: [...scopes] });
  const machine = () => openMachine(client, sandbox.url);
  const foods = (date = DAY) => foodsHeld(sandbox, date);
  return {
    sandbox,
    machine,
    ...machine(),
    foods,
    /** `NAME CARBS` of each item at the service, sorted. */
    held: (date = DAY) =>
      foods(date)
        .map((food) => `${String(food['name'])} ${String(food['carbs'])}`)
        .sort(),
    /** The id that the service gave to an item. */
    idOf: (name: string) => foods().find((food) => food['name'] === name)?.id ?? '',
    /** Runs something, and returns the requests that it made: `POST gel 25, bar 40`, `GET`, ... */
    requestsOf: async (run: () => Promise<unknown>): Promise<string[]> => {
      sandbox.control.clearRequests();
      await run();
      return requestTexts(sandbox);
    },
  };
}

function requestTexts({ control }: SandboxServer): string[] {
  return control.requests().map(({ method, route, body, status }) => {
    const answer = status === 200 ? '' : ` -> ${String(status)}`;
    if (route === 'nutrition-list') return `GET${answer}`;
    if (route === 'nutrition-items') return `PATCH${answer}`;
    if (route !== 'nutrition') return `${method} ${String(route)}${answer}`;
    const { items } = body as { items: readonly { name: string; carbs: number }[] };
    const texts = items.map(({ name, carbs }) => `${name} ${carbs}`);
    return `POST ${texts.length === 0 ? 'nothing' : texts.join(', ')}${answer}`;
  });
}

/** Returns the warnings of all days, without the one that a platform replaces days unseen. */
export const notesOf = (items: readonly RecordItem[]): string[] =>
  items
    .flatMap(({ warnings }) => warnings.map(({ message }) => String(message)))
    .filter((note) => !note.startsWith('this platform replaces a day'));

/** The outcome of each day, in the order of the reports. */
export const outcomesOf = (items: readonly RecordItem[]): string[] =>
  items.map((item) => ('code' in item ? `${item.outcome} ${item.code}` : item.outcome));

/** Returns the real clock, moved ahead by this number of days. */
export const daysAhead = (days: number): Clock => ({
  ...hastyClock,
  now: () => hastyClock.now() + days * 86_400_000,
});
