import { dirname } from 'node:path';
import type { ConnectOptions } from './connect.ts';
import { type Config, type SettingOverrides, loadConfig } from '../config/config.ts';
import type { Deps } from './deps.ts';
import { SyncError } from '../base/errors.ts';
import { findDistrust } from '../system/folder-trust.ts';
import type { AppContext } from './context.ts';
import { type Paths, findPaths } from '../config/paths.ts';
import type { Zone } from '../records/types.ts';

/** Transitional: the context of a command that is not yet one file. */
export interface Invocation extends AppContext {
  readonly deps: Deps;
}

/** The configuration of the profile that this context acts for. @throws SyncError `CONFIG` */
export function configFor(context: AppContext, overrides: SettingOverrides = {}): Config {
  const config = quietConfigFor(context, overrides);
  const { configFile, stateDir } = config.paths;
  warnOfDistrust(context, dirname(configFile));
  warnOfDistrust(context, stateDir);
  return config;
}

/** {@link configFor} without warnings about the folders, for a command that reports them. */
export function quietConfigFor(context: AppContext, overrides: SettingOverrides = {}): Config {
  const { env, flags } = context;
  return loadConfig({ env, paths: pathsFor(context) }, flags.profile, overrides);
}

/** What each context was warned of already. */
const warned = new WeakMap<AppContext, Set<string>>();

/** Warns if other users can change what this program keeps in a folder. */
export function warnOfDistrust(context: AppContext, folder: string): void {
  const found = findDistrust(folder);
  const known = warned.get(context) ?? new Set();
  if (found === undefined || known.has(found.path)) return;
  warned.set(context, known.add(found.path));
  context.output.warn(
    `${found.path} ${found.reason}, who can so change what is in ${folder}.\n` +
      `  Run \`${found.fix}\`.`,
  );
}

/** @throws SyncError `CONFIG` where there is no home folder */
export function pathsFor({ env, platform, homeDir }: AppContext): Paths {
  return findPaths(env, platform, homeDir);
}

/** How an context talks to the service. */
export function connectOptions(
  { io, output, version }: AppContext,
  connections: number,
): ConnectOptions {
  return {
    version,
    connections,
    attended: io.interactive,
    onWarning: (text) => output.warn(text),
    onPause: (text) => output.say(text),
    trace: (line) => output.detail(line),
  };
}

/**
 * The zone that counts: the flag's, the environment's, the profile's, else this machine's.
 *
 * @throws SyncError `CONFIG` if none says, and the machine's cannot be told
 */
export function zoneFor(config: Config, { machineZone }: Pick<Deps, 'machineZone'>): Zone {
  const name = config.get('timezone');
  const from = config.originOf('timezone');
  if (name === undefined || from === 'default') return { name: machineZone(), from: 'machine' };
  return { name, from };
}

/** The zone to show times in: where it cannot be told, UTC, and that is said. */
export function zoneShown(config: Config, context: AppContext): string {
  const { output } = context;
  try {
    return zoneFor(config, context).name;
  } catch (error) {
    if (!(error instanceof SyncError) || config.get('timezone') !== undefined) throw error;
    if (!output.json)
      output.warn(`${error.message} Times are shown in UTC.\n  ${error.hint ?? ''}`);
    return 'UTC';
  }
}

/** A flag's whole number. @throws SyncError `USAGE` that says what is allowed */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new SyncError('USAGE', `${flag} ${text}: not a whole number from ${least} to ${most}.`);
  }
  return number;
}
