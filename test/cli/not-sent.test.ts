import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notSent } from '../../src/cli/not-sent.ts';
import { scratchDir } from '../support/scratch-dir.ts';

/** Makes a folder with these files in it; a name that ends with / is a folder. */
function folderWith(...names: readonly string[]): string {
  const dir = scratchDir();
  for (const name of names) {
    const path = join(dir, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, '');
  }
  return dir;
}

/** The remark without its first sentence. */
const wayFor = (files: readonly string[], ...paths: readonly string[]) => {
  const text = notSent(paths, folderWith(...files));
  return text === undefined ? undefined : String(text).replace(/^[^.]*\. /, '');
};

describe('a path for which sync sent nothing', () => {
  it.each<[string, string]>([
    ['ride.fit', '`sync upload ride.fit` sends it.'],
    ['RIDE.FIT.gz', '`sync upload RIDE.FIT.gz` sends it.'],
    ['my ride.fit', '`sync upload "my ride.fit"` sends it.'],
    ['export.zip', '`sync import export.zip` shows what can be sent, and sends it.'],
    ['export.xml', '`sync import export.xml` shows what can be sent, and sends it.'],
    ['days.csv.gz', '`sync import days.csv.gz` shows what can be sent, and sends it.'],
    ['wellness.json', '`sync push wellness wellness.json` sends it.'],
    ['my-Nutrition.csv', '`sync push nutrition my-Nutrition.csv` sends it.'],
    ['nutrition.zip', '`sync import nutrition.zip` shows what can be sent, and sends it.'],
  ])('is followed by the command that sends it: %s', (name, way) => {
    expect(wayFor([name], name)).toBe(way);
  });

  it.each<[string, string[], string, string]>([
    [
      'recordings',
      ['rides/a.fit', 'rides/b.txt'],
      'rides',
      '`sync upload rides` sends it, `sync watch rides` sends new recordings, too.',
    ],
    [
      'recordings in folders of years',
      ['rides/2025/05/a.fit'],
      'rides',
      '`sync upload rides` sends it, `sync watch rides` sends new recordings, too.',
    ],
    [
      'a device',
      ['usb/GARMIN/Activity/'],
      'usb',
      '`sync watch usb` sends it, now and whenever it is connected.',
    ],
    [
      'the folder of a device',
      ['usb/Garmin/ACTIVITY/a.fit'],
      'usb/Garmin/ACTIVITY',
      '`sync watch usb/Garmin/ACTIVITY` sends it, now and whenever it is connected.',
    ],
    [
      'exports',
      ['data/wellness.json', 'data/notes.txt'],
      'data',
      '`sync import data` shows what can be sent, and sends it.',
    ],
  ])('is followed by the command for %s in a folder', (_what, files, path, way) => {
    expect(wayFor(files, path)).toBe(way);
  });

  it('is one line for several paths, which import takes if they differ', () => {
    const files = ['a.fit', 'b.fit', 'c.fit', 'd.fit', 'e.zip'];
    expect(wayFor(files, 'a.fit', 'b.fit')).toBe('`sync upload a.fit b.fit` sends them.');
    expect(wayFor(files, ...files.slice(0, 4))).toBe(
      '`sync upload a.fit b.fit c.fit ...` sends them.',
    );
    expect(wayFor(files, 'a.fit', 'e.zip')).toBe(
      '`sync import a.fit e.zip` shows what can be sent, and sends it.',
    );
  });

  it('says what sync did instead', () => {
    expect(notSent(['a.fit'], folderWith('a.fit'))).toEqual(
      'Nothing was sent: this only flushes the disk. `sync upload a.fit` sends it.',
    );
  });

  it.each<[string, string[], string[]]>([
    ['another file', ['notes.txt', '.hidden.fit'], ['notes.txt', '.hidden.fit']],
    ['a folder without recordings', ['src/main.c', 'src/Activity/x.c'], ['src']],
    ['a folder of hidden recordings', ['home/.cache/a.fit'], ['home']],
    ['recordings that lie deep', ['a/b/c/d/e/f.fit'], ['a']],
    ['a path that is gone', [], ['gone.fit']],
    ['no path', [], []],
  ])('is no remark about %s', (_what, files, paths) => {
    expect(notSent(paths, folderWith(...files))).toBeUndefined();
  });

  it('is found among the first 500 entries, and not by reading all of a large folder', () => {
    const many = Array.from({ length: 700 }, (_, n) => `many/${n}.txt`);
    expect(notSent(['many'], folderWith(...many))).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32' || process.geteuid?.() === 0)(
    'may be a folder that cannot be read (not run as root)',
    () => {
      const dir = folderWith('shut/a.fit');
      chmodSync(join(dir, 'shut'), 0o000);
      expect(notSent(['shut'], dir)).toBeUndefined();
      chmodSync(join(dir, 'shut'), 0o700);
    },
  );
});
