import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SyncError } from '../../src/errors.ts';
import { recordLedger } from '../../src/ledger/records.ts';
import {
  type DeliveryOptions,
  type RecordItem,
  deliverRecords,
} from '../../src/records/deliver.ts';
import { canonicalJson, sha256 } from '../../src/records/digest.ts';
import type { RecordKind } from '../../src/records/types.ts';
import type { SandboxSettings } from '../../src/sandbox/settings.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import type { Clock } from '../../src/time.ts';
import { markIn, openIn } from '../ledger/support.ts';
import { clientOf, hastyClock, openSandbox } from '../support/delivery.ts';
import { prepare } from './support.ts';

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
  const dir = mkdtempSync(join(tmpdir(), 'sync-deliver-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const database = openIn(dir);
  const ledger = recordLedger(database, 'athlete:1', markIn(dir), Date.now);
  const { client, asked } = clientOf(sandbox);
  const run = async (kind: RecordKind, values: Values, options: RunOptions = {}) => {
    const { zone, ...others } = options;
    const where = zone === undefined ? {} : { zone: { name: zone, from: 'flag' } as const };
    const { records, invalid } = await prepare(kind, values, where);
    expect(invalid).toEqual([]);
    const items: RecordItem[] = [];
    sandbox.control.clearRequests();
    const { signal = new AbortController().signal, client: other, ...rest } = others;
    let failed: unknown;
    await deliverRecords(
      records,
      {
        force: false,
        dryRun: false,
        jobs: 4,
        nutrition: settings.nutrition === 'append' ? 'append' : 'replace',
        ...rest,
      },
      {
        ledger,
        client: other ?? client,
        url: (of) => new URL(`/api/${of}`, sandbox.url),
        clock: hastyClock,
        signal,
        report: (item) => items.push(item),
      },
    ).catch((error: unknown) => (failed = error));
    const requests = sandbox.control.requests();
    return { items, failed, requests, bodies: requests.map(({ body }) => body) };
  };
  const athlete = () => sandbox.control.state().athletes[0];
  /** What the platform holds: date to item names, sorted. */
  const held = () =>
    Object.fromEntries(
      (athlete()?.nutrition ?? []).map(({ date, record }) => [
        date,
        (record['items'] as { name: string }[]).map(({ name }) => name),
      ]),
    );
  const another = () => recordLedger(database, 'athlete:1', markIn(dir), Date.now);
  return { sandbox, ledger, database, asked, run, athlete, held, another };
}

const gel = (name: string, time = '10:00:00') => ({
  name,
  carbs: 25,
  logged_at: `2026-02-15T${time}+01:00`,
});
const day = (items: unknown[], date = '2026-02-15') => ({ date, items });
const outcomes = (items: readonly RecordItem[]) =>
  Object.fromEntries(
    items.map((item) => [
      item.date,
      'code' in item ? `${item.outcome} ${item.code}` : item.outcome,
    ]),
  );

describe('wellness', () => {
  const DAY = { date: '2026-02-15', hrv: 62.5, restingHr: 48 };

  it('arrives once: the same again is unchanged, without a request or a login', async () => {
    const { run, athlete, asked } = await open();
    const first = await run('wellness', [DAY]);
    expect(first.items).toEqual([
      {
        kind: 'wellness',
        date: '2026-02-15',
        sources: ['in.json#/0'],
        warnings: [],
        zoneUsed: false,
        outcome: 'pushed',
        attempts: 1,
      },
    ]);
    expect(first.bodies).toEqual([DAY]);
    const before = asked();
    const second = await run('wellness', [DAY]);
    expect(second.items).toMatchObject([{ outcome: 'skipped', reason: 'unchanged' }]);
    expect([second.requests, asked()]).toEqual([[], before]);
    expect(athlete()?.wellness).toHaveLength(1);
  });

  it('is sent again when it changed, or by force', async () => {
    const { run } = await open();
    await run('wellness', [DAY]);
    expect((await run('wellness', [{ ...DAY, hrv: 70 }])).bodies).toEqual([{ ...DAY, hrv: 70 }]);
    expect((await run('wellness', [{ ...DAY, hrv: 70 }], { force: true })).requests).toHaveLength(
      1,
    );
    expect((await run('wellness', [{ ...DAY, hrv: 70 }])).requests).toEqual([]);
  });

  it('is repeated after a broken connection: it replaces itself', async () => {
    const { run, sandbox, athlete } = await open();
    sandbox.control.addFaults('wellness:reset-after', 'wellness:500');
    const { items, requests } = await run('wellness', [DAY]);
    expect(items).toMatchObject([{ outcome: 'pushed', attempts: 3 }]);
    expect([requests.length, athlete()?.wellness.length]).toEqual([3, 1]);
  });

  it('that was not delivered is sent by the next run', async () => {
    const { run, sandbox } = await open();
    sandbox.control.addFaults('wellness:503*4');
    const first = await run('wellness', [DAY]);
    expect(first.items).toMatchObject([
      { outcome: 'failed', code: 'SERVICE_UNAVAILABLE', attempts: 4 },
    ]);
    expect(outcomes((await run('wellness', [DAY])).items)).toEqual({ '2026-02-15': 'pushed' });
  });

  it.each([
    ['by a status', 'wellness:400', { status: 400 }],
    ['in a body of success', 'wellness:success-false', {}],
  ])(
    'that the service refuses %s is told, and not believed to be there',
    async (_how, fault, also) => {
      const { run, sandbox } = await open();
      sandbox.control.addFaults(fault);
      const { items } = await run('wellness', [DAY, { ...DAY, date: '2026-02-16' }], { jobs: 1 });
      expect(items[0]).toMatchObject({ outcome: 'rejected', attempts: 1, ...also });
      expect(items[1]).toMatchObject({ outcome: 'pushed' });
      expect(outcomes((await run('wellness', [DAY])).items)).toEqual({ '2026-02-15': 'pushed' });
    },
  );
});

describe('nutrition for a service that replaces a day', () => {
  it('is sent as a whole day, each time that something in it changed', async () => {
    const { run, held } = await open();
    await run('nutrition', [day([gel('a')])]);
    const second = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(second.bodies).toMatchObject([{ items: [{ name: 'a' }, { name: 'b' }] }]);
    await run('nutrition', [day([gel('b', '11:00:00')])]);
    expect(held()).toEqual({ '2026-02-15': ['b'] });
  });

  it('tells of what is lost when a day comes in parts, and before it is with --dry-run', async () => {
    const { run, held } = await open();
    const [breakfast, dinner] = [day([gel('a')]), day([gel('b', '19:00:00')])];
    await run('nutrition', [breakfast]);
    const lost = (items: readonly RecordItem[]) =>
      items.flatMap(({ warnings }) => warnings.map(({ field, message }) => [field, message]));
    const dry = await run('nutrition', [dinner], { dryRun: true });
    expect(lost(dry.items)).toEqual([
      ['items', expect.stringMatching(/^1 item .* would lose .*2026-02-15.* in one command/)],
    ]);
    expect(held()).toEqual({ '2026-02-15': ['a'] });
    const sent = await run('nutrition', [dinner]);
    expect(outcomes(sent.items)).toEqual({ '2026-02-15': 'pushed' });
    expect(lost(sent.items)).toEqual([
      ['items', expect.stringMatching(/^1 item .* no longer has .*2026-02-15.* in one command/)],
    ]);
    // Once: from now on the service's day is this one.
    expect(lost((await run('nutrition', [dinner], { force: true })).items)).toEqual([]);
    const both = await run('nutrition', [breakfast, dinner]);
    expect(lost(both.items).filter(([field]) => field === 'items')).toEqual([]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'b'] });
  });

  it('loses nothing as long as the service does not take the day, and says nothing', async () => {
    const { run, sandbox } = await open();
    await run('nutrition', [day([gel('a')])]);
    sandbox.control.addFaults('nutrition:422');
    const refused = await run('nutrition', [day([gel('b')])]);
    expect(refused.items).toMatchObject([{ outcome: 'rejected', warnings: [] }]);
    const sent = await run('nutrition', [day([gel('b')])]);
    expect(sent.items).toMatchObject([{ outcome: 'pushed', warnings: [{ field: 'items' }] }]);
  });

  it('is repeated after a broken connection', async () => {
    const { run, sandbox, held } = await open();
    sandbox.control.addFaults('nutrition:reset-after*2');
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'pushed', attempts: 3 },
    ]);
    expect(held()).toEqual({ '2026-02-15': ['a'] });
  });
});

