import type { AppContext } from '../../app/context.ts';
import { loginHint, notLoggedIn } from '../../auth/login-errors.ts';
import { openLoginStore } from '../../credentials/open-store.ts';
import { SyncError } from '../../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { type Config, DEFAULT_PROFILE, hasEnvironmentTokens } from '../../config/config.ts';
import { changeProfile } from '../../config/config-write.ts';
import { DEVICES_WORD } from '../../config/settings.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { scopeOf } from '../../daemon/registry.ts';
import { findDevices } from '../../devices/find.ts';
import type { Device } from '../../devices/types.ts';
import { devicePlaces } from '../../app/device-places.ts';
import { agrees } from '../../app/confirm.ts';
import { foldersToWatch } from './folders.ts';

/** `--devices`, for every command that starts a watcher: name, description, default. */
export const DEVICES_FLAG = [
  '--devices',
  'watch every known device that is plugged in',
  false,
] as const;

/**
 * Returns what to watch: the named folders and devices, or what the user chose before. On a terminal, the
 * first `sync watch` without a folder shows what is there, asks, and remembers the answer.
 *
 * @param command for hints
 * @returns undefined if the user said no
 * @throws SyncError `USAGE` if nothing is named, and nothing can be asked
 */
export async function scopeToWatch(
  context: AppContext,
  config: Config,
  dirs: readonly string[],
  devices: boolean,
  command: readonly [string, ...string[]],
): Promise<WatchScope | undefined> {
  if (dirs.length > 0 || devices)
    return scopeOf({ folders: foldersToWatch(context.cwd, dirs), devices });
  const chosen = config.get('watch');
  if (chosen !== undefined) return chosenScope(context, chosen);
  if (!context.io.interactive) throw nothingNamed(command);
  return await askWhatToWatch(context, config, command);
}

function chosenScope({ cwd }: AppContext, chosen: readonly string[]): WatchScope {
  const folders = chosen.filter((entry) => entry !== DEVICES_WORD);
  return scopeOf({
    folders: foldersToWatch(cwd, folders),
    devices: chosen.includes(DEVICES_WORD),
  });
}

function nothingNamed([name, ...rest]: readonly [string, ...string[]]): SyncError {
  return new SyncError('USAGE', 'No folder is named, and none was chosen before.', {
    hint: phrase`Run ${sync(name, ...rest, '--devices')} for devices that you plug in, or ${sync(name, ...rest, 'DIR')}. On a terminal, ${sync('watch')} shows what there is and asks.`,
  });
}

/** Shows the plugged-in devices and installed apps, asks whether to watch them, and remembers a yes. */
async function askWhatToWatch(
  context: AppContext,
  config: Config,
  command: readonly [string, ...string[]],
): Promise<WatchScope | undefined> {
  const { output, signal } = context;
  const { devices: found } = await findDevices(devicePlaces(context), signal);
  const apps = found.filter(({ kind }) => kind === 'app');
  output.say(foundText(found));
  const others = found.length > apps.length ? 'any other known device' : 'any known device';
  const what =
    found.length === 0
      ? 'Watch for any known device'
      : `Watch these, and ${others} that you plug in,`;
  if (!(await agrees(context, `${what} from now on?`, { onEnter: true }))) {
    const [name, ...rest] = command;
    output.say(phrase`Nothing is watched. Name a folder instead: ${sync(name, ...rest, 'DIR')}.`);
    return undefined;
  }
  const chosen = [DEVICES_WORD, ...apps.flatMap(({ recordings }) => recordings)];
  await changeProfile(config.paths, config.profile, { settings: { watch: chosen.join(', ') } });
  output.say(phrase`Remembered; ${sync('config', 'unset', 'watch')} forgets it.`);
  return chosenScope(context, chosen);
}

function foundText(found: readonly Device[]): Text {
  if (found.length === 0) return 'No known device is plugged in, and no known app has recordings.';
  const lines = found.map(({ title, recordings, root }) => {
    const [folder = root] = recordings;
    return `  ${title}: ${folder}`;
  });
  return joinTexts(['Found:', ...lines]);
}

/**
 * Checks that the profile exists: a watcher would wait for the login of a misspelled one.
 *
 * @throws SyncError `AUTH_REQUIRED`, which names the known profiles
 */
export async function requireProfile(context: AppContext, config: Config): Promise<void> {
  const { profile, profiles } = config;
  const mayLogIn = profile === DEFAULT_PROFILE || profiles.includes(profile);
  if (mayLogIn || hasEnvironmentTokens(config)) return;
  const { interactive: attended } = context.io;
  const store = openLoginStore(config, { ...context, attended });
  if ((await store.load(context.signal)) !== undefined) return;
  throw notLoggedIn(profile, profiles, loginHint(attended));
}
