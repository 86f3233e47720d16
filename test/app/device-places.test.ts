import { expect, it } from 'vitest';
import { DEVICE_FOLDERS, devicePlaces } from '../../src/app/device-places.ts';

it.runIf(process.platform === 'linux')(
  'only in the places that are searched, and not in folders that were named, do the owners of files count',
  () => {
    const system = { platform: 'linux', homeDir: '', cwd: '/', programDir: '' } as const;
    const owners = (folders: readonly string[] = [], env = {}) =>
      devicePlaces({ ...system, env }, folders).owners;
    expect(owners()).toEqual([0, process.geteuid?.()]);
    expect(owners(['cards'])).toBeUndefined();
    expect(owners([], { [DEVICE_FOLDERS]: '/cards' })).toBeUndefined();
  },
);
