import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../auth/support.ts';
import { mountFuse, whyNoFuse } from '../support/fuse.ts';
import { mountMtp, whyNoMtp } from '../support/mtp-mount.ts';
import {
  EDGE_840,
  MANUFACTURER,
  deviceSearch,
  garminXml,
  write,
  writeRecording,
} from './support.ts';

const { find, surveyIn } = deviceSearch();

/** Returns a pattern for each folder in `root`, as for `/media/*`. */
function foldersOf(root: string) {
  return [{ root, below: ['*'] }];
}

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
    ['a folder of its own', 'CARD/iGPSPORT/Activities', MANUFACTURER.igpsport, 'iGPSPORT'],
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

  it('takes no serial number from the recording of another maker', async () => {
    const media = scratchDir();
    writeRecording(join(media, 'WAHOO ELEMNT/exports/ride.fit'), { serial: 77 });
    const { devices } = await find({ mounts: foldersOf(media) });
    expect(devices).toMatchObject([{ title: 'Wahoo', key: `path:${join(media, 'WAHOO ELEMNT')}` }]);
    expect(devices[0]).not.toHaveProperty('serial');
  });

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

  it('finds several devices in one folder, whatever their volumes are named', async () => {
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

describe('the child process of findDevices', () => {
  /** Runs a script in its place. */
  async function findWith(script: string, env: Record<string, string> = {}) {
    const childPath = join(scratchDir(), 'child.cjs');
    write(childPath, script);
    return await find({ childPath, env: { ...process.env, ...env } });
  }

  it('gets no token and no password', async () => {
    const seen = join(scratchDir(), 'seen');
    const record = `process.stdin.on('data', (request) => {
      require('fs').writeFileSync(${JSON.stringify(seen)}, request + JSON.stringify(process.env));
      console.log('{"state":"done"}');
    });`;
    const secrets = { SYNC_ACCESS_TOKEN: 'at-hush', HTTPS_PROXY: 'http://ada:pw-hush@proxy' };
    await findWith(record, { ...secrets, LOCALAPPDATA: '/local' });
    expect(readFileSync(seen, 'utf8')).toContain('/local');
    expect(readFileSync(seen, 'utf8')).not.toContain('hush');
  });

  it.each([
    ['ends', 'process.exitCode = 3;', /ended \(code 3\)/],
    ['fails', `console.log('{"state":"failed","message":"no memory"}');`, /no memory/],
    ['crashes', `throw new Error('broken');`, /Error: broken/],
  ])('is reported if it %s', async (_, script, message) => {
    await expect(findWith(script)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('findDevices with apps', () => {
  it('finds the folders of apps below the home folder of each system', async () => {
    const home = scratchDir();
    const whoosh =
      'AppData/Local/Packages/MyWhooshTechnologyService.MyWhoosh_x1/LocalCache/Local/MyWhoosh/Content/Data';
    for (const folder of [
      'Documents/Zwift/Activities',
      '.goldencheetah/Ada Lovelace/imports',
      'Documents/TPVirtual/C1234/FITFiles',
      whoosh,
    ]) {
      mkdirSync(join(home, folder), { recursive: true });
    }
    const env = { ...process.env, LOCALAPPDATA: join(home, 'AppData/Local') };
    const appsOn = async (platform: NodeJS.Platform) => {
      const { devices } = await find({ platform, homeDir: home, apps: true, env });
      return devices.map(({ kind, maker, root }) => `${kind} ${maker} ${root.slice(home.length)}`);
    };
    expect(await appsOn('linux')).toEqual([
      'app zwift /Documents/Zwift/Activities',
      'app tpvirtual /Documents/TPVirtual/C1234/FITFiles',
      'app goldencheetah /.goldencheetah/Ada Lovelace/imports',
    ]);
    expect(await appsOn('darwin')).toEqual(['app zwift /Documents/Zwift/Activities']);
    expect(await appsOn('win32')).toEqual([
      'app zwift /Documents/Zwift/Activities',
      `app mywhoosh /${whoosh}`,
      'app tpvirtual /Documents/TPVirtual/C1234/FITFiles',
    ]);
  });

  it('lists a folder that Wine links to the one of the user once', async () => {
    const home = scratchDir();
    mkdirSync(join(home, 'Documents/Zwift/Activities'), { recursive: true });
    mkdirSync(join(home, '.wine/drive_c/users/ada'), { recursive: true });
    symlinkSync(join(home, 'Documents'), join(home, '.wine/drive_c/users/ada/Documents'));
    const { devices } = await find({ platform: 'linux', homeDir: home, apps: true });
    expect(devices.map(({ recordings }) => recordings)).toEqual([
      [join(home, 'Documents/Zwift/Activities')],
    ]);
  });

  it('looks nowhere without a home folder', async () => {
    expect(await find({ homeDir: '', apps: true })).toEqual({ devices: [], silent: [] });
  });
});

describe('surveyDevices', () => {
  it('lists the recordings with their stamps, and the one that was made last', async () => {
    const media = scratchDir();
    const folder = join(media, 'GARMIN/Garmin/Activity');
    const last = join(folder, '2026/a.fit');
    writeRecording(last, { startTime: new Date('2026-02-15T07:30:00Z'), localOffsetMinutes: 60 });
    writeRecording(join(folder, '2026-02-14.fit'), { startTime: new Date('2026-02-14T07:30:00Z') });
    write(join(folder, '.hidden.fit'), '');
    write(join(folder, 'notes.txt'), '');
    write(join(media, 'GARMIN/Garmin/Monitor/M1.FIT'), '');
    const { devices } = await surveyIn(media);
    expect(devices).toMatchObject([
      {
        files: [
          { path: join(folder, '2026-02-14.fit'), stamp: { size: expect.any(Number) as number } },
          { path: last },
        ],
        newest: { path: last, activity: { name: 'Morning ride' } },
        wellnessFiles: 1,
      },
    ]);
    expect(devices[0]?.files).toHaveLength(2);
  });

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
      expect(silent.join()).toContain(device.mount);
      device.behave({});
    }
  });
});