describe('nutrition for a service that appends', () => {
  const append = { nutrition: 'append' } as const;

  it('is sent item by item as they are new: nothing is ever there twice', async () => {
    const { run, held } = await open(append);
    await run('nutrition', [day([gel('a')])]);
    const second = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(second.bodies).toMatchObject([{ items: [{ name: 'b' }] }]);
    expect((await run('nutrition', [day([gel('b', '11:00:00'), gel('a')])])).requests).toEqual([]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'b'] });
  });

  it('keeps two equal items of one day as two', async () => {
    const { run, held } = await open(append);
    await run('nutrition', [day([gel('a'), gel('a')])]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'a'] });
    const third = await run('nutrition', [day([gel('a'), gel('a'), gel('a')])]);
    expect(third.bodies).toMatchObject([{ items: [{ name: 'a' }] }]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'a', 'a'] });
  });

  it.each(['reset-after', 'reset', '500', '503', '503(after)', 'html(status=200)', 'truncate'])(
    'is not repeated when nobody knows whether it arrived (%s), until somebody says so',
    async (fault) => {
      const { run, sandbox } = await open(append);
      sandbox.control.addFaults(`nutrition:${fault}`);
      const first = await run('nutrition', [day([gel('a')])]);
      expect(first.items).toMatchObject([{ outcome: 'failed', code: 'FATE_UNKNOWN', attempts: 1 }]);
      expect(first.requests).toHaveLength(1);
      const [item] = first.items;
      expect(item?.outcome === 'failed' && item.hint).toContain('--force');
      // The next run asks nothing and says the same; another day is not held up.
      const second = await run('nutrition', [day([gel('a')]), day([gel('z')], '2026-02-17')]);
      expect(outcomes(second.items)).toEqual({
        '2026-02-15': 'failed FATE_UNKNOWN',
        '2026-02-17': 'pushed',
      });
      expect(second.bodies).toMatchObject([{ date: '2026-02-17' }]);
      const third = await run('nutrition', [day([gel('a')])], { force: true });
      expect(third.items).toMatchObject([{ outcome: 'pushed' }]);
      expect((await run('nutrition', [day([gel('a')])])).requests).toEqual([]);
    },
  );

  it('sends what is new of a day of which something else is unknown', async () => {
    const { run, sandbox, held } = await open(append);
    sandbox.control.addFaults('nutrition:reset-after');
    await run('nutrition', [day([gel('a')])]);
    const second = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(second.bodies).toMatchObject([{ items: [{ name: 'b' }] }]);
    expect(outcomes(second.items)).toEqual({ '2026-02-15': 'failed FATE_UNKNOWN' });
    expect(held()).toEqual({ '2026-02-15': ['a', 'b'] });
  });

  it('is repeated where the service turned it away, and sent by the next run', async () => {
    const { run, sandbox, held } = await open(append);
    sandbox.control.addFaults('nutrition:503(retry-after=1)*2', 'nutrition:429');
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'pushed', attempts: 4 },
    ]);
    sandbox.control.addFaults('nutrition:503(retry-after=1)*4');
    const failed = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(outcomes(failed.items)).toEqual({ '2026-02-15': 'failed SERVICE_UNAVAILABLE' });
    await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    expect(held()).toEqual({ '2026-02-15': ['a', 'b'] });
  });

  it('that was refused is sent again by the next run', async () => {
    const { run, sandbox, held } = await open(append);
    sandbox.control.addFaults('nutrition:422', 'nutrition:success-false');
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'rejected', status: 422 },
    ]);
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'rejected' },
    ]);
    expect((await run('nutrition', [day([gel('a')])])).items).toMatchObject([
      { outcome: 'pushed' },
    ]);
    expect(held()).toEqual({ '2026-02-15': ['a'] });
  });

  it('whose fate was unknown stays so when a try by force surely does not arrive', async () => {
    const { run, sandbox, held } = await open(append);
    sandbox.control.addFaults('nutrition:reset-after');
    await run('nutrition', [day([gel('a')])]);
    sandbox.control.addFaults('nutrition:503(retry-after=1)*4');
    const forced = await run('nutrition', [day([gel('a')])], { force: true });
    expect(outcomes(forced.items)).toEqual({ '2026-02-15': 'failed SERVICE_UNAVAILABLE' });
    // The first try did arrive: to send it again by itself would double it.
    const plain = await run('nutrition', [day([gel('a')])]);
    expect(plain.requests).toEqual([]);
    expect(outcomes(plain.items)).toEqual({ '2026-02-15': 'failed FATE_UNKNOWN' });
    expect(held()).toEqual({ '2026-02-15': ['a'] });
  });

  it('is not thought to have left when the login could not be refreshed for it', async () => {
    const { run, held } = await open(append);
    const unreachable = new SyncError('NETWORK', 'no answer in time', {
      details: { fate: 'not-sent' },
    });
    const unreadable = new SyncError('SERVICE_ANSWER', 'odd answer', {
      details: { fate: 'not-sent' },
    });
    for (const error of [unreachable, unreadable]) {
      const client = { push: () => Promise.reject(error) } as unknown as ServiceClient;
      const { items } = await run('nutrition', [day([gel('a')])], {
        client: () => Promise.resolve(client),
      });
      expect(outcomes(items)).toEqual({ '2026-02-15': `failed ${error.code}` });
    }
    await run('nutrition', [day([gel('a')])]);
    expect(held()).toEqual({ '2026-02-15': ['a'] });
  });

  it('tells of items that are gone from the input and stay at the service', async () => {
    const { run } = await open(append);
    await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])]);
    const { items, requests } = await run('nutrition', [day([gel('b', '11:00:00')])]);
    expect(items).toMatchObject([{ outcome: 'skipped' }]);
    expect(items[0]?.warnings).toMatchObject([
      { field: 'items', message: expect.stringContaining('1 item that') as unknown },
    ]);
    expect(requests).toEqual([]);
  });

  it('of days that an earlier run left open does not stop the days behind them', async () => {
    const { run, sandbox } = await open(append);
    const dates = ['10', '11', '12', '13', '14', '15'].map((number) => `2026-02-${number}`);
    const days = dates.map((date) => day([gel('a')], date));
    sandbox.control.addFaults('nutrition:reset-after*5');
    // One run a day: each of them is unknown from then on.
    for (const one of days.slice(0, 5)) await run('nutrition', [one]);
    sandbox.control.clearFaults();
    const { items } = await run('nutrition', days, { jobs: 1 });
    expect(Object.values(outcomes(items))).toEqual([
      ...Array<string>(5).fill('failed FATE_UNKNOWN'),
      'pushed',
    ]);
    for (const item of items.slice(0, 5)) {
      expect(item.outcome === 'failed' && item.message).toContain(item.date);
    }
  });

  it('says of days that were not tried that the service did not answer, not that they are unknown', async () => {
    const { run, sandbox } = await open(append);
    sandbox.control.addFaults('nutrition:reset*inf');
    const days = ['10', '11', '12', '13', '14'].map((n) => day([gel('a')], `2026-02-${n}`));
    const { items, requests } = await run('nutrition', days, { jobs: 1 });
    expect(requests).toHaveLength(3);
    expect(Object.values(outcomes(items))).toEqual([
      ...Array<string>(3).fill('failed FATE_UNKNOWN'),
      ...Array<string>(2).fill('failed NETWORK'),
    ]);
    sandbox.control.clearFaults();
    const again = await run('nutrition', days);
    expect(Object.values(outcomes(again.items)).filter((one) => one === 'pushed')).toHaveLength(2);
  });
});

