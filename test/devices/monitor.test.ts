import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DeviceMonitor } from '../../src/devices/monitor.ts';
import { mountsIn } from '../../src/devices/places.ts';
import type { Device, FoundDevices } from '../../src/devices/types.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { useBuild } from '../support/build.ts';
import { testContext } from '../support/context.ts';
import { NEVER_MS, until } from '../support/until.ts';

const program = useBuild({ 'device-monitor': 'src/devices/monitor-child.ts' });

/** Every folder in `media` with a file `device` counts as one. */
function devicesIn(media: string): FoundDevices {
  const roots = readdirSync(media).map((name) => join(media, name));
  const devices = roots
    .filter((root) => existsSync(join(root, 'device')))
    .map((root): Device => ({
      ...{ key: `serial:garmin:${readFileSync(join(root, 'device'), 'utf8')}`, kind: 'device' },
      ...{ title: 'Garmin', maker: 'garmin', root, recordings: [root], wellness: [] },
      access: 'disk',
    }));
  return { devices, silent: [] };
}

async function monitorOf(
  media: string,
  options: Partial<Parameters<typeof DeviceMonitor.start>[1]> = {},
) {
  const monitor = await DeviceMonitor.start(testContext(), {
    places: {
      ...{ platform: process.platform, env: process.env, homeDir: '', apps: false },
      ...{ mounts: mountsIn(media), childPath: '' },
    },
    childPath: program('device-monitor'),
    find: () => Promise.resolve(devicesIn(media)),
    ...options,
  });
  onTestFinished(() => monitor.close());
  return monitor;
}

it('keeps a device if its mount, or a folder above it, does not answer, but no device beside it', async () => {
  const media = scratchDir();
  const device = (root: string, key: string): Device => ({
    ...{ key, kind: 'device', title: 'Garmin', maker: 'garmin', root: join(media, root) },
    ...{ recordings: [join(media, root)], wellness: [], access: 'disk' },
  });
  const [card, storage, gone] = [
    device('GARMIN/Card', 'card'),
    device('mtp:host=Edge/Internal Storage', 'storage'),
    device('GARMIN/Car', 'gone'),
  ];
  let looks = 0;
  const monitor = await monitorOf(media, {
    find: () =>
      Promise.resolve(
        looks++ === 0
          ? { devices: [card, storage, gone], silent: [] }
          : {
              devices: [],
              silent: [join(media, 'GARMIN/Card/Garmin'), join(media, 'mtp:host=Edge')],
            },
      ),
  });
  await until(() => looks > 1 && monitor.devices.length < 3);
  expect(keysOf(monitor)).toEqual(['card', 'storage']);
});

it('reports a device that came back before the next look, if its folder was seen to disappear', async () => {
  const media = scratchDir();
  mkdirSync(join(media, 'a'));
  writeFileSync(join(media, 'a', 'device'), '1');
  const monitor = await monitorOf(media);
  const [device] = monitor.devices;
  const changes: string[][] = [];
  monitor.listen((devices) => changes.push(devices.map(({ key }) => key)));
  monitor.lost(device as Device);
  expect([keysOf(monitor), changes]).toEqual([[], []]);
  await until(() => changes.length === 1);
  expect(changes).toEqual([['serial:garmin:1']]);
});

it('does not report a device again that a search saw before its folder was seen to disappear', async () => {
  const media = scratchDir();
  mkdirSync(join(media, 'a'));
  writeFileSync(join(media, 'a', 'device'), '1');
  const found = devicesIn(media);
  let answer: (found: FoundDevices) => void = () => undefined;
  const answers = [found, new Promise<FoundDevices>((resolve) => (answer = resolve))];
  let searches = 0;
  const monitor = await monitorOf(media, {
    find: async () => await (answers[searches++] ?? { devices: [], silent: [] }),
  });
  const changes: string[][] = [];
  monitor.listen((devices) => changes.push(devices.map(({ key }) => key)));
  await until(() => searches === 2);
  monitor.lost(found.devices[0] as Device);
  answer(found);
  await until(() => searches > 2);
  expect(changes).toEqual([]);
});

