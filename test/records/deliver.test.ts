import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import {
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../../src/records/deliver.ts';
import type { RecordKind } from '../../src/records/types.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import type { ServiceClient } from '../../src/api/client.ts';
import type { Clock } from '../../src/base/time.ts';
import { PLATFORM_NAMES } from '../../src/sandbox/settings.ts';
import { markIn, openIn } from '../ledger/support.ts';
import { foodsHeld } from '../support/acceptance.ts';
import { clientOf, hastyClock, openSandbox } from '../support/delivery.ts';
import { testContext } from '../support/context.ts';
import { prepare } from './support.ts';
import { scratchDir } from '../support/scratch-dir.ts';

type Values = readonly Record<string, unknown>[];
interface RunOptions extends Partial<DeliveryOptions> {
  readonly client?: () => Promise<ServiceClient>;
  readonly signal?: AbortSignal;
  /** The athlete's zone; Europe/Berlin if none is named. */
  readonly zone?: string;
}

/** A ledger and a sandbox, and runs over them. */
async function open(settings: Partial<SandboxSettings> = {}) {
  const sandbox = await openSandbox({ settings });
  const dir = scratchDir();
  const database = openIn(dir);
  let ahead = 0;
  const ledger = recordLedger(database, 'athlete:1', markIn(dir), () => Date.now() + ahead);
  const { client, asked } = clientOf(sandbox);
  const run = async (kind: RecordKind, values: Values, options: RunOptions = {}) => {
    const { zone, ...others } = options;
    const where = zone === undefined ? {} : { zone: { name: zone, from: 'flag' } as const };
    const { records, invalid } = await prepare(kind, values, where);
    expect(invalid).toEqual([]);
    const items: RecordItem[] = [];
    sandbox.control.clearRequests();
    const { signal = new AbortController().signal, client: other = client, ...rest } = others;
    let failed: unknown;
    const context = testContext({ clock: hastyClock, signal });
    const how = { force: false, dryRun: false, jobs: 4, ...rest } as const;
    const url = (of: string) => new URL(`/api/${of}`, sandbox.url);
    const report = (item: RecordItem) => items.push(item);
    await deliverRecords(context, records, how, { ledger, client: other, url, report }).catch(
      (error: unknown) => (failed = error),
    );
    const requests = sandbox.control.requests();
    const sent = requests.filter(({ route }) => route === kind);
    return { items, failed, requests, bodies: sent.map(({ body }) => body) };
  };
  const athlete = () => sandbox.control.state().athletes[0];
  const namesOn = (date: string) => foodsHeld(sandbox, date).map(({ name }) => name);
  /** What the platform holds: date to item names, sorted. */
  const held = () =>
    Object.fromEntries(
      (athlete()?.nutrition ?? []).map(({ date }) => [date, namesOn(date).sort()]),
    );
  const another = () => recordLedger(database, 'athlete:1', markIn(dir), Date.now);
  const pass = (ms: number) => void (ahead += ms);
  return { sandbox, ledger, database, client, asked, run, athlete, held, another, pass };
}

const food = (name: string, at: string) => ({ name, carbs: 25, logged_at: at });
const gel = (name: string, time = '10:00:00') => food(name, `2026-02-15T${time}+01:00`);
const day = (items: unknown[], date = '2026-02-15') => ({ date, items });
/** Returns days of February with a gel each. */
const gelDays = (...numbers: number[]) =>
  numbers.map((number) => day([gel('a')], `2026-02-${number}`));
const outcomeOf = (item: RecordItem) =>
  'code' in item ? `${item.outcome} ${item.code}` : item.outcome;
const outcomes = (items: readonly RecordItem[]) =>
  Object.fromEntries(items.map((item) => [item.date, outcomeOf(item)]));

const DAY = { date: '2026-02-15', hrv: 62.5, restingHr: 48 };

/** A platform with rows that lack these fields. */
const without =
  (service: () => Promise<ServiceClient>, names: readonly string[]) =>
  async (): Promise<ServiceClient> => {
    const client = await service();
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    return {
      ...client,
      push: async (...args) => {
        const answer = await client.push(...args);
        const isRow = answer.outcome === 'pushed' && answer.data !== undefined;
        return isRow ? { ...answer, data: { ...answer.data, ...nulls } } : answer;
      },
    };
  };

describe('delivering a wellness day', () => {
  it('sends the day once: the same record later needs no request and no login', async () => {
    const { run, athlete, asked } = await open();
    const first = await run('wellness', [DAY]);
    const about = { kind: 'wellness', date: '2026-02-15', sources: ['in.json#/0'] };
    const pushed = { outcome: 'pushed', attempts: 1, warnings: [], zoneUsed: false };
    expect(first.items).toEqual([{ ...about, ...pushed }]);
    expect(first.bodies).toEqual([DAY]);
    const before = asked();
    const second = await run('wellness', [DAY]);
    expect(second.items).toMatchObject([{ outcome: 'skipped', reason: 'unchanged' }]);
    expect([second.requests, asked()]).toEqual([[], before]);
    expect(athlete()?.wellness).toHaveLength(1);
  });

  it('sends the changed values of a day, and the whole day with --force', async () => {
    const { run } = await open();
    await run('wellness', [DAY]);
    const changed = { ...DAY, hrv: 70 };
    expect((await run('wellness', [changed])).bodies).toEqual([{ date: DAY.date, hrv: 70 }]);
    expect((await run('wellness', [changed], { force: true })).bodies).toEqual([changed]);
    expect((await run('wellness', [changed])).requests).toEqual([]);
  });

  it('retries after a broken connection, because a wellness day replaces itself', async () => {
    const { run, sandbox, athlete } = await open();
    sandbox.control.addFaults('wellness:reset-after', 'wellness:500');
    const { items, requests } = await run('wellness', [DAY]);
    expect(items).toMatchObject([{ outcome: 'pushed', attempts: 3 }]);
    expect([requests.length, athlete()?.wellness.length]).toEqual([3, 1]);
  });

  it('sends an undelivered day in the next run', async () => {
    const { run, sandbox } = await open();
    sandbox.control.addFaults('wellness:503*4');
    const failed = { outcome: 'failed', code: 'SERVICE_UNAVAILABLE', attempts: 4 };
    expect((await run('wellness', [DAY])).items).toMatchObject([failed]);
    expect(outcomes((await run('wellness', [DAY])).items)).toEqual({ '2026-02-15': 'pushed' });
  });

  it.each([
    ['by a status', 'wellness:400', { status: 400 }],
    ['in a body of success', 'wellness:success-false', {}],
  ])('reports a rejection %s, and sends the day in the next run', async (_how, fault, also) => {
    const { run, sandbox, ledger } = await open();
    sandbox.control.addFaults(fault);
    const { items } = await run('wellness', [DAY, { ...DAY, date: '2026-02-16' }], { jobs: 1 });
    const rejected = { outcome: 'rejected', attempts: 1, ...also };
    expect(items).toMatchObject([rejected, { outcome: 'pushed' }]);
    const message = (items[0] as { message?: string }).message;
    expect(ledger.undelivered('wellness')).toEqual([
      { date: '2026-02-15', state: 'rejected', message },
    ]);
    expect(outcomes((await run('wellness', [DAY])).items)).toEqual({ '2026-02-15': 'pushed' });
    expect(ledger.undelivered('wellness')).toEqual([]);
  });

  it.each([
    ['two', ['steps', 'floors']],
    ['no', []],
  ])('names the dropped fields, and is not sent twice: %s fields', async (_how, dropped) => {
    const { run: plain, client: service } = await open();
    const client = without(service, dropped);
    const run = (kind: RecordKind, values: Values) => plain(kind, values, { client });
    const day = { ...DAY, steps: 9000, floors: 3 };
    const { items } = await run('wellness', [day]);
    expect(items).toMatchObject([{ outcome: 'pushed' }]);
    const message = 'the platform took the day without it: it does not know this field';
    const warnings = dropped.map((field) => ({ source: 'in.json#/0', field, message }));
    expect(items[0]?.warnings).toEqual(warnings);
    const again = await run('wellness', [day]);
    expect(again.items).toMatchObject([{ outcome: 'skipped', warnings: [] }]);
    expect(again.bodies).toEqual([]);
    const changed = { ...day, steps: 9001 };
    // The platform keeps what a request lacks.
    expect((await run('wellness', [changed])).bodies).toEqual([
      { date: DAY.date, steps: 9001, ...(dropped.length > 0 ? { floors: 3 } : {}) },
    ]);
  });

  it('is sent again after an update of the platform, which may store fields that it dropped before', async () => {
    const { run, client: service, pass } = await open();
    let client = without(service, ['steps']);
    const days = [15, 16, 17].map((day) => ({ date: `2026-02-${day}`, hrv: 60, steps: 9000 }));
    const again = async () => (await run('wellness', days, { client, jobs: 1 })).bodies;
    await again();
    // A day later, one of them finds out that nothing has changed.
    pass(25 * 3_600_000);
    const lacking = days.map(({ date, steps }) => ({ date, steps }));
    expect(await again()).toEqual(lacking.slice(0, 1));
    expect(await again()).toEqual([]);
    client = service;
    // Any other day shows that the platform has learned the field.
    const next = { date: '2026-02-18', hrv: 60, steps: 9000 };
    expect((await run('wellness', [next])).bodies).toEqual([next]);
    expect(await again()).toEqual(lacking);
    expect(await again()).toEqual([]);
  });

  it('sends no sleepQuality to a day with a sleepScore, unless forced', async () => {
    const { run } = await open({ platform: 'coach-watts' });
    await run('wellness', [{ ...DAY, sleepScore: 82 }]);
    const rated = { ...DAY, sleepQuality: 7 };
    const { items, bodies } = await run('wellness', [rated]);
    expect(bodies).toEqual([]);
    const said = items[0]?.warnings.map(({ field, message }) => `${field}: ${String(message)}`);
    expect(said?.join()).toMatch(/^sleepQuality: not sent, .* in place of the sleepScore/);
  });

  it('says that a sleepScore does not show on a day with a sleepQuality', async () => {
    const { run } = await open({ platform: 'coach-watts' });
    await run('wellness', [{ ...DAY, sleepQuality: 7 }]);
    const { items } = await run('wellness', [{ ...DAY, sleepScore: 82 }]);
    const message = 'the platform shows the sleepQuality that was sent before in its place';
    expect(items).toMatchObject([
      { outcome: 'pushed', warnings: [{ field: 'sleepScore', message }] },
    ]);
  });

  it('names the values that the platform adapted, and counts as delivered', async () => {
    const { run } = await open({ platform: 'coach-watts' });
    const day = { ...DAY, totalCaloriesBurned: 2400.6 };
    const { items } = await run('wellness', [day]);
    const notes = items[0]?.warnings.map(({ field, message }) => [field, message]);
    expect(notes).toContainEqual(['totalCaloriesBurned', 'the platform stored 2401 for 2400.6']);
    expect((await run('wellness', [day])).bodies).toEqual([]);
    const { items: more } = await run('wellness', [{ ...day, mood: 3 }]);
    expect(more).toMatchObject([{ outcome: 'pushed', warnings: [] }]);
  });

  it('ignores rawJson that an earlier push left on the platform', async () => {
    const { run } = await open({ platform: 'coach-watts' });
    await run('wellness', [{ ...DAY, rawJson: { before: 1 } }]);
    const { items } = await run('wellness', [{ ...DAY, rawJson: { after: 2 } }]);
    expect(items).toMatchObject([{ outcome: 'pushed', warnings: [] }]);
  });

  it('is rejected in the third run if the service answers 500, without delaying others', async () => {
    const { run, client } = await open();
    const days: Values = [
      { ...DAY, mood: 3 },
      { ...DAY, date: '2026-02-16' },
    ];
    // The contract allows it, the checks of the input would find it, and the sandbox cannot store it.
    const poisoned = async () => {
      const real = await client();
      const push: ServiceClient['push'] = (kind, body, ...more) =>
        real.push(kind, 'mood' in body ? { ...body, rawJson: { note: '\0' } } : body, ...more);
      return { ...real, push };
    };
    const failed = 'failed SERVICE_UNAVAILABLE';
    for (const expected of [failed, failed, 'rejected']) {
      const { items } = await run('wellness', days, { client: poisoned, force: true });
      expect(outcomes(items)).toEqual({ '2026-02-15': expected, '2026-02-16': 'pushed' });
    }
  });
});

describe('delivering a nutrition day', () => {
  it('records that nothing was sent if refreshing the login failed', async () => {
    const { run, held, ledger } = await open();
    for (const code of ['NETWORK', 'SERVICE_ANSWER'] as const) {
      const details = { delivery: 'not-sent' };
      const fail = () => Promise.reject(new SyncError(code, 'no good answer', { details }));
      const failing = { push: fail, grants: fail, probeNutritionItems: fail };
      const client = () => Promise.resolve(failing as unknown as ServiceClient);
      const { items } = await run('nutrition', [day([gel('a')])], { client });
      expect(outcomes(items)).toEqual({ '2026-02-15': `failed ${code}` });
      expect(ledger.nutrition.dates('open')).toEqual([]);
    }
    await run('nutrition', [day([gel('a')])]);
    expect(held()).toEqual({ '2026-02-15': ['a'] });
  });

  it('retries after a temporary rejection and sends the day in the next run', async () => {
    const { run, sandbox, held } = await open();
    sandbox.control.addFaults('nutrition:503(retry-after=1)*2+1', 'nutrition:429+1');
    // The look takes one request, and sending the day four.
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'pushed', attempts: 4 },
    ]);
    sandbox.control.addFaults('nutrition:503(retry-after=1)*4');
    const failed = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(outcomes(failed.items)).toEqual({ '2026-02-15': 'failed SERVICE_UNAVAILABLE' });
    await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'b'] });
  });

  it('sends the other days if an earlier run left one unfinished', async () => {
    const { run, sandbox, held } = await open();
    const days = gelDays(10, 11, 12, 13, 14, 15);
    // One run a day: each of them is left unfinished.
    for (const one of days.slice(0, 5)) {
      sandbox.control.addFaults('nutrition:504*inf+1');
      await run('nutrition', [one]);
      sandbox.control.clearFaults();
    }
    const { items } = await run('nutrition', days.slice(5));
    expect(new Set(Object.values(outcomes(items)))).toEqual(new Set(['pushed']));
    expect(held()).toEqual(Object.fromEntries(days.map(({ date }) => [date, ['a']])));
  });

  it('reports days without an attempt as failed and sends them in the next run', async () => {
    const { run, sandbox } = await open();
    sandbox.control.addFaults('nutrition:reset*inf');
    const days = gelDays(10, 11, 12, 13, 14);
    const { items, requests } = await run('nutrition', days, { jobs: 1 });
    // After three days without an answer the run ends.
    expect(JSON.stringify(requests)).not.toContain('2026-02-13');
    expect(Object.values(outcomes(items))).toEqual(Array<string>(5).fill('failed NETWORK'));
    sandbox.control.clearFaults();
    const again = await run('nutrition', days);
    expect(Object.values(outcomes(again.items))).toEqual(Array<string>(5).fill('pushed'));
  });
});

