import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../support/scratch-dir.ts';
import { deviceSearch } from './support.ts';

const { find } = deviceSearch();

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
