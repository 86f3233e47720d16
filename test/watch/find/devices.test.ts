import { mkdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DeviceHealth } from '../../../src/daemon/health.ts';
import type { Device } from '../../../src/devices/types.ts';
import type { Lock } from '../../../src/system/process-lock.ts';
import type { DeviceSource } from '../../../src/watch/parts.ts';
import { dir, happened, held, start, useFolderReader, useWatchedFolder } from '../in-process.ts';
import { anotherRecording, put, until } from '../support.ts';
import { manualClock } from '../manual-clock.ts';

useWatchedFolder();
const reader = useFolderReader();

/**
 * Devices that a test plugs in and unplugs.
 *
 * @param ignoredDevices titles and serial numbers of devices that the watcher leaves alone
 */
function usbPorts(ignoredDevices: readonly string[] = []) {
  let listener: ((devices: readonly Device[]) => void) | undefined;
  let looks = 0;
  const source: { -readonly [Key in keyof DeviceSource]: DeviceSource[Key] } = {
    devices: [],
    listen(onDevices: (devices: readonly Device[]) => void) {
      listener = onDevices;
      return () => (listener = undefined);
    },
    lost({ key }: Device) {
      source.devices = source.devices.filter((device) => device.key !== key);
      looks += 1;
    },
  };
  const away = new Map<string, DeviceHealth>();
  let locks = 0;
  let released = 0;
  const claim = () => {
    locks += 1;
    const release = () => {
      locks -= 1;
      released += 1;
    };
    return Promise.resolve({ release });
  };
  return {
    access: { source, away, claim, ignoredDevices },
    set(...devices: readonly Device[]) {
      source.devices = devices;
      listener?.(devices);
    },
    looks: () => looks,
    locks: () => locks,
    released: () => released,
  };
}

/** An Edge 840 at this place, with rides that are some minutes old. */
function edgeAt(root: string): Device {
  return {
    ...{ key: 'serial:garmin:3412345678', kind: 'device', title: 'Garmin Edge 840' },
    ...{ maker: 'garmin', root, recordings: [join(root, 'Garmin/Activity')], wellness: [] },
    access: 'disk',
  };
}

function putRides(root: string, count: number): void {
  const minutesAgo = new Date(Date.now() - 600_000);
  for (let i = 0; i < count; i++) {
    const path = join(root, `Garmin/Activity/${i}.fit`);
    put(path, anotherRecording());
    utimesSync(path, minutesAgo, minutesAgo);
  }
}

const text = (notice: unknown) => JSON.stringify(notice);
const media = (name: string) => join(dir, 'media', name);

it.runIf(process.platform === 'linux')(
  'a recording or wellness file of another user on a device is not sent, and reported; in a named folder it is sent',
  async () => {
    const uid = process.getuid?.() ?? 0;
    const [own, foreign, named] = [media('OWN'), media('FOREIGN'), media('NAMED')];
    for (const root of [own, foreign, named]) putRides(root, 1);
    const monitor = join(foreign, 'Garmin/Monitor');
    put(join(monitor, 'day.fit'), anotherRecording());
    const ports = usbPorts();
    const theirs = [uid + 1];
    ports.set(
      { ...edgeAt(own), owners: [0, uid] },
      { ...edgeAt(foreign), key: 'volume:1', owners: theirs, wellness: [monitor] },
      { ...edgeAt(named), key: 'volume:2', owners: theirs },
    );
    const { events } = start({
      folders: [join(named, 'Garmin/Activity')],
      deviceAccess: ports.access,
      remote: reader(),
      wellness: true,
    });
    await until(() => happened(events, 'problem').length === 2 && held().length === 2);
    await until(() => happened(events, 'ready').length === 1);
    const problems = happened(events, 'problem').sort((a, b) => (text(a) < text(b) ? -1 : 1));
    expect(problems).toMatchObject([{ path: join(foreign, 'Garmin/Activity') }, { path: monitor }]);
    for (const problem of problems) expect(text(problem)).toContain(`another user (uid ${uid})`);
    expect(held()).toHaveLength(2);
  },
);

