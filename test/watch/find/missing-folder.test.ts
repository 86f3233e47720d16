import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { notThereYet } from '../../../src/watch/find/missing-folder.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sync-missing-'));
  mkdirSync(join(home, 'Garmin/Activity'), { recursive: true });
  mkdirSync(join(home, '.wine/rides'), { recursive: true });
  mkdirSync(join(home, 'media/GARMIN'), { recursive: true });
  writeFileSync(join(home, 'Zwift'), '');
});
afterAll(() => rmSync(home, { recursive: true }));

it.each([
  ['Gramin', 'Garmin'],
  ['garmin', 'Garmin'],
  ['Garmin/Activty', 'Garmin/Activity'],
  ['Gramin/Activty', 'Garmin/Activity'],
  ['Garmni/activity', 'Garmin/Activity'],
  ['.wnie/rides', '.wine/rides'],
])('suggests for %s the existing folder %s', async (typed, meant) => {
  const text = await notThereYet(join(home, typed));
  expect(text).toBe(`It does not exist yet. Did you mean ${join(home, meant)}?`);
});

it.each([
  ['a device that is not plugged in', 'media/WAHOO'],
  ['a missing folder of an existing one', 'Garmin/Courses'],
  ['a folder whose similar name is a file', 'Zwitf'],
  ['a folder whose similar name is hidden', 'wine/rides'],
])('suggests nothing for %s', async (_what, typed) => {
  expect(await notThereYet(join(home, typed))).toBe('It does not exist yet.');
});

it('says that a name which is not valid UTF-8 cannot be opened', async () => {
  expect(await notThereYet(join(home, 'G\uFFFDrmin'))).toContain('is not valid UTF-8');
});