describe('a service that appends, and nobody has said so', () => {
  const quiet = { nutrition: 'replace' } as const;
  const said = (items: readonly RecordItem[]) =>
    items.map(({ date, warnings }) => {
      const about = warnings.filter(({ field }) => field === 'items');
      return [date, ...about.map(({ message }) => message)];
    });
  const sentence = (held: number, date: string, sent: number) =>
    `the service has ${held} items for ${date} after ${sent} were sent`;

  it('is noticed by its answer, and the remedy is told once', async () => {
    const { run, sandbox, held, ledger } = await open();
    const dates = ['2026-02-15', '2026-02-16'];
    await run(
      'nutrition',
      dates.map((date) => day([gel('a')], date)),
      quiet,
    );
    sandbox.control.set({ nutrition: 'append' });
    const grown = dates.map((date) => day([gel('a'), gel('b', '11:00:00')], date));
    // Both at once: for the second it cannot be known yet.
    sandbox.control.addFaults('nutrition:delay=100ms*inf');
    const { items } = await run('nutrition', grown, { ...quiet, jobs: 2 });
    expect(said(items)).toEqual([
      [
        expect.any(String),
        expect.stringMatching(/after 2 were sent: .*sync config set nutritionDelivery append/),
      ],
      [expect.any(String), expect.stringMatching(/^the service has 3 items .* after 2 were sent$/)],
    ]);
    expect(held()['2026-02-15']).toEqual(['a', 'a', 'b']);
    // What the service kept is not forgotten.
    const less = await run('nutrition', [day([gel('b', '11:00:00')])], { nutrition: 'append' });
    expect([less.requests, said(less.items)[0]]).toEqual([
      [],
      ['2026-02-15', expect.stringContaining('1 item that was sent before is no longer')],
    ]);
    expect([...ledger.items('2026-02-15').values()]).toEqual(['confirmed', 'confirmed']);
    // With the setting, each item is sent once.
    const more = grown.map(({ date, items: two }) => day([...two, gel('c', '12:00:00')], date));
    const right = await run('nutrition', more, { nutrition: 'append' });
    expect(right.bodies).toMatchObject([{ items: [{ name: 'c' }] }, { items: [{ name: 'c' }] }]);
  });

  it('is not sent a day again, once that is known, unless by force', async () => {
    const { run, sandbox, held } = await open();
    await run('nutrition', [day([gel('a')]), day([gel('a')], '2026-02-16')], quiet);
    sandbox.control.set({ nutrition: 'append' });
    const grown = day([gel('a'), gel('b', '11:00:00')]);
    const first = await run('nutrition', [grown, { ...grown, date: '2026-02-16' }], {
      ...quiet,
      jobs: 1,
    });
    expect(outcomes(first.items)).toEqual({
      '2026-02-15': 'pushed',
      '2026-02-16': 'failed CONFIG',
    });
    const next = [day([gel('c')], '2026-02-16'), day([gel('n')], '2026-02-17')];
    for (const dryRun of [true, false]) {
      const { items } = await run('nutrition', next, { ...quiet, dryRun });
      // A day that the service has nothing of can go.
      expect(outcomes(items)).toEqual({
        '2026-02-16': 'failed CONFIG',
        '2026-02-17': dryRun ? 'would-push' : 'pushed',
      });
      expect(items.find((item) => item.outcome === 'failed')).toMatchObject({
        hint: expect.stringContaining('sync config set nutritionDelivery append') as string,
      });
    }
    expect(held()['2026-02-16']).toEqual(['a']);
    // The service has been mended: one day by force shows it.
    sandbox.control.set({ nutrition: 'replace' });
    await run('nutrition', next, { ...quiet, force: true });
    expect(held()['2026-02-16']).toEqual(['c']);
    const after = await run('nutrition', [day([gel('d')], '2026-02-16')], quiet);
    expect(outcomes(after.items)).toEqual({ '2026-02-16': 'pushed' });
  });

  it('is not suspected where others wrote into a day before', async () => {
    const { run, sandbox, ledger } = await open({ nutrition: 'append' });
    const other = clientOf(sandbox);
    await (
      await other.client()
    ).push('nutrition', day([gel('theirs')]), 'always', new AbortController().signal);
    const { items } = await run('nutrition', [day([gel('a')])], quiet);
    expect(said(items)).toEqual([
      ['2026-02-15', expect.stringContaining(`${sentence(2, '2026-02-15', 1)}: it seems`)],
    ]);
    expect(ledger.appends()).toBe(false);
  });

  it('is not missed where it is what it should be', async () => {
    const { run, ledger } = await open();
    await run('nutrition', [day([gel('a')])], quiet);
    const { items } = await run('nutrition', [day([gel('a'), gel('b', '11:00:00')])], quiet);
    expect(said(items)).toEqual([['2026-02-15']]);
    expect(ledger.appends()).toBe(false);
  });
});

