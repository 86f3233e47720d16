import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandModule } from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { devicePlaces } from '../../app/device-places.ts';
import { zoneShown } from '../../app/zone.ts';
import { ExitCode, SyncError, systemCode } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { surveyDevices } from '../../devices/find.ts';
import { patternText } from '../../devices/places.ts';
import type { Places } from '../../devices/types.ts';
import { describeFileError, exists } from '../../system/plain-file.ts';
import { countUnsent } from './unsent.ts';
import {
  LOGIN_FIRST,
  RECONNECT,
  WATCH_THEM,
  nothingText,
  surveyJson,
  surveyText,
} from './words.ts';

/** Lists connected devices and installed apps. Reads a few recordings, and sends no request. */
export const devices: CommandModule = {
  declare: (command) =>
    command.argument('[dir...]', 'look in these folders, such as a card at an unusual place'),
  examples: [
    'sync devices',
    'sync devices /mnt/backup/card    # a device, or a folder with devices, at another place',
    'sync devices --json',
  ],
  documents: ['devices.md'],

  async run(context, folders: readonly string[]) {
    const { clock, output, platform, signal } = context;
    const config = configFor(context);
    const places = devicePlaces(context, folders);
    const progress = output.progress();
    progress.update({ noun: 'device', current: 'Looking for devices' });
    const found = await surveyDevices(places, signal).finally(() => progress.stop());
    if (found.devices.length + found.silent.length === 0) checkFolders(context, folders);

    const zone =
      output.json || found.devices.length === 0 ? 'UTC' : await zoneShown(config, context);
    const view = { zone, now: clock.now(), aligned: false };
    const unsent = await countUnsent(context, config, found.devices);
    for (const [at, device] of found.devices.entries()) {
      output.result(surveyJson(device, unsent?.[at]), surveyText(device, unsent?.[at], view));
    }
    if (found.devices.length > 0) output.say(unsent === undefined ? LOGIN_FIRST : WATCH_THEM);
    for (const folder of found.silent) output.warn(phrase`${folder} does not answer. ${RECONNECT}`);
    const searched = searchedPlaces(places, context, folders);
    output.result(
      { type: 'summary', total: found.devices.length, searched, silent: found.silent },
      found.devices.length + found.silent.length === 0
        ? nothingText(searched, platform, folders.length > 0)
        : undefined,
    );
    return found.silent.length > 0 ? ExitCode.unavailable : ExitCode.ok;
  },
};

function searchedPlaces(
  { mounts }: Places,
  { cwd }: AppContext,
  folders: readonly string[],
): readonly string[] {
  return folders.length > 0
    ? folders.map((folder) => resolve(cwd, folder))
    : mounts.map(patternText);
}

/**
 * Refuses a folder that cannot be read. Called only after every folder answered the search, so that none
 * hangs.
 */
function checkFolders({ cwd }: AppContext, folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      readdirSync(resolve(cwd, folder));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      if (systemCode(error) === 'ENOTDIR' && exists(resolve(cwd, folder))) {
        throw new SyncError('INPUT_INVALID', `${folder} is a file, not a folder with a device.`);
      }
      throw new SyncError('INPUT_INVALID', `${folder}: ${describeFileError(error)}`, {
        cause: error,
      });
    }
  }
}
