import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agrees } from '../../app/confirm.ts';
import type { AppContext } from '../../app/context.ts';
import { devicePlaces } from '../../app/device-places.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { changeProfile } from '../../config/config-write.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { findDevices } from '../../devices/find.ts';
import type { Device } from '../../devices/types.ts';
import { REMOTE_CHILD, RemoteReaders } from '../../devices/remote/reader.ts';
import { mayHang } from '../../system/mounts.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import { makeStateFolder } from '../../system/storage.ts';
import { isIgnored } from '../../watch/find/device-folders.ts';
import { wellnessFolders } from '../../watch/wellness/folders.ts';

/** Longest wait for a folder that does not answer (ms). */
const LOOK_MS = 5_000;

/** `--wellness`, for every command that starts a watcher: name, description. */
export const WELLNESS_FLAG = [
  '--wellness',
  'also send completed days from the wellness files of devices',
] as const;

/**
 * Offers to send wellness, if one of the folders belongs to a device that records it. Asks at a terminal,
 * and records the answer in the settings; prints a hint elsewhere.
 *
 * @returns undefined if nothing was decided: a device with wellness may appear later
 */
export async function offerWellness(
  context: AppContext,
  config: Config,
  { folders, devices = false }: WatchScope,
): Promise<boolean | undefined> {
  const { io, output, signal } = context;
  const plugged = devices ? (await findDevices(devicePlaces(context), signal)).devices : [];
  const ignored = config.get('ignoreDevices') ?? [];
  const watched = plugged.filter((device) => !isIgnored(device, ignored));
  const name = await firstWithWellness(context, folders, watched);
  if (name === undefined) return undefined;
  if (!io.interactive || output.json) {
    hintAtWellness(context, config, name);
    return false;
  }
  output.say(aboutWellness(name));
  const cancelled = 'Nothing was started.';
  const isWanted = await agrees(context, 'Send completed days, too?', { cancelled });
  await changeProfile(config.paths, config.profile, { settings: { wellness: String(isWanted) } });
  output.say(phrase`To change that: ${sync('config', 'set', 'wellness', String(!isWanted))}.`);
  return isWanted;
}

/** Prints a hint if a folder that is there now belongs to a device that records wellness. */
export async function hintOfFolder(
  context: AppContext,
  config: Config,
  folder: string,
): Promise<void> {
  const found = await firstWithWellness(context, [folder]);
  if (found !== undefined) hintAtWellness(context, config, found);
}

/** Returns the title of the first device, or the first folder, that holds wellness files. */
async function firstWithWellness(
  { programDir, env, signal }: AppContext,
  folders: readonly string[],
  plugged: readonly Pick<Device, 'title' | 'wellness'>[] = [],
): Promise<string | undefined> {
  const readers = new RemoteReaders({
    childPath: join(programDir, REMOTE_CHILD),
    env,
    silenceMs: LOOK_MS,
  });
  const list = async (path: string) =>
    mayHang(path) ? await readers.of(path).list(path, signal) : readdirSync(path);
  // A listing over MTP asks the device about each file: without it, the folder counts as holding files.
  const holdsFiles = async (place: string) =>
    isOnMtp(place) || (await list(place).catch(() => [])).some((file) => /\.fit$/i.test(file));
  try {
    const places = plugged.flatMap(({ title, wellness }) =>
      wellness.map((place) => ({ name: title, place })),
    );
    for (const folder of folders.filter((each) => !isOnMtp(each))) {
      const found = await wellnessFolders(folder, list).catch(() => []);
      places.push(...found.map((place) => ({ name: `The device at ${folder}`, place })));
    }
    for (const { name, place } of places) if (await holdsFiles(place)) return name;
    return undefined;
  } finally {
    readers.close();
  }
}

/** Prints, once a profile, that a device records wellness that is not sent. @param name of it */
function hintAtWellness(context: AppContext, config: Config, name: string): void {
  const offers = join(config.paths.stateDir, 'offers');
  const mark = join(offers, `wellness-${config.profile}`);
  if (existsSync(mark)) return;
  makeStateFolder(offers);
  writeFileSync(mark, '', { mode: 0o600 });
  context.warn(
    phrase`${aboutWellness(name)} ${sync('config', 'set', 'wellness', 'true')} lets the next start send it, too.`,
  );
}

function aboutWellness(name: string): string {
  return `${name} also records wellness: resting heart rate, HRV, VO2max or weight.`;
}
