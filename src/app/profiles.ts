import { DEFAULT_PROFILE, readConfigFile } from '../config/config.ts';
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
  const { configFile, stateDir } = pathsFor(context);
  refuseForeignState(stateDir);
  const found = new Set([
    ...Object.keys(readConfigFile(configFile).profiles),
    ...storedProfiles(stateDir),
    ...listWatchers(stateDir).flatMap(({ state }) => state?.profile ?? []),
  ]);
  if (found.size === 0) found.add(context.flags.profile ?? DEFAULT_PROFILE);
  return [...found].sort().map((profile) => createContext(context, { ...context.flags, profile }));
}