it('old recordings of a device are copied without a bound, since it may be unplugged', async () => {
  const root = media('GARMIN');
  const monthAgo = new Date(Date.now() - 30 * 86_400_000);
  for (let i = 0; i < 18; i++) {
    const path = join(root, `Garmin/Activity/${i}.fit`);
    put(path, anotherRecording({ paddingBytes: 4_000_000 }));
    utimesSync(path, monthAgo, monthAgo);
  }
  const clock = manualClock(Date.now() + 2 * 7 * 86_400_000);
  const ports = usbPorts();
  ports.set(edgeAt(root));
  const options = { clock, deviceAccess: ports.access, remote: reader(), delivers: false };
  const { target } = start(options);
  await until(() => target.outbox.all.length === 18);
});

it('a device at another mount point is the same device: its files are not read again, and its old recordings stay old', async () => {
  const [first, second] = [media('GARMIN'), media('GARMIN1')];
  putRides(first, 3);
  // The ledger remembers no file that changed within the last 2 s.
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const read: string[] = [];
  const ports = usbPorts();
  const { events, watcher } = start({
    folders: [],
    deviceAccess: ports.access,
    pollMs: 200,
    remote: reader(),
    onRead: (path) => read.push(path),
  });
  await until(() => happened(events, 'ready').length === 1);
  ports.set(edgeAt(first));
  await until(() => held().length === 3 && watcher.snapshot.waiting === 0);
  expect(new Set(read)).toEqual(
    new Set([0, 1, 2].map((i) => `serial:garmin:3412345678/Garmin/Activity/${i}.fit`)),
  );
  ports.set();
  await until(() => happened(events, 'device').length === 2);
  renameSync(first, second);
  read.length = 0;
  ports.set(edgeAt(second));
  await until(() => happened(events, 'device').length === 3);
  // The new ride shows that the folder was searched.
  put(join(second, 'Garmin/Activity/new.fit'), anotherRecording());
  await until(() => held().length === 4 && watcher.snapshot.waiting === 0);
  expect(new Set(read)).toEqual(new Set(['serial:garmin:3412345678/Garmin/Activity/new.fit']));
  expect(held().map(({ receivedCount }) => receivedCount)).toEqual([1, 1, 1, 1]);
});

it.each(['garmin edge 840', '3412345678'])(
  'a device that the settings exclude is left alone by its name %s, and reported each time that it is plugged in',
  async (name) => {
    const [root, other, third] = [media('GARMIN'), media('OTHER'), media('CARD')];
    for (const each of [root, other, third]) putRides(each, 1);
    const theirs = { ...edgeAt(root), serial: '3412345678' };
    const mine = { ...edgeAt(other), key: 'serial:garmin:1', title: 'Garmin Fenix 7' };
    const card = { ...edgeAt(third), key: 'volume:1', title: 'Card' };
    const ports = usbPorts([name]);
    const { events } = start({ folders: [], deviceAccess: ports.access, remote: reader() });
    await until(() => happened(events, 'ready').length === 1);
    ports.set(theirs);
    await until(() => happened(events, 'device-ignored').length === 1);
    ports.set(theirs, mine);
    await until(() => held().length === 1);
    // The first two are still there: nothing is claimed or reported again.
    ports.set(theirs, mine, card);
    await until(() => held().length === 2);
    ports.set();
    await until(() => happened(events, 'device').length === 4);
    ports.set(theirs);
    await until(() => happened(events, 'device-ignored').length === 2);
    const { key, title } = theirs;
    const said = { event: 'device-ignored', device: key, title, root };
    expect(happened(events, 'device-ignored')).toEqual([said, said]);
    expect(happened(events, 'device')).toMatchObject([
      { device: mine.key, state: 'plugged-in' },
      { device: card.key, state: 'plugged-in' },
      { device: mine.key, state: 'away' },
      { device: card.key, state: 'away' },
    ]);
    expect([held().length, ports.locks()]).toEqual([2, 0]);
  },
);

