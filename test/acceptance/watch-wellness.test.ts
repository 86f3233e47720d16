import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type World,
  type WorldOptions,
  openLoggedInWorld,
  openTerminal,
  terminals,
  KINDS,
  play,
} from '../support/acceptance.ts';
import { makeEdge } from '../support/device.ts';
import { type Run, ndjson } from '../support/program.ts';
import { wellnessFile } from '../support/wellness-files.ts';
import { anotherRecording, put, stop, until } from '../watch/support.ts';
import { DatabaseSync } from '../support/sqlite.ts';

/** A world with a device that is mounted at `Garmin` in the home folder. */
async function openDevice(options: WorldOptions & { scopes?: readonly string[] } = {}) {
  const { scopes, ...rest } = options;
  const login = scopes === undefined ? {} : { login: { scopes: [...scopes] as never } };
  const env = { SYNC_TIMEZONE: 'Europe/Berlin' };
  const world = await openLoggedInWorld({ ...rest, ...login, env });
  const root = join(world.home.dir, 'Garmin');
  const folder = join(root, 'Activity');
  mkdirSync(folder, { recursive: true });
  const add = (path: string, bytes: Uint8Array) => {
    const absolute = join(root, path);
    put(absolute, bytes);
    // A file of this second is read again: it may still change.
    const hourAgo = Date.now() / 1000 - 3_600;
    utimesSync(absolute, hourAgo, hourAgo);
    return absolute;
  };
  const bodies = () =>
    world.sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);
  return { world, root, folder, add, bodies };
}

const days = (running: Pick<Run, 'stdout'>) =>
  ndjson(running.stdout())
    .filter(({ type }) => type === 'wellness')
    .map(({ date, outcome }) => `${String(date)} ${String(outcome)}`);

const watch = (world: World, folder: string, ...args: string[]) =>
  world.startHere(['watch', folder, '--wellness', '--json', ...args]);

const FEB14 = wellnessFile({ restingHr: { '2026-02-14T07:00:00': 78, '2026-02-14T22:00:00': 52 } });
const SENT14 = { date: '2026-02-14', restingHr: 52 };

