import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeEdge } from '../support/device.ts';
import { NEVER_MS } from '../support/until.ts';
import { type Run, ndjson } from '../support/program.ts';
import {
  anotherRecording,
  events,
  openWorld,
  put,
  ready,
  sha256,
  stop,
  until,
  world,
} from '../watch/support.ts';

/** Stands for `/media/USER`. */
let media: string;
/** Where devices are while they are unplugged. */
let drawer: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  await openWorld();
  media = join(world.home.dir, 'media');
  drawer = join(world.home.dir, 'drawer');
  mkdirSync(media);
  mkdirSync(drawer);
  env = { SYNC_DEVICE_FOLDERS: media };
});

const watchDevices = (...args: readonly string[]) =>
  world.startHere(['watch', '--devices', '--json', ...args], { env });
const once = () => world.sync(['watch', '--devices', '--once', '--json'], { env });
const devicesOf = (watcher: Run) => events(watcher, 'device');
const rides = (count: number) => Array.from({ length: count }, () => anotherRecording());
const counts = () => world.recordings().map(({ receivedCount }) => receivedCount);

const KEY = 'serial:garmin:3412345678';

/** Makes an Edge 840 with this serial number in the drawer. @returns its two places */
function edge(serial: string, recordings: readonly Uint8Array[]) {
  const away = join(drawer, serial);
  const here = join(media, `GARMIN-${serial}`);
  makeEdge(away, serial, recordings);
  return {
    here,
    plugIn: (at = here) => renameSync(away, at),
    unplug: (from = here) => renameSync(from, away),
  };
}

/** Recordings on a device that leaves while it is read. */
const MANY = 50;

describe('sync watch --devices', () => {
  it('sends the recordings of several devices that are plugged in while it runs', async () => {
    const all = rides(4);
    const one = edge('3412345678', all.slice(0, 2));
    const other = edge('3499999999', all.slice(2));
    const watcher = await ready(watchDevices('--poll', '1'));
    expect(events(watcher, 'started')).toMatchObject([{ folders: [], devices: true }]);
    one.plugIn();
    other.plugIn();
    await until(() => world.recordings().length === all.length);
    const late = anotherRecording();
    put(join(other.here, 'Garmin/Activity/late.fit'), late);
    await until(() => world.recordings().length === all.length + 1);
    await stop(watcher);
    expect(world.hashes()).toEqual([...all, late].map(sha256).sort());
    expect(devicesOf(watcher).find(({ device }) => device === KEY)).toEqual({
      ...{ type: 'watch', event: 'device', device: KEY, title: 'Garmin Edge 840' },
      ...{ state: 'plugged-in', root: one.here, at: expect.any(String) as string },
    });
    expect(devicesOf(watcher)).toHaveLength(2);
    expect(counts()).toEqual(counts().map(() => 1));
  });

  it('leaves a device alone that ignoreDevices names, and says so once', async () => {
    const [own, foreign] = [rides(1), rides(1)];
    await world.sync(['config', 'set', 'ignoreDevices', 'Wahoo ELEMNT, 3499999999']);
    const theirs = edge('3499999999', foreign);
    theirs.plugIn();
    put(join(theirs.here, 'Garmin/Monitor/M1.fit'), 'wellness');
    edge('3412345678', own).plugIn();
    const { stdout, stderr } = await once();
    expect(stderr).not.toContain('also records wellness');
    expect(world.hashes()).toEqual(own.map(sha256));
    expect(ndjson(stdout).filter(({ event }) => event === 'device-ignored')).toMatchObject([
      { device: 'serial:garmin:3499999999', title: 'Garmin Edge 840', root: theirs.here },
    ]);
    const text = await world.sync(['watch', '--once', '--devices'], { env });
    expect(text.code).toBe(0);
    expect(text.stdout).toContain(
      'Garmin Edge 840 is plugged in. sync ignores it, because the setting ignoreDevices names it.',
    );
    expect(counts()).toEqual([1]);
  });

  it('reports the recordings left on a device, and sends them from its next mount point', async () => {
    const recordings = rides(MANY);
    const device = edge('3412345678', recordings);
    device.plugIn();
    world.sandbox.control.addFaults('upload-fit:delay=4s*2');
    const watcher = await watchDevices();
    // It runs in this process: hardly a file more is read before the device leaves.
    await watcher.waitFor(/"kept"[^]*"kept"/);
    device.unplug();
    await until(() => devicesOf(watcher).length === 2);
    const [, away] = devicesOf(watcher);
    const kept = new Set(events(watcher, 'kept').map(({ path }) => path)).size;
    const left = recordings.length - kept;
    expect(away).toMatchObject({ device: KEY, title: 'Garmin Edge 840', state: 'away', left });
    expect(left).toBeGreaterThan(0);
    expect(events(watcher, 'unfinished')).toEqual([]);
    expect(watcher.stdout()).not.toContain('disappeared');
    const said = `${left} recordings are still on the Garmin Edge 840: plug it in again.`;
    // The watcher writes its state after the notice.
    await vi.waitUntil(async () => {
      const { stdout } = await world.sync(['status'], { env });
      expect(stdout).toContain('any known device');
      return stdout.replace(/\s+/g, ' ').includes(said);
    }, NEVER_MS);

    await until(() => world.recordings().length === kept);
    // It is known after a restart, too.
    await stop(watcher);
    const next = await ready(watchDevices());
    expect(JSON.parse((await world.sync(['status', '--json'], { env })).stdout)).toMatchObject({
      watching: [
        { folders: [], devices: [{ key: KEY, title: 'Garmin Edge 840', state: 'away', left }] },
      ],
    });

    const elsewhere = join(media, 'GARMIN1');
    device.plugIn(elsewhere);
    await until(() => world.recordings().length === recordings.length);
    await stop(next);
    expect(devicesOf(next)).toMatchObject([{ state: 'plugged-in', root: elsewhere }]);
    expect(world.hashes()).toEqual(recordings.map(sha256).sort());
    expect(counts()).toEqual(recordings.map(() => 1));
  });

  it('sends with --new-only recordings since its first start, also of a device that was away', async () => {
    const device = edge('3412345678', rides(2));
    const watcher = await ready(watchDevices('--new-only'));
    const ride = anotherRecording();
    put(join(drawer, '3412345678/Garmin/Activity/new.fit'), ride);
    device.plugIn();
    await until(() => world.recordings().length === 1);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(ride)]);
    device.unplug();
    // Old files stay old under another name.
    const elsewhere = join(media, 'GARMIN1');
    device.plugIn(elsewhere);
    const again = await ready(watchDevices('--new-only', '--poll', '1'));
    const next = anotherRecording();
    put(join(elsewhere, 'Garmin/Activity/next.fit'), next);
    await until(() => world.recordings().length === 2);
    await stop(again);
    expect(world.hashes()).toEqual([ride, next].map(sha256).sort());
  });

  it('is refused while another process watches devices for the same athlete, with its process', async () => {
    const watcher = await ready(world.start(['watch', '--devices', '--json'], { env }));
    const again = await (await watchDevices()).finished;
    expect(again.code).toBe(2);
    expect(again.stdout + again.stderr).toContain(
      `Already watched by process ${String(watcher.child.pid)}`,
    );
    expect(await once()).toMatchObject({ code: 2, stdout: /any known device/ });
    await stop(watcher);
  });

  it('leaves a device alone if another process watches its folder, and reports that once', async () => {
    const device = edge('3412345678', rides(1));
    device.plugIn();
    const owner = world.start(['watch', join(device.here, 'Garmin/Activity'), '--json'], { env });
    await until(() => world.recordings().length === 1);
    const watcher = await ready(watchDevices());
    await until(() => events(watcher, 'problem').length === 1);
    expect(events(watcher, 'problem')).toMatchObject([
      { path: device.here, message: expect.stringContaining(String(owner.child.pid)) as string },
    ]);
    expect(devicesOf(watcher)).toEqual([]);
    await stop(watcher);
    await stop(owner);
    expect(counts()).toEqual([1]);
  });
});