it('a device whose folder disappears before the monitor notices counts as unplugged, is looked for again, and its lock is free', async () => {
  const root = media('GARMIN');
  putRides(root, 1);
  const ports = usbPorts();
  const { events, watcher } = start({
    folders: [],
    deviceAccess: ports.access,
    pollMs: 200,
    remote: reader(),
  });
  await until(() => happened(events, 'ready').length === 1);
  ports.set(edgeAt(root));
  await until(() => held().length === 1);
  expect(ports.locks()).toBe(1);
  renameSync(root, media('away'));
  await until(() => happened(events, 'device').length === 2);
  expect(happened(events, 'device')[1]).toEqual({
    ...{ event: 'device', device: 'serial:garmin:3412345678', title: 'Garmin Edge 840' },
    state: 'away',
  });
  expect(ports.looks()).toBe(1);
  expect(ports.locks()).toBe(0);
  expect(watcher.snapshot).toMatchObject({ folders: [], devices: [] });
  renameSync(media('away'), root);
  ports.set(edgeAt(root));
  await until(() => happened(events, 'device').length === 3);
  expect(watcher.snapshot.devices).toEqual([
    { key: 'serial:garmin:3412345678', title: 'Garmin Edge 840', root, state: 'plugged-in' },
  ]);
});

it('a device is read as soon as it is plugged in, without a check', async () => {
  const root = media('GARMIN');
  putRides(root, 1);
  const ports = usbPorts();
  const options = { deviceAccess: ports.access, remote: reader(), clock: manualClock() };
  const { events } = start({ folders: [], ...options });
  await until(() => happened(events, 'ready').length === 1);
  ports.set(edgeAt(root));
  await until(() => held().length === 1);
});

it.each(['the device leaves', 'the watcher ends'] as const)(
  'a device that is claimed when %s is not watched, and its lock is free',
  async (meanwhile) => {
    const root = media('GARMIN');
    putRides(root, 1);
    const ports = usbPorts();
    const claims: (() => void)[] = [];
    const claim = async () => {
      await new Promise<void>((resolve) => claims.push(resolve));
      return await ports.access.claim();
    };
    const deviceAccess = { ...ports.access, claim };
    const { events, end } = start({ folders: [], deviceAccess, remote: reader() });
    await until(() => happened(events, 'ready').length === 1);
    ports.set(edgeAt(root));
    await until(() => claims.length === 1);
    if (meanwhile === 'the device leaves') {
      const released = ports.released();
      ports.set();
      claims[0]?.();
      await until(() => ports.released() > released);
    } else {
      let isOver = false;
      const ended = end().then(() => (isOver = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(isOver).toBe(false);
      claims[0]?.();
      await ended;
    }
    expect([ports.locks(), happened(events, 'device')]).toEqual([0, []]);
  },
);

it('a device that another process has is reported once, and nothing is reported when the watcher ends', async () => {
  const ports = usbPorts();
  const claims: ((error: Error) => void)[] = [];
  const claim = () => new Promise<Lock>((_resolve, reject) => claims.push(reject));
  const deviceAccess = { ...ports.access, claim };
  const { events, end } = start({ folders: [], deviceAccess, remote: reader() });
  await until(() => happened(events, 'ready').length === 1);
  const plugIn = async (count: number, key = 'volume:1') => {
    ports.set({ ...edgeAt(media('GARMIN')), key });
    await until(() => claims.length === count);
  };
  for (const count of [1, 2]) {
    await plugIn(count);
    claims.at(-1)?.(new Error('Another watcher has it.'));
    await until(() => happened(events, 'problem').length > 0);
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(happened(events, 'problem')).toHaveLength(1);
  await plugIn(3, 'volume:2');
  const ended = end();
  claims.at(-1)?.(new Error('It was stopped.'));
  await ended;
  expect(happened(events, 'problem')).toHaveLength(1);
});

it.each([true, false])('a bug in the program ends a watcher, with --once: %s', async (once) => {
  const ports = usbPorts();
  const away = new Map<string, DeviceHealth>();
  away.delete = () => {
    throw new TypeError('a mistake');
  };
  ports.set(edgeAt(media('GARMIN')));
  const deviceAccess = { ...ports.access, away };
  await expect(start({ once, folders: [], deviceAccess }).running).rejects.toThrow('a mistake');
});

it('a device in a folder that is watched by its name, too is watched there once', async () => {
  const root = media('GARMIN');
  putRides(root, 1);
  mkdirSync(join(root, 'Garmin/Activity'), { recursive: true });
  const ports = usbPorts();
  ports.set(edgeAt(root));
  const folder = join(root, 'Garmin/Activity');
  const { events, watcher } = start({
    folders: [folder],
    deviceAccess: ports.access,
    remote: reader(),
  });
  await until(() => held().length === 1 && happened(events, 'device').length === 1);
  expect(watcher.snapshot.folders).toEqual([{ path: folder, state: 'watching' }]);
});
