import { SyncError } from '../base/errors.ts';
import { DEFAULT_PROFILE, knownText, readConfigFile } from '../config/config.ts';
import { storedProfiles } from '../credentials/file.ts';
import { listWatchers } from '../daemon/registry.ts';
import { pathsFor, refuseForeignState } from './config.ts';
import { type AppContext, createContext } from './context.ts';

/**
 * Returns a context for each profile that has settings, a stored login, or had a watcher, sorted by
 * name; without any, for the profile of this command line. Its output names that profile in the
 * commands to type.
 *
 * @throws SyncError `CONFIG` if the configuration file cannot be read; `STORAGE`
 */
export function contextOfEachProfile(context: AppContext): AppContext[] {
  const found = knownProfiles(context);
  const names = found.length > 0 ? found : [context.flags.profile ?? DEFAULT_PROFILE];
  return names.map((profile) => createContext(context, { ...context.flags, profile }));
}

/**
 * Refuses the name of a profile that has nothing on this machine, beside profiles that have.
 *
 * @throws SyncError `USAGE` for a misspelt name; `CONFIG` and `STORAGE` as {@link contextOfEachProfile}
 */
export function refuseUnknownProfile(context: AppContext, profile: string): void {
  const known = knownProfiles(context);
  if (profile === DEFAULT_PROFILE || known.length === 0 || known.includes(profile)) return;
  throw new SyncError('USAGE', `There is no profile "${profile}".`, {
    hint: knownText(known).trimEnd(),
  });
}

function knownProfiles(context: AppContext): string[] {
  const { configFile, stateDir } = pathsFor(context);
  refuseForeignState(stateDir);
  const found = new Set([
    ...Object.keys(readConfigFile(configFile).profiles),
    ...storedProfiles(stateDir),
    ...listWatchers(stateDir).flatMap(({ state }) => state?.profile ?? []),
  ]);
  return [...found].sort();
}