describe('a day that is read again in another zone', () => {
  const append = { nutrition: 'append' } as const;
  const at = (name: string, time: string) => ({ name, carbs: 25, logged_at: time });
  const oats = at('oats', '2026-02-15T08:00:00Z');
  const rice = at('rice', '2026-02-15T12:00:00.250Z');
  const soup = at('soup', '2026-02-15T23:30:00Z');

  /** The keys that the first versions had: of the item as it went out, its offset included. */
  const firstForm = (...items: Record<string, string | number>[]) =>
    items.map((item) => `${sha256(canonicalJson(item))}#1`);

  it('holds the same items: nothing is sent to a service that appends', async () => {
    const { run, held } = await open(append);
    await run('nutrition', [{ items: [oats, rice] }]);
    for (const zone of ['Europe/London', 'America/New_York', 'Asia/Kathmandu']) {
      const again = await run('nutrition', [{ items: [oats, rice] }], { zone });
      expect(again.requests).toEqual([]);
      expect(outcomes(again.items)).toEqual({ '2026-02-15': 'skipped' });
      expect(again.items[0]?.warnings).toEqual([]);
    }
    expect(held()).toEqual({ '2026-02-15': ['oats', 'rice'] });
  });

  it('leaves an item on the day that it was sent for, though it is on another one now', async () => {
    const { run, held } = await open(append);
    const all = [{ items: [oats, rice, soup] }];
    await run('nutrition', all);
    const both = { '2026-02-15': ['oats', 'rice'], '2026-02-16': ['soup'] };
    expect(held()).toEqual(both);
    const away = await run('nutrition', all, { zone: 'America/New_York' });
    expect(away.requests).toEqual([]);
    expect(away.items).toMatchObject([
      {
        date: '2026-02-15',
        outcome: 'skipped',
        warnings: [{ field: 'items', message: expect.stringContaining('1 item that') as string }],
      },
    ]);
    // Back at home all is where it was.
    const home = await run('nutrition', all);
    expect(home.requests).toEqual([]);
    expect(home.items.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(held()).toEqual(both);
  });

  it('is known again when an earlier version wrote the ledger, wherever it was written', async () => {
    const { run, ledger, held } = await open(append);
    const [o, r] = [
      at('oats', '2026-02-15T09:00:00+01:00'),
      at('rice', '2026-02-15T17:45:00.250+05:45'),
    ];
    ledger.confirmItems('2026-02-15', firstForm(o, r), false);
    const dry = await run('nutrition', [{ items: [oats, rice] }], { dryRun: true });
    expect(outcomes(dry.items)).toEqual({ '2026-02-15': 'skipped' });
    expect([...ledger.items('2026-02-15').keys()].sort()).toEqual(firstForm(o, r).sort());
    const first = await run('nutrition', [{ items: [oats, rice, at('new', o.logged_at)] }]);
    expect(first.bodies).toMatchObject([{ items: [{ name: 'new' }] }]);
    expect(held()).toEqual({ '2026-02-15': ['new'] });
    // From now on they have today's keys, and nothing is known twice.
    expect([...ledger.items('2026-02-15').keys()].map((key) => key.split(':')[0])).toEqual(
      Array(3).fill('instant'),
    );
  });

  it('keeps apart what an earlier version knew as two, and what it did not know', async () => {
    const { run, ledger } = await open(append);
    const [digest] = firstForm(gel('a'))[0]?.split('#') ?? [];
    ledger.confirmItems('2026-02-15', [`${digest ?? ''}#1`], false);
    ledger.markSent('2026-02-15', [`${digest ?? ''}#2`]);
    const three = day([gel('a'), gel('a'), gel('a')]);
    const { bodies, items } = await run('nutrition', [three], { zone: 'America/New_York' });
    // One is there, of one nobody knows, one is new.
    expect(bodies).toMatchObject([{ items: [{ name: 'a' }] }]);
    expect(outcomes(items)).toEqual({ '2026-02-15': 'failed FATE_UNKNOWN' });
  });

  it('is not taken for a loss by a service that replaces', async () => {
    const { run, held } = await open();
    const all = [{ items: [oats, rice, soup, at('tea', '2026-02-16T15:00:00Z')] }];
    await run('nutrition', all);
    const away = await run('nutrition', all, { zone: 'America/New_York' });
    expect(away.items.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(held()).toEqual({ '2026-02-15': ['oats', 'rice', 'soup'], '2026-02-16': ['tea'] });
  });
});

describe('many days', () => {
  it('are sent at the same time, each once', async () => {
    const { run, athlete, sandbox } = await open();
    sandbox.control.addFaults('wellness:delay=20ms*inf');
    const days = Array.from({ length: 20 }, (_, i) => ({
      date: `2026-02-${String(i + 1).padStart(2, '0')}`,
      restingHr: 40 + i,
    }));
    const { items, requests } = await run('wellness', days, { jobs: 8 });
    expect(new Set(Object.values(outcomes(items)))).toEqual(new Set(['pushed']));
    expect([items.length, requests.length, athlete()?.wellness.length]).toEqual([20, 20, 20]);
  });

  it('that the service does not answer for are given up after three', async () => {
    const { run, sandbox } = await open();
    sandbox.control.addFaults('wellness:502*inf');
    const days = Array.from({ length: 9 }, (_, i) => ({
      date: `2026-02-0${i + 1}`,
      restingHr: 40,
    }));
    const { items, requests } = await run('wellness', days, { jobs: 1 });
    expect(requests).toHaveLength(3 * 4);
    expect(items.map(({ date }) => date)).toEqual(days.map(({ date }) => date));
    expect(new Set(Object.values(outcomes(items)))).toEqual(
      new Set(['failed SERVICE_UNAVAILABLE']),
    );
  });

  it('end with the login: the rest is told what to do, and nothing more is asked', async () => {
    const { run } = await open();
    let asked = 0;
    const client = () => {
      asked++;
      return Promise.reject(new SyncError('AUTH_EXPIRED', 'The login has ended.'));
    };
    const days = Array.from({ length: 9 }, (_, i) => ({
      date: `2026-02-0${i + 1}`,
      restingHr: 40,
    }));
    const { items, requests } = await run('wellness', days, { client, jobs: 1 });
    expect([asked, requests, items.length]).toEqual([1, [], 9]);
    expect(new Set(Object.values(outcomes(items)))).toEqual(new Set(['failed AUTH_EXPIRED']));
  });
});

it('waits for a day that another process is sending, and believes what that one did', async () => {
  const { run, another } = await open();
  const theirs = another();
  const { records } = await prepare('wellness', [{ date: '2026-02-15', restingHr: 48 }]);
  const digest = records[0]?.digest ?? '';
  expect(theirs.claim('wellness', '2026-02-15', digest, false)).toBe('yours');
  const running = run('wellness', [{ date: '2026-02-15', restingHr: 48 }]);
  setTimeout(() => {
    theirs.confirm('wellness', '2026-02-15', digest);
    theirs.release('wellness', '2026-02-15');
  }, 80);
  const { items, requests } = await running;
  expect([outcomes(items), requests]).toEqual([{ '2026-02-15': 'skipped' }, []]);
});

it('ends with the reason of an interruption, and holds no day afterwards', async () => {
  const { run, sandbox, another } = await open({ nutrition: 'append' });
  sandbox.control.addFaults('nutrition:hang*inf');
  const abort = new AbortController();
  const reason = new SyncError('INTERRUPTED', 'Interrupted.');
  const running = run('nutrition', [day([gel('a')])], { signal: abort.signal });
  await expect.poll(() => sandbox.control.requests().length).toBe(1);
  abort.abort(reason);
  expect((await running).failed).toBe(reason);
  expect(another().claim('nutrition', '2026-02-15', 'x', false)).toBe('yours');
  // It may have arrived.
  expect([...another().items('2026-02-15').values()]).toEqual(['pending']);
});

describe('an interruption before anything of a day was sent', () => {
  const reason = new SyncError('INTERRUPTED', 'Interrupted.');
  const append = { nutrition: 'append' } as const;

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });

  /** Runs a push that is interrupted at some point; then says what the ledger has of the day. */
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
    return [...world.ledger.items('2026-02-15').values()];
  }

  it('while the token is fetched leaves nothing behind: the next run sends the day', async () => {
    const world = await open(append);
    const asked = new EventEmitter();
    const accessToken = (signal: AbortSignal) => {
      asked.emit('now');
      return untilAborted(signal);
    };
    const { client } = clientOf(world.sandbox, {}, { accessToken });
    expect(await interrupted(world, { client }, once(asked, 'now'))).toEqual([]);
    expect(outcomes((await world.run('nutrition', [day([gel('a')])])).items)).toEqual({
      '2026-02-15': 'pushed',
    });
    expect(world.held()).toEqual({ '2026-02-15': ['a'] });
  });

  it('while the connection is not secure yet leaves nothing behind', async () => {
    const world = await open(append);
    // It takes connections, and never says a word.
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { client } = clientOf({ ...world.sandbox, url });
    expect(await interrupted(world, { client }, once(server, 'connection'))).toEqual([]);
  });

  it('while it waits after being turned away leaves nothing behind', async () => {
    const world = await open(append);
    world.sandbox.control.addFaults('nutrition:429*inf');
    const waiting = new EventEmitter();
    const sleep: Clock['sleep'] = async (_ms, signal) => {
      waiting.emit('now');
      await untilAborted(signal ?? new AbortController().signal);
    };
    const { client } = clientOf(world.sandbox, {}, { clock: { ...hastyClock, sleep } });
    expect(await interrupted(world, { client }, once(waiting, 'now'))).toEqual([]);
  });
});

describe('--dry-run', () => {
  it.each(['replace', 'append'] as const)(
    'shows the very bodies that are then sent (%s)',
    async (nutrition) => {
      const { run, sandbox, database } = await open({ nutrition });
      await run('nutrition', [day([gel('a')])]);
      const days = [day([gel('a'), gel('b', '11:00:00')]), day([gel('c')], '2026-02-16')];
      const before = database.prepare('SELECT * FROM records, record_items').all();
      const dry = await run('nutrition', days, { dryRun: true });
      expect(dry.requests).toEqual([]);
      expect(database.prepare('SELECT * FROM records, record_items').all()).toEqual(before);
      const shown = dry.items.map((item) => item.outcome === 'would-push' && item.request);
      const sent = await run('nutrition', days, { jobs: 1 });
      expect(shown).toEqual(
        sent.requests.map(({ method, path, body }) => ({
          method,
          url: `${sandbox.url}${path}`,
          body,
        })),
      );
      const after = await run('nutrition', days, { dryRun: true });
      expect(outcomes(after.items)).toEqual({ '2026-02-15': 'skipped', '2026-02-16': 'skipped' });
    },
  );
});