it('says which devices over MTP it knows, so that their files are not opened again', async () => {
  const root = '/run/user/1000/gvfs/mtp:host=Edge/Storage';
  const mtp: Device = {
    ...{ key: 'serial:garmin:1', kind: 'device', title: 'Garmin', maker: 'garmin', root },
    ...{ recordings: [root], wellness: [], access: 'mtp' },
  };
  const disk: Device = { ...mtp, key: 'serial:garmin:2', root: '/media/GARMIN', access: 'disk' };
  const known: (readonly Device[] | undefined)[] = [];
  await monitorOf(scratchDir(), {
    find(places) {
      known.push(places.known);
      return Promise.resolve({ devices: [mtp, disk], silent: [] });
    },
  });
  await until(() => known.length > 1);
  expect(known.slice(0, 2)).toEqual([[], [mtp]]);
});

const keysOf = ({ devices }: DeviceMonitor) => devices.map(({ key }) => key);

it('notices devices that are plugged in and unplugged, several at once', async () => {
  const media = scratchDir();
  const monitor = await monitorOf(media);
  const changes: number[] = [];
  monitor.listen((devices) => changes.push(devices.length));
  expect(keysOf(monitor)).toEqual([]);
  for (const name of ['a', 'b']) {
    mkdirSync(join(media, name));
    writeFileSync(join(media, name, 'device'), name);
  }
  await until(() => monitor.devices.length === 2);
  expect(keysOf(monitor).sort()).toEqual(['serial:garmin:a', 'serial:garmin:b']);
  execFileSync('rm', ['-r', join(media, 'a')]);
  await until(() => monitor.devices.length === 1);
  expect(keysOf(monitor)).toEqual(['serial:garmin:b']);
  expect(changes.at(-1)).toBe(1);
});

it('searches at once when the system has made a file for a device, although its mount has no event', async () => {
  const [media, usb] = [scratchDir(), scratchDir()];
  mkdirSync(join(usb, '001'));
  let looks = 0;
  const find = () => {
    looks++;
    return Promise.resolve<FoundDevices>({ devices: [], silent: [] });
  };
  // No poll comes in the time of the test.
  await monitorOf(media, { plugs: [usb], find, pollMs: 10 * NEVER_MS });
  // The child is ready then. Without a change, there is one more look a minute.
  await until(() => looks >= 2);
  writeFileSync(join(usb, '001', '004'), '');
  await until(() => looks > 5);
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

it.skipIf(!isRoot)('notices a device mounted over a folder, without an event', async () => {
  const media = scratchDir();
  const disk = scratchDir();
  const point = join(media, 'GARMIN');
  mkdirSync(point);
  writeFileSync(join(disk, 'device'), '42');
  const monitor = await monitorOf(media, { pollMs: 500 });
  // Without events nothing but a poll can show it: the child knows the empty folder first.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  execFileSync('mount', ['--bind', disk, point]);
  onTestFinished(() => void execFileSync('umount', ['-l', point]));
  await until(() => monitor.devices.length === 1);
  expect(keysOf(monitor)).toEqual(['serial:garmin:42']);
});

it('replaces a child that hangs, and ends it', async () => {
  const media = scratchDir();
  const started = join(scratchDir(), 'started');
  const child = join(scratchDir(), 'child.cjs');
  // The first one says nothing and never ends; the second one notices a change.
  writeFileSync(
    child,
    `const { appendFileSync, readFileSync } = require('node:fs');
     appendFileSync(${JSON.stringify(started)}, process.pid + '\\n');
     const starts = readFileSync(${JSON.stringify(started)}, 'utf8').trim().split('\\n').length;
     if (starts === 1) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     process.on('disconnect', () => process.exit());
     setInterval(() => process.send('alive'), 100);
     setTimeout(() => process.send('changed'), 100);`,
  );
  const monitor = await monitorOf(media, { childPath: child, pollMs: 500 });
  mkdirSync(join(media, 'a'));
  writeFileSync(join(media, 'a', 'device'), 'a');
  await until(() => monitor.devices.length === 1);
  const [first] = readFileSync(started, 'utf8').trim().split('\n');
  expect(() => process.kill(Number(first), 0)).toThrow('ESRCH');
});
