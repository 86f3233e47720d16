import { readConfigFile } from '../config/config.ts';
import { listWatchers } from '../daemon/registry.ts';
import { pathsFor } from './config.ts';
import { type AppContext, createContext } from './context.ts';

/**
 * Returns a context for each profile that has settings or had a watcher, sorted by name. Its output
 * names that profile in the commands to type.
 *
 * @throws SyncError `CONFIG` if the configuration file cannot be read; `STORAGE`
 */
export function contextOfEachProfile(context: AppContext): AppContext[] {
  const { configFile, stateDir } = pathsFor(context);
  const found = new Set([
    ...Object.keys(readConfigFile(configFile).profiles),
    ...listWatchers(stateDir).flatMap(({ state }) => state?.profile ?? []),
  ]);
  return [...found]
    .sort()
    .map((profile) => createContext(context, context.version, { ...context.flags, profile }));
}
