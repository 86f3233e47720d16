import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderText } from '../../src/base/phrase.ts';
import { surveyText } from '../../src/commands/devices/words.ts';
import type { SurveyedDevice } from '../../src/devices/types.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { fitFile, fitMessage } from '../support/fit-messages.ts';
import { mountVfat, whyNoVfat } from '../support/vfat.ts';
import {
  EDGE_840,
  MANUFACTURER,
  deviceSearch,
  foldersOf,
  garminXml,
  write,
  writeRecording,
} from './support.ts';

const noVfat = whyNoVfat();

/** No maker has this number. */
const UNASSIGNED = 60_000;

const { find, surveyIn } = deviceSearch();

describe('findDevices', () => {
  it('describes a Garmin by its GarminDevice.xml, with its folders in any letter case', async () => {
    const media = scratchDir();
    const root = join(media, 'GARMIN');
    write(join(root, 'GARMIN/GarminDevice.xml'), garminXml('Edge 840', '3412345678'));
    writeRecording(join(root, 'GARMIN/ACTIVITY/2026-02-15-07-30-00.fit'));
    mkdirSync(join(root, 'GARMIN/Monitor'));
    mkdirSync(join(root, 'GARMIN/HRVStatus'));
    expect(await find({ mounts: foldersOf(media) })).toEqual({
      devices: [
        {
          key: 'serial:garmin:3412345678',
          kind: 'device',
          title: 'Garmin Edge 840',
          maker: 'garmin',
          model: 'Edge 840',
          serial: '3412345678',
          root,
          recordings: [join(root, 'GARMIN/ACTIVITY')],
          wellness: [join(root, 'GARMIN/Monitor'), join(root, 'GARMIN/HRVStatus')],
          access: 'disk',
        },
      ],
      silent: [],
    });
  });

  it('describes a Garmin without that file by its latest recording', async () => {
    const media = scratchDir();
    const folder = join(media, 'GARMIN/Garmin/Activities');
    writeRecording(join(folder, '2026-02-14-07-30-00.fit'), { serial: 1, product: 1 });
    writeRecording(join(folder, '2026-02-15-07-30-00.fit'), { serial: 34, product: EDGE_840 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([
      { key: 'serial:garmin:34', title: 'Garmin Edge 840', serial: '34', wellness: [] },
    ]);
  });

  it('identifies a device without a serial number by its folder', async () => {
    const media = scratchDir();
    const root = join(media, 'KAROO');
    mkdirSync(join(root, 'FitFiles'), { recursive: true });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([{ key: `path:${root}`, title: 'Hammerhead' }]);
  });

  it.each([
    ['a usual folder of one maker', 'CARD/iGPSPORT/Activities', MANUFACTURER.igpsport, 'Igpsport'],
    ['the name of its volume', 'BRYTON/Activities', MANUFACTURER.bryton, 'Bryton'],
    ['recordings in the root of its volume', 'Bryton', MANUFACTURER.bryton, 'Bryton'],
    ['the maker in its recordings', 'NO NAME/Activities', MANUFACTURER.lezyne, 'Lezyne'],
    ['the maker in its exports', 'NO NAME/exports', MANUFACTURER.wahoo, 'Wahoo'],
  ])('recognises a maker by %s', async (_, folder, manufacturer, title) => {
    const media = scratchDir();
    writeRecording(join(media, folder, 'ride.fit'), { manufacturer, serial: 77 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([
      { title, serial: '77', recordings: [join(media, folder)], access: 'disk' },
    ]);
  });

  it('takes the folder above a disk for the name of a user, not for that of a volume', async () => {
    const media = scratchDir();
    writeRecording(join(media, 'polaris/USB STICK/ride.fit'));
    expect(await find({ mounts: [{ root: media, below: ['*', '*'] }] })).toEqual({
      devices: [],
      silent: [],
    });
    writeRecording(join(media, 'gvfs/mtp:host=Wahoo_ELEMNT/Storage/exports/ride.fit'));
    const { devices } = await find({ mounts: [{ root: media, below: ['gvfs', '*', '*'] }] });
    expect(devices).toMatchObject([{ title: 'Wahoo', access: 'mtp' }]);
  });

  it('takes no serial number from the recording of another maker', async () => {
    const media = scratchDir();
    const exports = join(media, 'WAHOO ELEMNT/exports');
    const own = fitMessage('fileId', { type: 4, manufacturer: MANUFACTURER.wahoo, product: 31 });
    const info = fitMessage('deviceInfo', { index: 0, productName: 'ELEMNT ROAM' });
    write(join(exports, 'a.fit'), fitFile(own, info));
    writeRecording(join(exports, 'b.fit'), { serial: 77 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([
      { title: 'Wahoo ELEMNT ROAM', key: `path:${join(media, 'WAHOO ELEMNT')}` },
    ]);
    expect(devices[0]).not.toHaveProperty('serial');
  });

  it('identifies a device of an unknown maker by its folder: other makers may have its number', async () => {
    const media = scratchDir();
    const root = join(media, 'NO NAME');
    writeRecording(join(root, 'Activities/ride.fit'), { manufacturer: UNASSIGNED, serial: 77 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([{ key: `path:${root}`, maker: 'unknown', serial: '77' }]);
  });

  it.each(['DURACELL/Activity', 'THUNDERBOLT/exports', 'WAHOO/exports'])(
    'takes a stick %s for the device that its recordings name',
    async (folder) => {
      const media = scratchDir();
      writeRecording(join(media, folder, 'ride.fit'), { serial: 77 });
      const { devices } = await find({ mounts: foldersOf(media) });
      expect(devices).toMatchObject([{ title: 'Garmin Edge 840', key: 'serial:garmin:77' }]);
    },
  );

  it('recognises the folder GARMIN itself, once', async () => {
    const card = join(scratchDir(), 'GARMIN');
    writeRecording(join(card, 'Activity/ride.fit'), { serial: 77 });
    writeRecording(join(card, 'Monitor/day.fit'), { type: 32 });
    const expected = [
      {
        maker: 'garmin',
        recordings: [join(card, 'Activity')],
        wellness: [join(card, 'Monitor')],
        wellnessFiles: 1,
      },
    ];
    expect((await surveyIn(card)).devices).toMatchObject(expected);
    expect((await surveyIn(dirname(card))).devices).toMatchObject(expected);
  });

  it('counts the .tcx files of an old device', async () => {
    const card = join(scratchDir(), 'EDGE');
    write(join(card, 'Garmin/GarminDevice.xml'), garminXml('Edge 705', '3412'));
    write(join(card, 'Garmin/History/2008-05-01-08-00-00.tcx'), '<TrainingCenterDatabase/>');
    const { devices } = await surveyIn(card);
    expect(devices).toMatchObject([{ title: 'Garmin Edge 705', files: [], tcxFiles: 1 }]);
    const shown = renderText(
      surveyText(devices[0] as SurveyedDevice, undefined, {} as never),
      undefined,
    );
    expect(shown).toContain('no recordings\n  1 .tcx file, which `sync upload ');
  });

  it('takes no number that a maker writes in place of a serial number', async () => {
    const media = scratchDir();
    for (const volume of ['SIGMA1', 'SIGMA2']) {
      writeRecording(join(media, volume, 'Activities/ride.fit'), {
        manufacturer: MANUFACTURER.sigma,
        serial: 1,
      });
    }
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices.map(({ key }) => key)).toEqual([
      `path:${join(media, 'SIGMA1')}`,
      `path:${join(media, 'SIGMA2')}`,
    ]);
  });

  it.runIf(process.platform === 'linux')('takes no folder of another user', async () => {
    const media = scratchDir();
    writeRecording(join(media, 'CARD/Activities/ride.fit'));
    const { uid } = statSync(media);
    const found = async (owners: readonly number[]) =>
      (await find({ mounts: foldersOf(media), owners })).devices.length;
    expect(await found([0, uid])).toBe(1);
    expect(await found([uid + 1])).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'takes no folder to which other users can write, also behind a link, unless it is named',
    async () => {
      const media = scratchDir();
      const card = join(media, 'CARD');
      writeRecording(join(card, 'Activities/ride.fit'));
      symlinkSync(card, join(media, 'link'));
      const owners = [0, statSync(media).uid];
      const mounts = foldersOf(media);
      const roots = async (over: Parameters<typeof find>[0]) =>
        (await find({ mounts, ...over })).devices.length;
      for (const mode of [0o777, 0o1777, 0o1733]) {
        chmodSync(card, mode);
        expect(await roots({ owners })).toBe(0);
      }
      expect(await roots({})).toBeGreaterThan(0);
      chmodSync(card, 0o755);
      expect(await roots({ owners })).toBeGreaterThan(0);
    },
  );

  it.skipIf(noVfat !== undefined)(
    `takes a card without owners that everyone may write to${noVfat === undefined ? '' : ` (skipped: ${noVfat})`}`,
    async () => {
      const media = scratchDir();
      const uid = process.getuid?.() ?? 0;
      await mountVfat(join(media, 'CARD'), `umask=000,uid=${uid}`);
      writeRecording(join(media, 'CARD/Activities/ride.fit'));
      const [device] = (await find({ mounts: foldersOf(media), owners: [0, uid] })).devices;
      expect(device?.root).toBe(join(media, 'CARD'));
      expect(device?.owners).toBeUndefined();
    },
  );

  it('finds nothing on volumes without recordings', async () => {
    const media = scratchDir();
    write(join(media, 'STICK/Activities/notes.txt'), 'no recording');
    write(join(media, 'STICK/exports/photo.jpg'), 'no recording');
    write(join(media, 'SATNAV/Garmin/GarminDevice.xml'), garminXml('nuvi', '1'));
    write(join(media, 'CARD/Garmin/Activity'), 'a file');
    expect(await find({ mounts: foldersOf(media) })).toEqual({ devices: [], silent: [] });
    expect(await find({ mounts: [{ root: join(media, 'missing'), below: ['*'] }] })).toEqual({
      devices: [],
      silent: [],
    });
  });

  it('finds devices over MTP below the storages of gvfs and of kio-fuse', async () => {
    const session = scratchDir();
    const gvfs = join(session, 'gvfs/mtp:host=091e_50db_0000d8dc91f9/Internal Storage');
    const kio = join(session, 'kio-fuse-QpczeW/mtp/fenix 6/Primary');
    writeRecording(join(gvfs, 'GARMIN/Activity/a.fit'), { serial: 5 });
    writeRecording(join(kio, 'GARMIN/Activity/a.fit'), { serial: 6 });
    mkdirSync(join(session, 'gvfs/smb-share:server=nas/x/GARMIN/Activity'), { recursive: true });
    const { devices } = await find({
      mounts: [
        { root: join(session, 'gvfs'), below: ['mtp:host=*', '*'] },
        { root: session, below: ['kio-fuse-*', 'mtp', '*', '*'] },
      ],
    });
    expect(devices).toMatchObject([
      { root: gvfs, key: 'serial:garmin:5', access: 'mtp' },
      { root: kio, key: 'serial:garmin:6', access: 'mtp' },
    ]);
  });

  it('reports a device with two storages once, with the folders of both', async () => {
    const media = scratchDir();
    writeRecording(join(media, 'GARMIN/Garmin/Activity/a.fit'), { serial: 5 });
    writeRecording(join(media, 'SDCARD/Garmin/Activity/b.fit'), { serial: 5 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices.map(({ root, recordings }) => [root, recordings])).toEqual([
      [
        join(media, 'GARMIN'),
        [join(media, 'GARMIN/Garmin/Activity'), join(media, 'SDCARD/Garmin/Activity')],
      ],
    ]);
  });

  it('reports a device that is mounted twice once, with the folders of the disk', async () => {
    const media = scratchDir();
    const twice = ['gvfs/mtp:host=Garmin_Edge/Internal Storage', 'zzz'].map((name) =>
      join(media, name),
    );
    for (const root of twice) writeRecording(join(root, 'Garmin/Activity/a.fit'), { serial: 5 });
    const { devices } = await surveyIn(media);
    expect(devices).toMatchObject([
      { root: twice[1], access: 'disk', recordings: [join(twice[1] ?? '', 'Garmin/Activity')] },
    ]);
  });

  it('finds several devices in one folder, with any names of volumes', async () => {
    const media = scratchDir();
    const volumes = [
      'COROS/Activity',
      'iGPSPORT/Activities',
      'Garmin/Activity',
      'exports/Activity',
    ];
    for (const [index, volume] of volumes.entries()) {
      writeRecording(join(media, volume, 'a.fit'), { serial: index + 1 });
    }
    const { devices } = await surveyIn(media);
    expect(devices.flatMap(({ recordings }) => recordings).sort()).toEqual(
      volumes.map((volume) => join(media, volume)).sort(),
    );
  });

  it('finds a device at a path that ends with a separator, as the root of a drive does', async () => {
    const root = join(scratchDir(), 'GARMIN/');
    mkdirSync(join(root, 'Garmin/Activity'), { recursive: true });
    const { devices } = await find({ mounts: [{ root, below: [] }] });
    expect(devices).toMatchObject([{ root, title: 'Garmin' }]);
  });

  it('takes a folder inside of a device as a part of it', async () => {
    const media = scratchDir();
    writeRecording(join(media, 'GARMIN/Garmin/Activity/a.fit'), { serial: 5 });
    mkdirSync(join(media, 'GARMIN/Garmin/Sleep'));
    const { devices } = await surveyIn(media);
    expect(devices).toMatchObject([{ root: join(media, 'GARMIN'), key: 'serial:garmin:5' }]);
  });

  it('follows no links of a card to other files of the user', async () => {
    const [media, home] = [scratchDir(), scratchDir()];
    writeRecording(join(home, 'Activity/private.fit'));
    mkdirSync(join(media, 'CARD/Garmin'), { recursive: true });
    symlinkSync(join(home, 'Activity'), join(media, 'CARD/Garmin/Activity'));
    symlinkSync(home, join(media, 'CARD/iGPSPORT'));
    expect(await find({ mounts: foldersOf(media) })).toEqual({ devices: [], silent: [] });
  });

  it('reads no more of a GarminDevice.xml than its beginning, and survives any content', async () => {
    const media = scratchDir();
    const bomb = `<!DOCTYPE Device [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "&a;&a;&a;&a;">]>`;
    const cases = {
      entities: `${bomb}<Device><Model><Description>&b;</Description></Model><Id>12</Id></Device>`,
      huge: `<Device><!--${'x'.repeat(1_000_000)}--><Id>12</Id></Device>`,
      deep: '<Device><Model>'.repeat(20_000),
      nothing: '',
      binary: '\u0000\u0001\u0002',
      escapes:
        '<Device><Model><Description>Edge\n\u001b[31m &lt;b&gt;</Description></Model></Device>',
      signed: '<Device><Id>-1</Id></Device>',
    };
    for (const [name, xml] of Object.entries(cases)) {
      write(join(media, name, 'Garmin/GarminDevice.xml'), xml);
      mkdirSync(join(media, name, 'Garmin/Activity'));
    }
    const { devices } = await find({ mounts: foldersOf(media) });
    const titles = Object.fromEntries(devices.map(({ root, title }) => [root, title]));
    expect(Object.keys(titles)).toHaveLength(7);
    expect(titles[join(media, 'huge')]).toBe('Garmin');
    expect(titles[join(media, 'escapes')]).toMatch(/^Garmin Edge [ -~]*$/);
    expect(titles[join(media, 'entities')]?.length).toBeLessThan(80);
    expect(devices.map(({ serial }) => serial).filter(Boolean)).toEqual(['12']);
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const search = find({ mounts: foldersOf(scratchDir()) }, stop.signal);
    stop.abort(new Error('Ctrl-C'));
    await expect(search).rejects.toThrow('Ctrl-C');
  });
});