describe.each(KINDS)('sync watch --wellness on %s', (platform) => {
  play(platform);
  /** Only Coach Watts is known to keep what a request lacks. */
  const withEarlier = (earlier: object, day: object) =>
    platform === 'interface' ? { ...earlier, ...day } : day;

  it('sends each day once, also over restarts, and before and after sync push', async () => {
    const { world, root, folder, add, bodies } = await openDevice();
    const pushed = await world.sync(['push', 'wellness', add('Monitor/1.FIT', FEB14)]);
    expect([pushed.code, bodies()]).toEqual([0, [SENT14]]);
    add('HRVStatus/2.FIT', wellnessFile({ hrv: { '2026-02-15T06:50:00': 66.5 } }));
    add('Activity/ride.fit', anotherRecording());

    const first = await watch(world, folder);
    await until(() => days(first).length === 1);
    expect(await stop(first)).toBe(0);
    expect(ndjson(first.stdout()).slice(-2)).toMatchObject([
      { event: 'stopped', uploaded: 1, days: 1 },
      { type: 'summary' },
    ]);

    add('Metrics/3.FIT', wellnessFile({ vo2max: { '2026-02-15T18:00:00': 52.3 } }));
    const second = await watch(world, folder);
    await until(() => days(second).length === 1);
    await stop(second);
    const once = await world.sync(['watch', '--once', '--wellness', root]);
    expect(once.stdout).not.toContain('2026-02');
    const files = ['Monitor/1.FIT', 'HRVStatus/2.FIT', 'Metrics/3.FIT'].map((path) =>
      join(root, path),
    );
    const after = await world.sync(['push', 'wellness', ...files]);
    expect(after.stdout).toContain('wellness: 2 unchanged.');
    expect(bodies()).toEqual([
      SENT14,
      { date: '2026-02-15', hrv: 66.5 },
      withEarlier({ hrv: 66.5 }, { date: '2026-02-15', vo2max: 52.3 }),
    ]);
  });

  it('sends the days of a device that left before a watcher was killed', async () => {
    const { world, root, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    world.sandbox.control.addFaults('wellness:hang*1');
    const killed = world.start(['watch', folder, '--wellness', '--json']);
    // It has read the file, and has sent the day; no answer came.
    await until(() => bodies().length === 1);
    killed.child.kill('SIGKILL');
    await killed.finished;
    rmSync(root, { recursive: true });
    const next = await watch(world, folder);
    await until(() => days(next).length === 1);
    await stop(next);
    const third = await watch(world, folder);
    await third.waitFor(/"event":"folder"/);
    await stop(third);
    expect([bodies(), days(third)]).toEqual([[SENT14, SENT14], []]);
  });

  it('lets sync explain say which wellness of a file was sent', async () => {
    const { world, folder, add } = await openDevice();
    const [one, two] = [add('Monitor/1.FIT', FEB14), add('two.fit', FEB14)];
    const hint = (path: string) => `\`sync push wellness ${path}\` sends its wellness.`;
    const explain = async (path: string) => (await world.sync(['explain', path])).stdout;
    expect(await explain(one)).toContain(hint(one));
    await world.sync(['watch', '--once', '--wellness', folder]);
    expect(await explain(one)).toContain(' Its wellness was sent: 2026-02-14.');
    expect(await explain(one)).not.toContain('push wellness');
    expect(await explain(two)).toContain(hint(two));
  });

  it('leaves a field as another source sent it', async () => {
    const { world, folder, add, bodies } = await openDevice();
    const morning = { date: '2026-02-14', restingHr: 48 };
    world.write('morning.json', JSON.stringify(morning));
    await world.sync(['push', 'wellness', 'morning.json']);
    add('Monitor/1.FIT', FEB14);
    add('HRVStatus/2.FIT', wellnessFile({ hrv: { '2026-02-14T06:50:00': 66.5 } }));
    const { stdout, code } = await world.sync(['watch', '--once', '--wellness', folder]);
    expect(code).toBe(0);
    expect(stdout).toContain('2026-02-14: sent HRV 66.5 ms');
    expect(stdout).toContain('restingHr: 48 of json, sent before, counts, and not 52 of fit.');
    const evening = withEarlier(morning, { date: '2026-02-14', hrv: 66.5 });
    expect(bodies()).toEqual([morning, evening]);
  });

  it('does not take back what a later command sent from another source', async () => {
    const { world, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    const once = ['watch', '--once', '--wellness', folder];
    await world.sync(once);
    const corrected = { date: '2026-02-14', restingHr: 48 };
    world.write('morning.json', JSON.stringify(corrected));
    await world.sync(['push', 'wellness', 'morning.json']);
    await world.sync(once);
    expect(bodies()).toEqual([SENT14, corrected]);
    add('Metrics/2.FIT', wellnessFile({ vo2max: { '2026-02-14T18:00:00': 52.3 } }));
    await world.sync(once);
    await world.sync(once);
    const later = withEarlier(corrected, { date: '2026-02-14', vo2max: 52.3 });
    expect(bodies()).toEqual([SENT14, corrected, later]);
  });

  it('shows the days with --dry-run, and records nothing', async () => {
    const { world, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    for (let run = 0; run < 2; run++) {
      expect(await world.lines(['watch', '--dry-run', '--wellness', folder])).toMatchObject([
        { type: 'wellness', outcome: 'would-push', request: { method: 'POST', body: SENT14 } },
        { type: 'summary', days: 1 },
      ]);
    }
    expect(bodies()).toEqual([]);
  });

  it('reports a missing scope once, and sends the rides', async () => {
    const { world, folder, add, bodies } = await openDevice({ scopes: ['workout:write'] });
    add('Monitor/1.FIT', FEB14);
    add('Monitor/2.FIT', wellnessFile({ restingHr: { '2026-02-15T22:00:00': 50 } }));
    add('Activity/ride.fit', anotherRecording());
    const { stdout, code } = await world.sync(['watch', '--once', '--wellness', folder]);
    expect([code, stdout]).toEqual([4, /Cannot send 2 wellness days now: .*health:write/]);
    expect(stdout.match(/health:write/g)?.length).toBeLessThanOrEqual(2);
    expect(stdout).toMatch(/1 file: 1 uploaded/);
    // Two days at once.
    expect(bodies().length).toBeLessThanOrEqual(2);
    expect((await world.sync(['explain', '2026-02-14'])).stdout).toContain(
      'Wellness   The platform has not confirmed it. This login cannot send it: it lacks health:write. Run `sync login --scope',
    );
    const renewed = world.sandbox.control.mint();
    await world.sync(['login', '--with-token'], { input: JSON.stringify(renewed) });
    expect((await world.sync(['explain', '2026-02-14'])).stdout).toContain(
      'Wellness   The platform has not confirmed it. The same `sync push wellness`, `sync import`, `sync watch` or `sync undo wellness` again continues.',
    );
  });

  it('names measurements that it leaves out, once', async () => {
    const { world, root, add, bodies } = await openDevice();
    const odd = add('Monitor/1.FIT', wellnessFile({ restingHr: { '2026-02-13T22:00:00': 253 } }));
    add('Monitor/2.FIT', FEB14);
    const ahead = { '2026-02-14T07:00:00': 72, '2099-02-14T07:00:00': 72 };
    const clock = add('Weight/3.FIT', wellnessFile({ weight: ahead }));
    const named = async (...args: string[]) => {
      const run = await world.sync(['watch', '--once', '--wellness', root, '--json', ...args]);
      expect(run.code).toBe(0);
      const lines = ndjson(run.stdout).filter(({ event }) => event === 'values-left');
      return lines.map(({ message }) => message);
    };
    const expected = [
      `${odd}: restingHr of 2026-02-13 is 253 bpm and not sent: the range is 20 to 220.`,
      `${clock}: a measurement of 2099-02-14 is not sent: the device's clock was wrong.`,
    ];
    expect(await named('--dry-run')).toEqual(expected);
    expect(await named()).toEqual(expected);
    expect(bodies()).toEqual([{ ...SENT14, weight: 72 }]);
    // A file that changed within the last seconds is read again.
    await expect.poll(named, { interval: 300 }).toEqual([]);
  });

  it('is a setting, too', async () => {
    const { world, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    await world.sync(['config', 'set', 'wellness', 'true']);
    expect([(await world.sync(['watch', '--once', folder])).code, bodies()]).toEqual([0, [SENT14]]);
  });

  it('works in the background', async () => {
    const { world, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    expect((await world.sync(['watch', folder, '--daemon', '--wellness'])).code).toBe(0);
    try {
      await until(() => bodies().length === 1);
      const state = async () => (await world.sync(['daemon', 'status'])).stdout;
      await expect.poll(state, { interval: 200 }).toContain('1 wellness day sent since its start.');
    } finally {
      await world.sync(['daemon', 'stop']);
    }
    expect((await world.sync(['daemon', 'logs'])).stdout).toContain(
      '2026-02-14: sent resting heart rate 52 bpm',
    );
  });
});

it('sync watch --devices --wellness sends the days of a device that left while the service failed, wherever it is plugged in', async () => {
  const { world, bodies } = await openDevice();
  const media = join(world.home.dir, 'media');
  const [drawer, here] = [join(world.home.dir, 'drawer'), join(media, 'GARMIN')];
  mkdirSync(media);
  makeEdge(drawer, '3412345678', [anotherRecording()]);
  put(join(drawer, 'Garmin/Monitor/1.FIT'), FEB14);
  const env = { SYNC_DEVICE_FOLDERS: media };
  const start = () => world.startHere(['watch', '--devices', '--wellness', '--json'], { env });
  world.sandbox.control.addFaults('wellness:503*inf');
  const first = await start();
  await first.waitFor(/"event":"ready"/);
  renameSync(drawer, here);
  await first.waitFor(/"event":"days-waiting"/);
  renameSync(here, drawer);
  await first.waitFor(/"state":"away"/);
  await stop(first);
  world.sandbox.control.clearFaults();
  world.sandbox.control.clearRequests();
  const second = await start();
  await until(() => days(second).length === 1);
  renameSync(drawer, join(media, 'GARMIN1'));
  await second.waitFor(/"state":"plugged-in"/);
  const ledger = new DatabaseSync(join(world.home.dir, 'state', 'ledger.db'));
  const files = ledger.prepare('SELECT count(*) AS count FROM wellness_files');
  await until(() => (files.get() as { count: number }).count === 2);
  await stop(second);
  ledger.close();
  expect(bodies()).toEqual([SENT14]);
});

describe('wellness without the option', () => {
  it('is hinted at once, if there is no terminal', async () => {
    const { world, folder, add, bodies } = await openDevice();
    mkdirSync(join(folder, '../Monitor'));
    expect((await world.sync(['watch', '--once', folder])).stderr).toBe('');
    add('Monitor/1.FIT', FEB14);
    const first = await world.sync(['watch', '--once', folder]);
    expect(first.stderr).toContain('sync config set wellness true');
    expect([(await world.sync(['watch', '--once', folder])).stderr, bodies()]).toEqual(['', []]);
  });

  it('is named with --once for the files that no earlier run read', async () => {
    const { world, root, add } = await openDevice();
    const watchOnce = async (...args: string[]) => {
      const { code, stdout } = await world.sync(['watch', '--once', root, ...args]);
      expect(code).toBe(0);
      return /(\d+) files? holds? wellness/.exec(stdout)?.[1];
    };
    add('Monitor/1.FIT', FEB14);
    expect(await watchOnce('--dry-run')).toBe('1');
    expect(await watchOnce()).toBe('1');
    // A file that changed within the last seconds is read again.
    while ((await watchOnce()) !== undefined) await sleep(100);
    add('Metrics/2.FIT', wellnessFile({ vo2max: { '2026-02-14T18:00:00': 52.3 } }));
    expect(await watchOnce()).toBe('1');
  });

  it('sends the days of a wellness folder that is watched itself', async () => {
    const { world, root, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    const run = await world.sync(['watch', '--once', '--wellness', join(root, 'Monitor')]);
    expect([run.code, bodies()]).toEqual([0, [SENT14]]);
    expect(run.stdout).not.toContain('sync push wellness');
  });

  it('names the command for wellness in other folders, which --once --wellness does not read', async () => {
    const { world, root, add, bodies } = await openDevice();
    add('Archive/1.FIT', FEB14);
    const run = await world.sync(['watch', '--once', '--wellness', join(root, 'Archive')]);
    expect([run.code, bodies()]).toEqual([0, []]);
    expect(run.stdout).toContain('1 file holds wellness: `sync push wellness`');
  });

  it('succeeds with --once if a scale has several users, and names the command for one', async () => {
    const { world, folder, add, bodies } = await openDevice();
    add('Monitor/1.FIT', FEB14);
    for (const user of [0, 1]) {
      add(`Weight/${user}.FIT`, wellnessFile({ weight: { '2026-02-14T07:00:00': 72 }, user }));
    }
    const run = await world.sync(['watch', '--once', '--wellness', folder]);
    expect([run.code, bodies()]).toEqual([0, [SENT14]]);
    expect(`${run.stdout}${run.stderr}`).toContain('`sync push wellness --user NUMBER`');
  });

  it('is hinted at once if the device is plugged in later', async () => {
    const { world, root, folder, add } = await openDevice();
    rmSync(root, { recursive: true });
    const running = await world.startHere(['watch', folder]);
    await running.waitFor(/Waiting for/);
    add('Monitor/1.FIT', FEB14);
    mkdirSync(folder);
    await until(() => running.stderr().includes('sync config set wellness true'));
    await stop(running);
  });

  it('is watched on if the hint cannot be remembered', async () => {
    const { world, folder, add } = await openDevice();
    rmSync(join(folder, '..'), { recursive: true });
    const running = await world.startHere(['watch', folder]);
    await running.waitFor(/Waiting for/);
    writeFileSync(join(world.home.env['SYNC_STATE_DIR'] ?? '', 'offers'), '');
    add('Monitor/1.FIT', FEB14);
    mkdirSync(folder);
    await running.waitFor(/offers is not a folder/);
    add('Activity/ride.fit', anotherRecording());
    await until(() => world.sandbox.control.requests({ route: 'upload-fit' }).length === 1);
    expect(await stop(running)).toBe(0);
  });

  it.skipIf(!terminals.present)(
    `is offered once on a terminal, and the answer is remembered${terminals.note}`,
    async () => {
      const { world, folder, add, bodies } = await openDevice();
      add('Monitor/1.FIT', FEB14);
      const asked = openTerminal(world, ['watch', '--once', folder]);
      await asked.waitFor(/Send completed days, too\? \[y\/N\]/);
      asked.type('y\n');
      expect((await asked.finished).code).toBe(0);
      expect(bodies()).toEqual([SENT14]);
      expect((await world.sync(['config', 'get', 'wellness'])).stdout.trim()).toBe('true');
      writeFileSync(join(folder, 'later.fit'), anotherRecording());
      const later = openTerminal(world, ['watch', '--once', folder]);
      expect((await later.finished).stdout).not.toContain('[y/N]');
    },
  );
});
