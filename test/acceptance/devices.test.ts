import { copyFileSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/system/this-process.ts';
import { garminXml, write, writeRecording } from '../devices/support.ts';
import { openLoggedInWorld, openWorld } from '../support/acceptance.ts';
import type { World } from '../support/acceptance.ts';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { ndjson } from '../support/program.ts';

/** Makes a place for devices; no others are found. */
function mediaOf({ home }: World): string {
  const media = join(home.dir, 'media');
  mkdirSync(media);
  home.env['SYNC_DEVICE_FOLDERS'] = media;
  return media;
}

/** Plugs in an Edge with recordings of some days of February, written a day later. */
function plugIn(root: string, days: readonly number[]): string {
  write(join(root, 'Garmin/GarminDevice.xml'), garminXml('Edge 840', '3412345678'));
  const folder = join(root, 'Garmin/Activity');
  for (const day of days) {
    const startTime = new Date(Date.UTC(2026, 1, day, 7, 30));
    const path = join(folder, `2026-02-${String(day).padStart(2, '0')}-07-30-00.fit`);
    writeRecording(path, { seed: day, startTime, localOffsetMinutes: 60 });
    utimesSync(path, startTime, new Date(startTime.getTime() + 86_400_000));
  }
  return folder;
}

describe('sync devices', () => {
  it('lists each device with its newest recording, the number not sent, and the next command', async () => {
    const world = await openLoggedInWorld();
    const root = join(mediaOf(world), 'GARMIN');
    const folder = plugIn(root, [10, 11, 12]);
    write(join(root, 'Garmin/Monitor/M1.FIT'), '');
    mkdirSync(join(world.home.dir, 'Documents/Zwift/Activities'), { recursive: true });
    await world.sync(['upload', join(folder, '2026-02-10-07-30-00.fit')]);
    const requests = world.sandbox.control.requests().length;

    const { code, stdout, stderr } = await world.sync(['devices']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      '`sync watch --devices` sends new recordings whenever a device is plugged in.\n',
    );
    expect(stdout.split('\n')).toEqual([
      'Garmin Edge 840, serial number 3412345678',
      `  ${root}`,
      '  3 recordings, 2 not sent',
      /^ {2}newest: Thu 12 Feb .*08:30 {2}Morning ride {2}1:00 {2}\d+ m$/,
      '  1 wellness file',
      `  Send them: \`sync upload ${folder}\``,
      'Zwift, app',
      `  ${join(world.home.dir, 'Documents/Zwift/Activities')}`,
      '  no recordings',
      '',
    ]);
    expect(world.sandbox.control.requests()).toHaveLength(requests);
  });

  it('recognises sent recordings at another mount point, and over MTP', async () => {
    const world = await openLoggedInWorld();
    const media = mediaOf(world);
    await world.sync(['upload', plugIn(join(media, 'GARMIN'), [10, 11])]);
    const unsent = async () => {
      const [device] = await world.lines(['devices']);
      return device as { key: string; access: string; recordings: { unsent: number } };
    };
    expect((await unsent()).recordings.unsent).toBe(0);

    const storage = join(media, 'gvfs/mtp:host=091e_4f43/Internal Storage');
    mkdirSync(storage, { recursive: true });
    renameSync(join(media, 'GARMIN'), join(media, 'GARMIN1'));
    plugIn(join(media, 'GARMIN1'), [12]);
    expect(await unsent()).toMatchObject({ access: 'disk', recordings: { unsent: 1 } });
    renameSync(join(media, 'GARMIN1/Garmin'), join(storage, 'GARMIN'));
    expect(await unsent()).toMatchObject({
      key: 'serial:garmin:3412345678',
      access: 'mtp',
      recordings: { unsent: 1 },
    });
  });

  it('counts as sync watch does: not a copy under another name, nor a file without an activity', async () => {
    const world = await openLoggedInWorld();
    const root = join(mediaOf(world), 'GARMIN');
    const folder = plugIn(root, [10]);
    copyFileSync(join(folder, '2026-02-10-07-30-00.fit'), join(folder, 'copy.fit'));
    writeRecording(join(folder, 'course.fit'), { type: 6 });
    // The ledger remembers no file that changed within the last 2 s.
    const clock = { ...systemClock, now: () => Date.now() + 10_000 };
    expect((await world.sync(['watch', '--once', '--devices'], { clock })).code).toBe(0);
    expect((await world.sync(['devices'])).stdout).toContain('  3 recordings, all sent\n');
    rmSync(join(folder, 'copy.fit'));
    const storage = join(root, '../gvfs/mtp:host=091e_4f43/Internal Storage');
    mkdirSync(storage, { recursive: true });
    renameSync(join(root, 'Garmin'), join(storage, 'GARMIN'));
    expect((await world.sync(['devices'])).stdout).toContain(
      '  connected over MTP\n  2 recordings, all sent (compared by name)\n',
    );
  });

  it('lists devices without a login, and says that it cannot count sent recordings', async () => {
    const world = await openWorld();
    plugIn(join(mediaOf(world), 'GARMIN'), [10]);
    const { code, stdout, stderr } = await world.sync(['devices']);
    expect(code).toBe(0);
    expect(stdout).toContain('  1 recording\n');
    expect(stderr).toBe('Run `sync login` to see which recordings were not sent.\n');
  });

  it('says where it looked and how to connect a device if it finds none', async () => {
    const world = await openWorld();
    const media = mediaOf(world);
    const { code, stdout } = await world.sync(['devices']);
    expect(code).toBe(0);
    expect(stdout).toContain(`No device or app found in ${media}, `);
    expect(stdout).toContain('unlock it');
    const { stdout: line } = await world.sync(['devices', '--json']);
    expect(ndjson(line)).toMatchObject([{ type: 'summary', total: 0, silent: [] }]);
  });

  it('refuses a relative folder in SYNC_DEVICE_FOLDERS', async () => {
    const world = await openLoggedInWorld();
    world.home.env['SYNC_DEVICE_FOLDERS'] = '/media:~/cards';
    expect(await world.sync(['devices'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'Error: SYNC_DEVICE_FOLDERS: "~/cards" is not an absolute path.\n',
    });
    expect(await world.sync(['devices', world.home.dir])).toMatchObject({ code: 0 });
  });

  it('looks in a named folder, and refuses a missing one', async () => {
    const world = await openWorld();
    mediaOf(world);
    plugIn(join(world.home.dir, 'cards/old'), [10]);
    expect((await world.sync(['devices', 'cards'])).stdout).toContain('Garmin Edge 840');
    expect(await world.sync(['devices', 'crads'])).toMatchObject({
      code: 3,
      stderr: 'Error: crads: There is no such file or folder.\n',
    });
    const file = await world.sync(['devices', 'cards/old/Garmin/GarminDevice.xml']);
    expect([file.code, file.stdout]).toEqual([3, '']);
  });

  it('shows the names on a device on one line, without markup', async () => {
    const world = await openWorld();
    const root = join(mediaOf(world), 'evil\n\u001b[31mFAKE: line');
    write(join(root, 'Garmin/GarminDevice.xml'), garminXml('Edge\n\u001b]8;;http://x\u0007', '12'));
    writeRecording(join(root, 'Garmin/Activity/a\n.fit'));
    const { stdout } = await world.sync(['devices']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toMatch(/^.{0,3}FAKE/m);
    expect(stdout.split('\n').filter((line) => !line.startsWith('  ') && line !== '')).toHaveLength(
      1,
    );
  });
});

const noFuse = whyNoFuse();

describe.skipIf(noFuse !== undefined)('sync devices with a mount that hangs', () => {
  it('lists the others, names it, and exits 5', async () => {
    const world = await openWorld();
    const media = mediaOf(world);
    plugIn(join(media, 'GARMIN'), [10]);
    const source = join(world.home.dir, 'source');
    mkdirSync(source);
    (await mountFuse(source, join(media, 'WATCH'))).hang();
    const { code, stdout, stderr } = await world.sync(['devices']);
    expect(stdout).toContain('Garmin Edge 840');
    expect(stderr).toContain(
      `${join(media, 'WATCH')} does not answer. If it is a device, unplug it`,
    );
    expect(code).toBe(5);
  });
});
