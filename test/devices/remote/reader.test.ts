import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RemoteReader, RemoteReaders } from '../../../src/devices/remote/reader.ts';
import { useBuild } from '../../support/build.ts';
import { type MtpDevice, mountMtp, whyNoMtp } from '../../support/mtp-mount.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

const noMtp = whyNoMtp();
const note = noMtp === undefined ? '' : ` (skipped: ${noMtp})`;
const NEVER = new AbortController().signal;
const LIMIT = 1024 * 1024;

const program = useBuild({ 'remote-child': 'src/devices/remote/remote-child.ts' });

let around: string;
beforeEach(() => {
  around = scratchDir();
});

function makeReader(silenceMs?: number): RemoteReader {
  const childPath = program('remote-child');
  const reader = new RemoteReader({ childPath, env: process.env, silenceMs });
  onTestFinished(() => reader.close());
  return reader;
}

async function makeDevice(): Promise<MtpDevice> {
  const device = await mountMtp();
  mkdirSync(join(device.source, 'Activity'));
  return device;
}

describe('a reader of a device over MTP', () => {
  it('lists a folder, tells sizes, and reads a file', async () => {
    const folder = join(around, 'Activity');
    mkdirSync(join(folder, 'Old'), { recursive: true });
    const bytes = Buffer.alloc(300_000, 'ride');
    writeFileSync(join(folder, 'ride.fit'), bytes);
    const reader = makeReader();
    const paths = ['ride.fit', 'Old', 'none.fit'].map((name) => join(folder, name));
    expect([...(await reader.list(folder, NEVER))].sort()).toEqual(['Old', 'ride.fit']);
    expect(await reader.stat(paths, NEVER)).toMatchObject([
      { kind: 'file', size: bytes.length },
      { kind: 'folder' },
      undefined,
    ]);
    expect((await reader.read(join(folder, 'ride.fit'), LIMIT, NEVER)).equals(bytes)).toBe(true);
    expect((await reader.peek(join(folder, 'ride.fit'), 6, NEVER)).toString()).toBe('rideri');
    await reader.open(folder, NEVER);
    await expect(reader.open(join(folder, 'none'), NEVER)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('reports the error of the system, and continues', async () => {
    const reader = makeReader();
    await expect(reader.list(join(around, 'none'), NEVER)).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(reader.read(around, LIMIT, NEVER)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await reader.list(around, NEVER)).toEqual([]);
  });

  it('stops reading a file above the limit', async () => {
    const path = join(around, 'map.fit');
    writeFileSync(path, Buffer.alloc(2 * LIMIT));
    const reader = makeReader();
    await expect(reader.read(path, LIMIT, NEVER)).rejects.toMatchObject({ code: 'EFBIG' });
    expect(await reader.list(around, NEVER)).toEqual(['map.fit']);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reader = makeReader();
    const stop = new AbortController();
    const asked = reader.list(around, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
    await expect(reader.list(around, stop.signal)).rejects.toThrow('stopped');
  });
});

it('has one reader for each mount, also on systems without a list of mounts', () => {
  const readers = new RemoteReaders({ childPath: '', env: {} });
  const card = readers.of('/Volumes/GARMIN/Garmin/Activity/1.fit');
  expect(readers.of('/Volumes/GARMIN/Garmin/Activity/2.fit')).toBe(card);
  expect(readers.of('/Volumes/WAHOO/1.fit')).not.toBe(card);
  const share = readers.of(String.raw`\\nas\rides\1.fit`);
  expect(readers.of(String.raw`\\nas\rides\2026\2.fit`)).toBe(share);
  expect(readers.of(String.raw`\\nas\other\1.fit`)).not.toBe(share);
});

describe.skipIf(noMtp !== undefined)(`a reader of an MTP mount${note}`, () => {
  it('makes one call at a time, however many are asked for', async () => {
    const device = await makeDevice();
    device.behave({ delay: 0.02 });
    const names = ['a.fit', 'b.fit', 'c.fit'];
    for (const name of names) writeFileSync(join(device.source, 'Activity', name), name);
    const reader = makeReader();
    const read = await Promise.all(
      names.map((name) => reader.read(join(device.mount, 'Activity', name), LIMIT, NEVER)),
    );
    expect(read.map(String)).toEqual(names);
    expect(device.counts()).toMatchObject({ most: 1, refused: 0 });
  });

  it('gives up a call that hangs, and works again when the device does', async () => {
    const device = await makeDevice();
    const reader = makeReader(1_000);
    expect(await reader.list(device.mount, NEVER)).toEqual(['Activity']);
    device.behave({ state: 'hanging' });
    const asked = performance.now();
    await expect(reader.list(device.mount, NEVER)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(performance.now() - asked).toBeGreaterThan(900);
    device.behave({});
    expect(await reader.list(device.mount, NEVER)).toEqual(['Activity']);
  });

  it('waits for a slow device while it sends', async () => {
    const device = await makeDevice();
    const path = join(device.source, 'Activity', 'ride.fit');
    const size = 3 * LIMIT;
    writeFileSync(path, Buffer.alloc(size, 'ride'));
    // All calls together take longer than the silence that the reader allows, each one far less.
    const [delay, silenceMs] = [0.15, 6_000];
    device.behave({ delay });
    const reader = makeReader(silenceMs);
    const bytes = await reader.read(join(device.mount, 'Activity', 'ride.fit'), size, NEVER);
    const { read = 0 } = device.counts().calls;
    expect(read * delay * 1_000).toBeGreaterThan(silenceMs);
    expect(bytes.equals(readFileSync(path))).toBe(true);
  });

  it.each([
    ['gone', 'ENODEV'],
    ['unplugged', 'ENOENT'],
  ] as const)('reports a device that is %s: %s', async (state, code) => {
    const device = await makeDevice();
    const reader = makeReader();
    expect(await reader.list(device.mount, NEVER)).toEqual(['Activity']);
    device.behave({ state });
    await expect(reader.list(join(device.mount, 'Activity'), NEVER)).rejects.toMatchObject({
      code,
    });
  });
});