describe('a nutrition day that is read again in another zone', () => {
  const oats = food('oats', '2026-02-15T08:00:00Z');
  const rice = food('rice', '2026-02-15T12:00:00.250Z');
  const soup = food('soup', '2026-02-15T23:30:00Z');
  const tea = food('tea', '2026-02-16T15:00:00Z');

  it('sends nothing if the day has the same items', async () => {
    const { run, held } = await open();
    await run('nutrition', [{ items: [oats, rice] }]);
    for (const zone of ['Europe/London', 'America/New_York', 'Asia/Kathmandu']) {
      const again = await run('nutrition', [{ items: [oats, rice] }], { zone });
      expect(again.requests).toEqual([]);
      expect(outcomes(again.items)).toEqual({ '2026-02-15': 'skipped' });
      expect(again.items[0]?.warnings).toEqual([]);
    }
    expect(held()).toEqual({ '2026-02-15': ['oats', 'rice'] });
  });

  it('keeps an item on the day for which it was sent, although its date has changed', async () => {
    const { run, held } = await open({ platform: 'coach-watts' });
    const all = [{ items: [oats, rice, soup] }];
    await run('nutrition', all);
    const both = { '2026-02-15': ['oats', 'rice'], '2026-02-16': ['soup'] };
    expect(held()).toEqual(both);
    const away = await run('nutrition', all, { zone: 'America/New_York' });
    const sends = ({ body }: (typeof away.requests)[number]) =>
      /oats|rice|soup/.test(JSON.stringify(body));
    expect(away.requests.filter(sends)).toEqual([]);
    const message = expect.stringContaining('"soup, ') as string;
    const warnings = [{ field: 'items', message }];
    expect(away.items).toMatchObject([{ date: '2026-02-15', outcome: 'skipped', warnings }]);
    // Back at home all is where it was.
    const home = await run('nutrition', all);
    expect(home.requests).toEqual([]);
    expect(home.items.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(held()).toEqual(both);
  });

  it.each(PLATFORM_NAMES)(
    'leaves an item on its day if both days are sent (%s)',
    async (platform) => {
      const { run, held } = await open({ platform });
      for (const place of [{}, { zone: 'America/New_York' }]) {
        await run('nutrition', [{ items: [oats, rice, soup, tea] }], place);
        expect(held()).toEqual({ '2026-02-15': ['oats', 'rice'], '2026-02-16': ['soup', 'tea'] });
      }
    },
  );
});

describe('delivering many days', () => {
  it('sends the days in parallel, each one once', async () => {
    const { run, athlete, sandbox } = await open();
    sandbox.control.addFaults('wellness:delay=20ms*inf');
    const days = Array.from({ length: 20 }, (_, i) => ({ date: `2026-01-${i + 10}`, hrv: 40 + i }));
    const { items, requests } = await run('wellness', days, { jobs: 8 });
    expect(new Set(Object.values(outcomes(items)))).toEqual(new Set(['pushed']));
    expect([items.length, requests.length, athlete()?.wellness.length]).toEqual([20, 20, 20]);
  });

  it('stops if the login has ended and adds a hint to each remaining day', async () => {
    const { run } = await open();
    const ended = new SyncError('AUTH_EXPIRED', 'The login has ended.');
    const client = vi.fn(() => Promise.reject(ended));
    const days = Array.from({ length: 9 }, (_, i) => ({ ...DAY, date: `2026-02-0${i + 1}` }));
    const { items, requests } = await run('wellness', days, { client, jobs: 1 });
    expect(client).toHaveBeenCalledOnce();
    expect(requests).toEqual([]);
    expect(Object.values(outcomes(items))).toEqual(Array(9).fill('failed AUTH_EXPIRED'));
  });
});

it('waits for a day that another process is sending and reports its outcome', async () => {
  const { run, another } = await open();
  const theirs = another();
  const { records } = await prepare('wellness', [DAY]);
  const digest = records[0]?.digest ?? '';
  expect(theirs.claim('wellness', '2026-02-15', digest, false)).toBe('yours');
  const running = run('wellness', [DAY]);
  setTimeout(() => {
    theirs.confirm('wellness', '2026-02-15', digest);
    theirs.release('wellness', '2026-02-15');
  }, 80);
  const { items, requests } = await running;
  expect([outcomes(items), requests]).toEqual([{ '2026-02-15': 'skipped' }, []]);
});

it('throws the abort reason and releases every day', async () => {
  const { run, sandbox, another } = await open();
  sandbox.control.addFaults('nutrition:hang*inf+1');
  const abort = new AbortController();
  const reason = new SyncError('INTERRUPTED', 'Interrupted.');
  const running = run('nutrition', [day([gel('a')])], { signal: abort.signal });
  await expect.poll(() => sandbox.control.requests().length).toBe(4);
  abort.abort(reason);
  expect((await running).failed).toBe(reason);
  expect(another().claim('nutrition', '2026-02-15', 'x', false)).toBe('yours');
  // The next run finishes it.
  expect(another().nutrition.dates('open')).toEqual(['2026-02-15']);
});

describe('an interruption before the first request of a day', () => {
  const reason = new SyncError('INTERRUPTED', 'Interrupted.');
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  /** Runs a push that is interrupted at some point; the next one sends the day once. */
  async function interrupted(
    world: Awaited<ReturnType<typeof open>>,
    options: RunOptions,
    when: Promise<unknown>,
  ) {
    const abort = new AbortController();
    const running = world.run('nutrition', [day([gel('a')])], { ...options, signal: abort.signal });
    await when;
    abort.abort(reason);
    expect((await running).failed).toMatchObject({ code: 'INTERRUPTED', message: 'Interrupted.' });
    world.sandbox.control.clearFaults();
    const next = await world.run('nutrition', [day([gel('a')])]);
    expect(outcomes(next.items)).toEqual({ '2026-02-15': 'pushed' });
    expect(world.held()).toEqual({ '2026-02-15': ['a'] });
  }

  it('leaves the day to the next run if interrupted while fetching the token', async () => {
    const world = await open();
    const asked = new EventEmitter();
    const accessToken = (signal: AbortSignal) => {
      asked.emit('now');
      return untilAborted(signal);
    };
    const { client } = clientOf(world.sandbox, {}, { accessToken });
    await interrupted(world, { client }, once(asked, 'now'));
  });

  it('leaves the day to the next run if interrupted during the TLS handshake', async () => {
    const world = await open();
    // It takes connections, and never says a word.
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { client } = clientOf({ ...world.sandbox, url });
    await interrupted(world, { client }, once(server, 'connection'));
  });

  it('leaves the day to the next run if interrupted while waiting to retry', async () => {
    const world = await open();
    world.sandbox.control.addFaults('nutrition:429*inf');
    const waiting = new EventEmitter();
    const sleep: Clock['sleep'] = async (_ms, signal) => {
      waiting.emit('now');
      await untilAborted(signal ?? new AbortController().signal);
    };
    const { client } = clientOf(world.sandbox, {}, { clock: { ...hastyClock, sleep } });
    await interrupted(world, { client }, once(waiting, 'now'));
  });
});

it('asks for no login in a nutrition dry run', async () => {
  const { run } = await open();
  const client = vi.fn(() => Promise.reject(new SyncError('AUTH_REQUIRED', 'not logged in')));
  const days = gelDays(10, 11, 12);
  const { items, failed } = await run('nutrition', days, { dryRun: true, jobs: 1, client });
  expect(Object.values(outcomes(items))).toEqual(Array<string>(3).fill('would-push'));
  expect(failed).toBeUndefined();
  expect(client).not.toHaveBeenCalled();
});

it('shows the later wellness bodies with --dry-run and records nothing', async () => {
  const { run, sandbox, database } = await open();
  const days = [1, 2].map((n) => ({ date: `2026-02-0${n}`, restingHr: 40 + n }));
  await run('wellness', days.slice(0, 1));
  const rows = () => database.all('SELECT * FROM records');
  const before = rows();
  const dry = await run('wellness', days, { dryRun: true });
  expect([dry.requests, rows()]).toEqual([[], before]);
  const shown = dry.items.map((item) => item.outcome === 'would-push' && item.request);
  const sent = (await run('wellness', days, { jobs: 1 })).requests.map(
    ({ method, path, body }) => ({ method, url: `${sandbox.url}${path}`, body }),
  );
  expect(shown).toEqual([false, ...sent]);
});