describe('sync watch --once --devices', () => {
  it('sends the recordings of all devices that are plugged in now', async () => {
    const recordings = rides(2);
    edge('3412345678', recordings).plugIn();
    edge('3499999999', rides(1));
    expect(await once()).toMatchObject({ code: 0, stdout: /"uploaded":2/ });
    expect(world.hashes()).toEqual(recordings.map(sha256).sort());
    expect(await once()).toMatchObject({ code: 0, stdout: /"uploaded":0/ });
    expect(counts()).toEqual([1, 1]);
  });

  it('succeeds if no device is plugged in', async () => {
    expect(await once()).toMatchObject({ code: 0, stdout: /"total":0/ });
  });
});

describe('sync watch without a folder', () => {
  it('fails without a terminal, and names the commands to type', async () => {
    const { code, stderr } = await world.sync(['watch'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('sync watch --devices');
    expect(stderr).toContain('sync watch DIR');
  });

  it('watches what the setting names', async () => {
    edge('3412345678', rides(1)).plugIn();
    put(join(world.folder, 'ride.fit'), anotherRecording());
    await world.sync(['config', 'set', 'watch', `devices, ${world.folder}`]);
    const watcher = await world.startHere(['watch', '--json'], { env });
    await until(() => world.recordings().length === 2);
    await stop(watcher);
    expect(events(watcher, 'started')).toMatchObject([{ folders: [world.folder], devices: true }]);
  });
});

it('sync watch --devices --daemon is called "any known device" by daemon status and daemon stop', async () => {
  const device = edge('3412345678', rides(1));
  device.plugIn();
  const sync = (...args: readonly string[]) => world.sync(args, { env });
  const daemon = ['watch', '--devices', '--daemon'];
  const started = await sync(...daemon);
  expect(started.stdout).toContain('Watching any known device in the background');
  await until(() => world.recordings().length === 1);
  const status = await sync('daemon', 'status');
  expect(status.stdout).toMatch(/^any known device\n {2}Running/);
  expect(status.stdout.replace(/\s+/g, ' ')).toContain(
    `Garmin Edge 840 is plugged in: ${device.here}`,
  );
  const again = await sync(...daemon);
  expect([again.code, again.stderr]).toEqual([2, /any known device/]);
  const stopped = await sync('daemon', 'stop', '--devices', '--json');
  expect(stopped.stdout).toContain('"outcome":"stopped"');
  expect(stopped.stdout).toContain('"devices":true');
});
