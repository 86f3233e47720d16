import { dirname } from 'node:path';
import type { ConnectOptions } from '../commands/connect.ts';
import { type Config, type SettingOverrides, loadConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { SyncError } from '../errors.ts';
import { findDistrust } from '../folder-trust.ts';
import type { GlobalFlags, Output } from '../output.ts';
import { type Paths, findPaths } from '../paths.ts';
import type { Zone } from '../records/types.ts';

/** One start of a command: the world, the flags that all commands take, and where its words go. */
export interface Invocation {
  readonly deps: Deps;
  readonly version: string;
  readonly flags: GlobalFlags;
  readonly output: Output;
}

/** The configuration of the profile that this invocation acts for. @throws SyncError `CONFIG` */
export function configFor(invocation: Invocation, overrides: SettingOverrides = {}): Config {
  const config = quietConfigFor(invocation, overrides);
  const { configFile, stateDir } = config.paths;
  warnOfDistrust(invocation, dirname(configFile));
  warnOfDistrust(invocation, stateDir);
  return config;
}

/** {@link configFor} without warnings about the folders, for a command that reports them. */
export function quietConfigFor(invocation: Invocation, overrides: SettingOverrides = {}): Config {
  const { deps, flags } = invocation;
  return loadConfig({ env: deps.env, paths: pathsFor(invocation) }, flags.profile, overrides);
}

/** What each invocation was warned of already. */
const warned = new WeakMap<Invocation, Set<string>>();

/** Warns if other users can change what this program keeps in a folder. */
export function warnOfDistrust(invocation: Invocation, folder: string): void {
  const found = findDistrust(folder);
  const known = warned.get(invocation) ?? new Set();
  if (found === undefined || known.has(found.path)) return;
  warned.set(invocation, known.add(found.path));
  invocation.output.warn(
    `${found.path} ${found.reason}, who can so change what is in ${folder}.\n` +
      `  Run \`${found.fix}\`.`,
  );
}

/** @throws SyncError `CONFIG` where there is no home folder */
export function pathsFor({ deps }: Invocation): Paths {
  return findPaths(deps.env, deps.platform, deps.homeDir);
}

/** How an invocation talks to the service. */
export function connectOptions(
  { deps, output, version }: Invocation,
  connections: number,
): ConnectOptions {
  return {
    version,
    connections,
    attended: deps.io.interactive,
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
export function zoneShown(config: Config, { deps, output }: Invocation): string {
  try {
    return zoneFor(config, deps).name;
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
