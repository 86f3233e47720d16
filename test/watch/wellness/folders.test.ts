import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foldersIn, wellnessFolders } from '../../../src/watch/wellness/folders.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

/** Makes folders in a new one. @returns what is found from one of them, relative to the new one */
async function find(folders: readonly string[], from: string): Promise<string[]> {
  const root = scratchDir();
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  const found = await wellnessFolders(join(root, from), foldersIn);
  return found.map((path) => path.slice(root.length + 1));
}

const GARMIN = ['Garmin/Activity', 'Garmin/Monitor', 'Garmin/Sleep', 'Garmin/Courses'];

it.each([
  ['the device', '', ['Garmin/Monitor', 'Garmin/Sleep']],
  ["the device's folder", 'Garmin', ['Garmin/Monitor', 'Garmin/Sleep']],
  ['the recordings', 'Garmin/Activity', ['Garmin/Monitor', 'Garmin/Sleep']],
  ['a wellness folder', 'Garmin/Monitor', ['Garmin/Monitor']],
  ['another folder beside them', 'Garmin/Courses', []],
  ['a folder that is not there', 'Garmin/Activities', ['Garmin/Monitor', 'Garmin/Sleep']],
])('finds the wellness folders of a device from %s', async (_, from, expected) => {
  expect(await find(GARMIN, from)).toEqual(expected);
});

it('finds folders in any letter case', async () => {
  expect(
    await find(['GARMIN/ACTIVITY', 'GARMIN/MONITOR', 'GARMIN/hrvstatus'], 'GARMIN/ACTIVITY'),
  ).toEqual(['GARMIN/MONITOR', 'GARMIN/hrvstatus']);
});

it('takes no neighbour of an ordinary folder, and no file', async () => {
  expect(await find(['home/rides', 'home/Sleep'], 'home/rides')).toEqual([]);
  const root = scratchDir();
  mkdirSync(join(root, 'Activity'));
  writeFileSync(join(root, 'Sleep'), '');
  expect(await wellnessFolders(join(root, 'Activity'), foldersIn)).toEqual([]);
});
