import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type MtpDevice, mountMtp, whyNoMtp } from '../support/mtp-mount.ts';
import { ndjson } from '../support/program.ts';
import { anotherRecording, openWorld, put, ready, sha256, until, world } from '../watch/support.ts';

/** The contract is 5 s; a machine that is busy may take longer to notice, not for minutes. */
const SOON_MS = 15_000;

const noMtp = whyNoMtp();
const note = noMtp === undefined ? '' : ` (skipped: ${noMtp})`;

describe.skipIf(noMtp !== undefined)(`a device over MTP${note}`, () => {
  let device: MtpDevice;
  let activities: string;
  beforeEach(async () => {
    await openWorld();
    device = await mountMtp();
    activities = join(device.mount, 'Activity');
    mkdirSync(join(device.source, 'Activity'));
  });

  /** Writes recordings to the device. @returns their hashes, sorted */
  function record(count: number): string[] {
    return Array.from({ length: count }, (_, index) => {
      const bytes = anotherRecording();
      put(join(device.source, 'Activity', `${index}.fit`), bytes);
      return sha256(bytes);
    }).sort();
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'that hangs keeps a watcher neither from sending others nor from ending: %s',
    async (signal) => {
      record(1);
      device.behave({ state: 'hanging' });
      const watcher = await ready(world.start(['watch', activities, world.folder, '--json']));
      const ride = anotherRecording();
      put(join(world.folder, 'ride.fit'), ride);
      await until(() => world.hashes().includes(sha256(ride)));
      const asked = performance.now();
      watcher.child.kill(signal);
      const { code } = await watcher.finished;
      expect(performance.now() - asked).toBeLessThan(SOON_MS);
      expect(code).toBe(0);
      expect(ndjson(watcher.stdout()).slice(-2)).toMatchObject([
        { event: 'stopped', uploaded: 1 },
        { type: 'summary' },
      ]);
    },
  );

  it('that hangs does not keep a daemon from ending', async () => {
    device.behave({ state: 'hanging' });
    const args = ['watch', activities, world.folder, '--daemon', '--json'];
    const { stdout } = await world.start(args).finished;
    expect(ndjson(stdout)).toMatchObject([{ type: 'daemon-started' }]);
    const asked = performance.now();
    const stopped = await world.sync(['daemon', 'stop', '--json']);
    expect(performance.now() - asked).toBeLessThan(SOON_MS);
    expect(ndjson(stopped.stdout)).toMatchObject([{ outcome: 'stopped' }, { stopped: 1 }]);
  });

  it('is read once by watch --once, and not at all by the next', async () => {
    const hashes = record(5);
    expect((await world.start(['watch', '--once', activities, '--json']).finished).code).toBe(0);
    expect(world.hashes()).toEqual(hashes);
    const { opens } = device.counts();
    expect(Object.values(opens)).toEqual([1, 1, 1, 1, 1]);
    const second = await world.start(['watch', '--once', activities, '--json']).finished;
    expect(second.code).toBe(0);
    expect(device.counts().opens).toEqual(opens);
    expect(ndjson(second.stdout).at(-1)).toMatchObject({ skipped: 5 });
  });

  it('is reported by watch --once if it is not there', async () => {
    device.behave({ state: 'unplugged' });
    const { code, stdout } = await world.start(['watch', '--once', activities, '--json']).finished;
    expect(code).toBe(3);
    const detail = 'The Garmin Edge 840 is not plugged in.';
    expect(ndjson(stdout)[0]).toMatchObject({ outcome: 'invalid', path: activities, detail });
  });

  it('has its recordings listed by watch --dry-run, which keeps and sends none', async () => {
    const hashes = record(2);
    const { code, stdout } = await world.start(['watch', '--dry-run', activities, '--json'])
      .finished;
    expect(code).toBe(0);
    const listed = ndjson(stdout).filter(({ outcome }) => outcome === 'would-upload');
    expect(listed.map((item) => item['sha256']).sort()).toEqual(hashes);
    expect(world.requests()).toBe(0);
    const stateDir = world.home.env['SYNC_STATE_DIR'] ?? '';
    expect(readdirSync(stateDir)).not.toContain('outbox');
  });

  it('is read once, one file at a time, by upload, and not at all by the next', async () => {
    const hashes = record(8);
    expect((await world.start(['upload', activities, '--json']).finished).code).toBe(0);
    expect(world.hashes()).toEqual(hashes);
    const { opens, most, refused } = device.counts();
    expect(Object.values(opens)).toEqual(Array.from({ length: 8 }, () => 1));
    expect({ most, refused }).toEqual({ most: 1, refused: 0 });
    const second = await world.start(['upload', activities, '--json']).finished;
    expect(ndjson(second.stdout).at(-1)).toMatchObject({ skipped: 8 });
    expect(device.counts().opens).toEqual(opens);
  });
});
