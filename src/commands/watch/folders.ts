import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { eachOnce, overlap } from '../../daemon/registration.ts';
import { isEmpty, listWatchers, scopeNames } from '../../daemon/registry.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { mayHang } from '../../system/mounts.ts';
import { statsOf } from '../../system/plain-file.ts';
import { isRecordingName } from '../../inputs/recording-names.ts';
import { notThereYet } from '../../watch/find/missing-folder.ts';

/** Returns the folders as absolute paths, each once. @throws SyncError `USAGE` if one is a file */
export function foldersToWatch(cwd: string, given: readonly string[]): string[] {
  const folders = eachOnce(cwd, given);
  for (const folder of folders) refuseFile(folder);
  return folders;
}

function refuseFile(path: string): void {
  // The look may hang, so the watcher takes it in a child process. It is a single one: a folder may appear between two.
  if (mayHang(path) || statsOf(path)?.isDirectory() !== false) return;
  const command = isRecordingName(basename(path)) ? 'upload' : 'import';
  throw new SyncError('USAGE', `${path} is a file; watch takes folders.`, {
    hint: phrase`To send it, run ${sync(command, path)}.`,
  });
}

/**
 * Warns of folders that do not exist: a daemon waits for them, and its log is elsewhere.
 *
 * @returns the missing folders
 */
export async function warnOfMissing(
  { output }: AppContext,
  folders: readonly string[],
): Promise<readonly string[]> {
  const missing = folders.filter((folder) => !mayHang(folder) && !existsSync(folder));
  for (const folder of missing) {
    output.warn(`${folder}: ${await notThereYet(folder)}`);
  }
  return missing;
}

/**
 * Warns of running watchers that send from the same folders or devices to another athlete: a device
 * belongs to one athlete. The same athlete's second watcher fails.
 */
export async function warnOfOtherAthletes(
  context: AppContext,
  config: Config,
  { folders, devices }: WatchScope,
): Promise<void> {
  const { key } = await knownAccount(config);
  for (const { state, running } of listWatchers(config.paths.stateDir)) {
    if (!running || state === undefined || state.profile === config.profile) continue;
    if (state.health?.account === key) continue;
    const shared = {
      folders: folders.filter((folder) => overlap({ folders: [folder] }, state)),
      devices: devices === true && state.devices === true,
    };
    if (isEmpty(shared)) continue;
    context.output.warn(
      `Profile "${state.profile}" watches ${scopeNames(shared)}, too: new recordings go to both athletes.`,
    );
  }
}
