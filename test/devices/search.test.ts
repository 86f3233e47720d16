import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MountReader } from '../../src/devices/mount-reader.ts';
import type { SearchAnswer } from '../../src/devices/protocol.ts';
import { search } from '../../src/devices/search.ts';
import { foldersOf, garminXml, write, writeRecording } from './support.ts';

/** The device is pulled out when its first file is read. */
class PulledOut extends MountReader {
  readonly #root: string;

  constructor(root: string) {
    super(10_000);
    this.#root = root;
  }

  override async head(path: string, bytes: number): Promise<Buffer | undefined> {
    rmSync(this.#root, { recursive: true, force: true });
    return await super.head(path, bytes);
  }
}

it.each([true, false])('finds a device unless it leaves meanwhile: %s', async (stays) => {
  const media = mkdtempSync(join(tmpdir(), 'sync-media-'));
  onTestFinished(() => rmSync(media, { recursive: true, force: true }));
  const root = join(media, 'GARMIN');
  write(join(root, 'Garmin/GarminDevice.xml'), garminXml('Edge 840', '3412345678'));
  writeRecording(join(root, 'Garmin/Activity/ride.fit'));
  const request = {
    platform: process.platform,
    env: {},
    homeDir: '',
    mounts: foldersOf(media),
    apps: false,
    survey: false,
    limitMs: 10_000,
  };
  const answers: SearchAnswer[] = [];
  await search(request, (answer) => answers.push(answer), stays ? undefined : new PulledOut(root));
  expect(answers).toMatchObject(
    stays ? [{ state: 'found', device: { key: 'serial:garmin:3412345678' } }] : [],
  );
});
