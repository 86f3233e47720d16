import type { Failure } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { type SeenHealth, healthOf, listWatchers, scopeOf } from '../daemon/registry.ts';
import type { WatchScope } from '../daemon/state-file.ts';

/** The watchers of a profile, as `status`, `explain` and `doctor` see them. */
export interface WatcherFacts {
  /** The running watchers. */
  readonly watching: readonly SeenHealth[];
  /** The last one, if none runs, and when it ended or last wrote its state (ms since 1970). */
  readonly watchedLast: (WatchScope & { readonly until: number }) | undefined;
}

/**
 * Reads what the watchers of a profile wrote about themselves.
 *
 * @param now ms since 1970
 * @param disk the fault of the disk of the state folder, if it was looked at
 * @throws SyncError `STORAGE`
 */
export function readWatchers(
  { paths, profile }: Config,
  now: number,
  disk?: Failure,
): WatcherFacts {
  const own = listWatchers(paths.stateDir).flatMap(({ state, ...found }) =>
    state?.profile === profile ? [{ ...found, state }] : [],
  );
  const watching = own
    .filter(({ running }) => running)
    .flatMap((found) => healthOf(found, now, disk) ?? []);
  const [last] = own
    .filter(({ running }) => !running)
    .map(({ state }) => {
      const { startedAt, readyAt = startedAt, ended, health } = state;
      const seenAt = health === undefined ? readyAt : Date.parse(health.updatedAt);
      return { ...scopeOf(state), until: ended?.at ?? seenAt };
    })
    .sort((a, b) => b.until - a.until);
  return { watching, watchedLast: watching.length === 0 ? last : undefined };
}

/** Returns the watched folders, also of devices, on a file system that does not answer. */
export function silentFolders({ watching }: Pick<WatcherFacts, 'watching'>): readonly string[] {
  const silent = watching.flatMap(({ folders }) =>
    folders.filter(({ state }) => state === 'silent').map(({ path }) => path),
  );
  return [...new Set(silent)];
}
