import { dirname, join, resolve } from 'node:path';
import { phrase } from '../base/phrase.ts';
import { type Config, type SettingOverrides, loadConfig } from '../config/config.ts';
import { type Paths, findPaths } from '../config/paths.ts';
import { readSystemFile } from '../config/system-file.ts';
import {
  distrustMessage,
  findDistrust,
  findOwnDistrust,
  refuseDistrusted,
  rootTrust,
} from '../system/folder-trust.ts';
import type { AppContext } from './context.ts';
import type { Env } from '../base/env.ts';

/**
 * Loads the configuration of the profile in use.
 *
 * @throws SyncError `CONFIG`, also if another user can change the state folder
 */
export function configFor(context: AppContext, overrides: SettingOverrides = {}): Config {
  const config = quietConfigFor(context, overrides);
  const { configFile, stateDir } = config.paths;
  refuseForeignState(stateDir);
  warnOfDistrust(context, dirname(configFile));
  warnOfDistrust(context, stateDir);
  for (const { message, hint } of leakingVariables(context.env)) {
    warnOnce(context, message, hint);
  }
  return config;
}

/**
 * Refuses a state folder in which another user may have put files: its ledger lists the deliveries, and its
 * records of watchers name the processes to stop.
 *
 * @throws SyncError `CONFIG`
 */
export function refuseForeignState(stateDir: string): void {
  const message = `The state folder ${stateDir} is not used`;
  refuseDistrusted(findOwnDistrust(stateDir, 1), message, 'SYNC_STATE_DIR');
}

/** {@link configFor} without a check of the folders, for a command that reports them. */
export function quietConfigFor(context: AppContext, overrides: SettingOverrides = {}): Config {
  const { env, flags, systemConfigFile } = context;
  const system = readSystemFile(systemConfigFile, rootTrust());
  return loadConfig({ env, paths: pathsFor(context), system }, flags.profile, overrides);
}

/** Returns absolute paths: a daemon has another working directory. @throws SyncError `CONFIG` */
export function pathsFor({ env, platform, homeDir, cwd }: AppContext): Paths {
  const { configFile, stateDir } = findPaths(env, platform, homeDir);
  return { configFile: resolve(cwd, configFile), stateDir: resolve(cwd, stateDir) };
}

export function ledgerPath({ stateDir }: Pick<Paths, 'stateDir'>): string {
  return join(stateDir, 'ledger.db');
}

const warned = new WeakMap<AppContext, Set<string>>();

/** Warns, once per context, if other users can change the contents of a folder. */
export function warnOfDistrust(context: AppContext, folder: string): void {
  const found = findDistrust(folder);
  if (found === undefined) return;
  const fix = found.fix === undefined ? 'Name a folder of your own.' : `Run \`${found.fix}\`.`;
  warnOnce(context, distrustMessage(found, folder), fix, found.path);
}

/** @param subject two warnings about one subject are one */
function warnOnce(context: AppContext, message: string, hint: string, subject = message): void {
  const known = warned.get(context) ?? new Set();
  if (known.has(subject)) return;
  warned.set(context, known.add(subject));
  context.warn(phrase`${message}\n  ${hint}`);
}

/**
 * Flags in `NODE_OPTIONS` with which Node.js writes session keys or its memory to a file, or
 * lets every program of this machine attach a debugger.
 */
const LEAKING_FLAGS = /--(tls-keylog|heapsnapshot-[a-z-]+|inspect(-brk|-wait)?)(?=[=\s]|$)/g;

/**
 * Finds variables with which Node.js prints or stores tokens. They serve people who look for a fault, so
 * the commands only warn. `SSLKEYLOGFILE` is none: Node.js ignores it. Neither is `NODE_V8_COVERAGE`, which
 * records places in the program, not values.
 */
export function leakingVariables(env: Env) {
  const leaks: { readonly message: string; readonly hint: string }[] = [];
  if ((env['NODE_DEBUG'] ?? '') !== '') {
    leaks.push({
      message: 'NODE_DEBUG is set: Node.js prints requests to stderr, with their access tokens.',
      hint: 'Show that output to no other person, or unset NODE_DEBUG.',
    });
  }
  const flags = env['NODE_OPTIONS']?.match(LEAKING_FLAGS) ?? [];
  if (flags.length > 0) {
    leaks.push({
      message: `NODE_OPTIONS has ${flags.join(' ')}: others may get this program's tokens.`,
      hint: 'Remove that from NODE_OPTIONS if you are not looking for a fault.',
    });
  }
  return leaks;
}
