import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../support/scratch-dir.ts';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { mountMtp, whyNoMtp } from '../support/mtp-mount.ts';
import { deviceSearch, foldersOf, garminXml, write, writeRecording } from './support.ts';

const { find } = deviceSearch();

const noFuse = whyNoFuse();
if (noFuse !== undefined) console.warn(`Tests of hanging mounts are skipped: ${noFuse}.`);

describe.skipIf(noFuse !== undefined)('a mount that hangs', () => {
  it('is silent, and delays no other device', async () => {
    const [media, source] = [scratchDir(), scratchDir()];
    writeRecording(join(source, 'Garmin/Activity/a.fit'), { serial: 5 });
    const hung = await mountFuse(source, join(media, 'HANGS'));
    writeRecording(join(media, 'GARMIN/Garmin/Activity/a.fit'), { serial: 6 });
    hung.hang();
    const limitMs = 500;
    const started = performance.now();
    const found = await find({ mounts: foldersOf(media), limitMs });
    expect(found).toMatchObject({
      devices: [{ key: 'serial:garmin:6' }],
      silent: [join(media, 'HANGS')],
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    hung.answer();
    const { devices, silent } = await find({ mounts: foldersOf(media) });
    expect(devices.map(({ key }) => key)).toEqual(['serial:garmin:6', 'serial:garmin:5']);
    expect(silent).toEqual([]);
  });
});

const noMtp = whyNoMtp();
if (noMtp !== undefined) console.warn(`Tests of MTP mounts are skipped: ${noMtp}.`);

describe.skipIf(noMtp !== undefined)('a device over MTP', () => {
  /** Plugs in an Edge with recordings on its storage. */
  async function plugIn() {
    const device = await mountMtp();
    const storage = 'Internal Storage/GARMIN';
    write(join(device.source, storage, 'GarminDevice.xml'), garminXml('Edge 840', '12'));
    for (const day of ['14', '15']) {
      writeRecording(join(device.source, storage, `Activity/2026-02-${day}-07-30-00.fit`));
    }
    const mounts = [{ root: dirname(device.mount), below: ['mtp:host=*', '*'] }];
    return { device, mounts, folder: join(device.mount, storage, 'Activity') };
  }

  it('stays identified while a recording is read, and no other reader is tried', async () => {
    const { device, mounts, folder } = await plugIn();
    // Several cards, so that their readers would meet.
    for (const card of ['Card', 'Card 2', 'Card 3']) {
      writeRecording(join(device.source, card, 'GARMIN/Activity/2026-02-16-07-30-00.fit'), {
        serial: 12,
      });
    }
    const { devices: known } = await find({ mounts });
    const before = device.counts().opens;
    const reader = openSync(join(folder, '2026-02-14-07-30-00.fit'), 'r');
    const again = await find({ mounts, known });
    closeSync(reader);
    expect(again).toMatchObject({ devices: [{ key: 'serial:garmin:12', serial: '12' }] });
    const { opens, refused } = device.counts();
    const read = '/Internal Storage/GARMIN/Activity/2026-02-14-07-30-00.fit';
    expect([opens, refused]).toEqual([{ ...before, [read]: 1 }, 0]);
  });

  it('is identified without reading a recording, and with one reader at a time', async () => {
    const { device, mounts, folder } = await plugIn();
    const { devices } = await find({ mounts });
    expect(devices).toMatchObject([
      { key: 'serial:garmin:12', access: 'mtp', recordings: [folder] },
    ]);
    const { opens, most, refused } = device.counts();
    expect(Object.keys(opens).filter((path) => path.endsWith('.fit'))).toEqual([]);
    expect([most, refused]).toEqual([1, 0]);
  });

  it('is silent while it hangs, and when it was pulled out', async () => {
    const { device, mounts } = await plugIn();
    for (const state of ['hanging', 'gone'] as const) {
      device.behave({ state });
      const { devices, silent } = await find({ mounts, limitMs: 1_000 });
      expect([state, devices]).toEqual([state, []]);
      expect(silent).toHaveLength(1);
      expect(silent[0]).toContain(device.mount);
      device.behave({});
    }
  });
});
