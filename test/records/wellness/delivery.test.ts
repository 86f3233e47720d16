import { describe, expect, it } from 'vitest';
import { RecordLedger } from '../../../src/ledger/records.ts';
import { type RecordItem, deliverRecords } from '../../../src/records/deliver.ts';
import type { SandboxSettings } from '../../../src/sandbox/settings.ts';
import type { ServiceClient } from '../../../src/api/client.ts';
import { markIn, openIn } from '../../ledger/support.ts';
import { clientOf, hastyClock, openSandbox } from '../../support/delivery.ts';
import { testContext } from '../../support/context.ts';
import { outcomesOf } from '../nutrition/delivery-support.ts';
import { prepare } from '../support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

const DAY = { date: '2026-02-15', hrv: 62.5, restingHr: 48 };

/** A ledger and a sandbox, and pushes of wellness to it. */
async function open(settings: Partial<SandboxSettings> = {}) {
  const sandbox = await openSandbox({ settings });
  const dir = scratchDir();
  const clock = { now: Date.now() };
  const ledger = new RecordLedger(openIn(dir), 'athlete:1', markIn(dir), () => clock.now);
  const { client } = clientOf(sandbox);
  const run = async (
    values: readonly unknown[],
    options: { readonly client?: () => Promise<ServiceClient>; readonly force?: boolean } = {},
  ) => {
    const { records, invalid } = await prepare('wellness', values);
    expect(invalid).toEqual([]);
    const items: RecordItem[] = [];
    sandbox.control.clearRequests();
    await deliverRecords(
      testContext({ clock: hastyClock }),
      records,
      { force: options.force ?? false, dryRun: false, jobs: 1, nutrition: 'auto' },
      {
        ledger,
        client: options.client ?? client,
        url: (of) => new URL(`/api/${of}`, sandbox.url),
        report: (item) => items.push(item),
      },
    );
    const requests = sandbox.control.requests({ route: 'wellness' });
    return { items, bodies: requests.map(({ body }) => body) };
  };
  return { sandbox, client, run, clock };
}

describe('a wellness day', () => {
  it.each([
    ['2026-02', ['steps', 'floors']],
    ['2026-08', []],
  ] as const)(
    'names the fields that the platform dropped, and is not sent twice (%s)',
    async (revision, dropped) => {
      const { run } = await open({ revision });
      const day = { ...DAY, steps: 9000, floors: 3 };
      const { items } = await run([day]);
      expect(items).toMatchObject([{ outcome: 'pushed' }]);
      expect(items[0]?.warnings).toEqual(
        dropped.map((field) => ({
          source: 'in.json#/0',
          field,
          message: 'the platform took the day without it: it does not know this field',
        })),
      );
      const again = await run([day]);
      expect(again.items).toMatchObject([{ outcome: 'skipped', warnings: [] }]);
      expect(again.bodies).toEqual([]);
      const changed = { ...day, steps: 9001 };
      // The platform keeps what a request lacks.
      expect((await run([changed])).bodies).toEqual([
        { date: DAY.date, steps: 9001, ...(dropped.length > 0 ? { floors: 3 } : {}) },
      ]);
    },
  );

  it('is sent again when the platform may know the fields that it dropped', async () => {
    const { run, sandbox, clock } = await open({ revision: '2026-02' });
    const days = [15, 16, 17].map((day) => ({ date: `2026-02-${day}`, hrv: 60, steps: 9000 }));
    await run(days);
    // A day later, one of them finds out that nothing has changed.
    clock.now += 25 * 3_600_000;
    const lacking = days.map(({ date, steps }) => ({ date, steps }));
    expect((await run(days)).bodies).toEqual(lacking.slice(0, 1));
    expect((await run(days)).bodies).toEqual([]);
    sandbox.control.settings({ revision: '2026-08' });
    // Any other day shows that the platform has learned the field.
    const next = { date: '2026-02-18', hrv: 60, steps: 9000 };
    expect((await run([next])).bodies).toEqual([next]);
    expect((await run(days)).bodies).toEqual(lacking);
    expect((await run(days)).bodies).toEqual([]);
  });

  it('names the values that the platform adapted, and counts as delivered', async () => {
    const { run } = await open({ revision: '2026-08' });
    const day = { ...DAY, stress: 45, totalCaloriesBurned: 2400.6 };
    const { items } = await run([day]);
    const notes = items[0]?.warnings.map(({ field, message }) => [field, message]);
    expect(notes).toContainEqual(['stress', 'the platform stored 5 for 45']);
    expect(notes).toContainEqual(['totalCaloriesBurned', 'the platform stored 2401 for 2400.6']);
    expect((await run([day])).bodies).toEqual([]);
    const { items: more } = await run([{ ...day, mood: 30 }]);
    expect(more).toMatchObject([{ outcome: 'pushed', warnings: [] }]);
  });

  it('ignores rawJson that an earlier push left on the platform', async () => {
    const { run } = await open({ revision: '2026-08' });
    await run([{ ...DAY, rawJson: { before: 1 } }]);
    const { items } = await run([{ ...DAY, rawJson: { after: 2 } }]);
    expect(items).toMatchObject([{ outcome: 'pushed', warnings: [] }]);
  });

  it('is rejected in the third run if the service answers 500, without delaying others', async () => {
    const { run, client } = await open();
    // What the checks of the input would find, and the sandbox cannot store.
    const poisoned = async () => {
      const real = await client();
      const push: ServiceClient['push'] = (kind, body, ...more) =>
        real.push(kind, 'mood' in body ? { ...body, comments: 'a\0b' } : body, ...more);
      return { ...real, push };
    };
    for (const expected of [
      'failed SERVICE_UNAVAILABLE',
      'failed SERVICE_UNAVAILABLE',
      'rejected',
    ]) {
      const days = [
        { ...DAY, mood: 3 },
        { ...DAY, date: '2026-02-16' },
      ];
      const { items } = await run(days, { client: poisoned, force: true });
      const outcomes = items.map(({ date }, index) => [date, outcomesOf(items)[index]]);
      expect(Object.fromEntries(outcomes)).toEqual({
        '2026-02-15': expected,
        '2026-02-16': 'pushed',
      });
    }
  });
});
