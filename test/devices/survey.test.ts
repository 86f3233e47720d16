import { chownSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../support/scratch-dir.ts';
import { deviceSearch, write, writeRecording } from './support.ts';

const { surveyIn } = deviceSearch();

describe('surveyDevices', () => {
  it('lists the recordings with their stamps, and names the newest', async () => {
    const media = scratchDir();
    const folder = join(media, 'GARMIN/Garmin/Activity');
    const last = join(folder, '2026/a.fit');
    const earlier = join(folder, '2026-02-14.fit');
    writeRecording(earlier, { startTime: new Date('2026-02-14T07:30:00Z') });
    utimesSync(earlier, 1, 1);
    writeRecording(last, { startTime: new Date('2026-02-15T07:30:00Z'), localOffsetMinutes: 60 });
    // Deeper than year and month.
    writeRecording(join(folder, '2026/02/15/b.fit'), { startTime: new Date('2026-02-16') });
    write(join(folder, '.hidden.fit'), '');
    write(join(folder, 'notes.txt'), '');
    write(join(media, 'GARMIN/Garmin/Monitor/M1.FIT'), '');
    const { devices } = await surveyIn(media);
    expect(devices).toMatchObject([
      {
        files: [{ path: earlier, stamp: { size: expect.any(Number) as number } }, { path: last }],
        newest: { path: last, activity: { name: 'Morning ride' } },
        wellnessFiles: 1,
      },
    ]);
    expect(devices[0]?.files).toHaveLength(2);
  });

  it.runIf(process.getuid?.() === 0)(
    'counts no recording of another user (run as root only)',
    async () => {
      const media = scratchDir();
      const folder = join(media, 'GARMIN/Garmin/Activity');
      for (const name of ['own.fit', 'theirs.fit']) writeRecording(join(folder, name));
      chownSync(join(folder, 'theirs.fit'), 12_345, 12_345);
      const files = async (owners?: readonly number[]) =>
        (await surveyIn(media, owners)).devices[0]?.files.map(({ path }) => path);
      expect(await files([0, 0])).toEqual([join(folder, 'own.fit')]);
      expect(await files()).toHaveLength(2);
    },
  );

  it('asks for the names of files only over MTP', async () => {
    const media = scratchDir();
    const folder = join(media, 'gvfs/mtp:host=Garmin_Edge/Internal Storage/GARMIN/Activity');
    const names = ['2026-02-14-07-30-00.fit', '2026-02-15-07-30-00.fit', 'Settings.fit'];
    for (const name of names) writeRecording(join(folder, name));
    const { devices } = await surveyIn(media);
    expect(devices.map(({ access, files, newest }) => ({ access, files, newest }))).toEqual([
      {
        access: 'mtp',
        files: names.map((name) => ({ path: join(folder, name) })),
        newest: { path: join(folder, '2026-02-15-07-30-00.fit') },
      },
    ]);
  });
});
