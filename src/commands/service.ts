import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { makeStateFolder } from '../system/storage.ts';
import { haveOneInCommon } from '../daemon/registration.ts';
import { inspectWatcher, listWatchers, watcherPaths } from '../daemon/registry.ts';
import { type ServiceKind, type ServiceManager, serviceManager } from '../os-service/manager.ts';
import type { Run } from '../os-service/runner.ts';
import { requireLogin, runDaemonStart } from './daemon-start.ts';
import {
  type DaemonReport,
  type DaemonStopNeeds,
  absoluteFolders,
  absoluteStateDir,
  runDaemonStatus,
  stopAll,
} from './daemon.ts';
import { defineService } from './service-definition.ts';

export interface ServiceNeeds extends DaemonStopNeeds {
  readonly run: Run;
  readonly uid: number | undefined;
  readonly onWarning: (text: string) => void;
}

export interface ServiceReport {
  readonly kind: ServiceKind;
  readonly name: string;
  readonly file: string;
}

export interface ServiceInstalled extends ServiceReport {
  readonly folders: readonly string[];
  /** It was seen to watch; false: it was started, and is not that far yet. */
  readonly watching: boolean;
  readonly log: string;
  /** What a person should know, in sentences. */
  readonly remarks: readonly string[];
}

/** How long a service may take until it watches before nobody waits for it any longer, in ms. */
const WATCHING_MS = 30_000;
const LOOK_MS = 100;

/** The service of this profile; undefined where none is installed, or none can be. */
export function installedService(needs: ServiceNeeds): ServiceReport | undefined {
  try {
    const manager = managerFor(needs);
    return manager.installed() ? reportOf(manager) : undefined;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'CONFIG') return undefined;
    throw error;
  }
}

/**
 * Tells the system to leave this profile's service alone until the next login.
 *
 * @param folders as `runDaemonStop` was given them: none means all
 * @returns undefined: there is none, or it watches other folders
 */
export async function stopService(
  folders: readonly string[],
  needs: ServiceNeeds,
): Promise<ServiceReport | undefined> {
  const service = installedService(needs);
  if (service === undefined) return undefined;
  const wanted = absoluteFolders(needs.deps, folders);
  const meant =
    wanted.length === 0 ||
    runDaemonStatus(needs).some(
      (daemon) => daemon.kind === service.kind && haveOneInCommon(daemon.folders, wanted),
    );
  if (!meant) return undefined;
  await managerFor(needs).stop();
  return service;
}

/**
 * Makes the watching of these folders a service of the system's own, in place of the one that this
 * profile may have, and starts it.
 *
 * @throws SyncError `AUTH_REQUIRED` if there is no login that outlives this shell; `CONFIG` where
 *   no service can be made; `STORAGE` when the system refuses
 */
export async function runServiceInstall(
  { folders: given }: { readonly folders: readonly string[] },
  needs: ServiceNeeds,
): Promise<ServiceInstalled> {
  const { config, deps } = needs;
  const folders = absoluteFolders(deps, given);
  const manager = managerFor(needs);
  await requireLastingLogin(needs);
  const { definition, left } = defineService(folders, manager.kind, needs);
  const paths = watcherPaths(absoluteStateDir(needs), config.profile, folders);
  // Most refusals come now, while nothing has been touched.
  await manager.check(definition);
  // launchd makes files, not folders.
  makeStateFolder(paths.dir);
  const running = runDaemonStatus(needs).filter((daemon) => daemon.running);
  // One that was started by hand would keep the service from its folders.
  const byHand = running.filter(
    ({ kind, folders: theirs }) => kind === 'daemon' && haveOneInCommon(theirs, folders),
  );
  // systemd ends the earlier service by itself, and only when it starts the new one.
  const earlier = running.filter(({ kind }) => kind === manager.kind && kind !== 'systemd');
  const startedBy = deps.clock.now();
  let remarks: readonly string[];
  try {
    await end(byHand, needs);
    await end(earlier, needs);
    remarks = await manager.install(definition);
  } catch (error) {
    await startAgain([...byHand, ...earlier], needs);
    throw error;
  }
  const isWatching = () => {
    const { running: up, state } = inspectWatcher(paths);
    return up && state?.readyAt !== undefined && state.startedAt >= startedBy;
  };
  let watching = isWatching();
  while (!watching && deps.clock.now() < startedBy + WATCHING_MS) {
    await deps.clock.sleep(LOOK_MS, deps.signal);
    watching = isWatching();
  }
  return {
    ...reportOf(manager),
    folders,
    watching,
    log: paths.logFile,
    remarks: [...left, ...remarks],
  };
}

/**
 * Ends and removes this profile's service.
 * @returns undefined: there was none
 */
export async function runServiceUninstall(needs: ServiceNeeds): Promise<ServiceReport | undefined> {
  const manager = managerFor(needs);
  if (!(await manager.uninstall())) return undefined;
  // What Windows' Task Scheduler started is no longer its own, and does not end with the task.
  const left = runDaemonStatus(needs).filter(
    ({ running, kind }) => running && kind === manager.kind,
  );
  await end(left, needs);
  return reportOf(manager);
}

/** @throws SyncError `BUSY` if one does not end */
async function end(daemons: readonly DaemonReport[], needs: ServiceNeeds): Promise<void> {
  const stopped = await stopAll(
    daemons.map(({ id }) => id),
    needs,
  );
  const left = stopped.find(({ outcome }) => outcome !== 'stopped');
  if (left === undefined) return;
  throw new SyncError('BUSY', `The daemon for ${left.folders.join(', ')} does not end.`, {
    hint: 'Try `sync daemon stop`, then this again.',
  });
}

/**
 * Starts those of the daemons that do not run any more, as they were started. What launchd keeps is
 * started by it, when it takes the earlier service back.
 */
async function startAgain(daemons: readonly DaemonReport[], needs: ServiceNeeds): Promise<void> {
  // Also where a person has had enough of waiting.
  const deps = { ...needs.deps, signal: new AbortController().signal };
  const states = listWatchers(absoluteStateDir(needs));
  for (const { id, folders, kind } of daemons) {
    const found = states.find(({ paths }) => paths.id === id);
    if (found?.running === true || kind === 'launchd') continue;
    try {
      const passOn = found?.state?.passOn ?? [];
      await runDaemonStart({ folders, kind, passOn }, { ...needs, deps });
    } catch (error) {
      needs.onWarning(
        `The daemon for ${folders.join(', ')} was ended, and does not start again: ${messageOf(error)}`,
      );
    }
  }
}

function managerFor(needs: ServiceNeeds): ServiceManager {
  const { config, deps, run, uid } = needs;
  const { platform, env, homeDir, clock, signal } = deps;
  const stateDir = absoluteStateDir(needs);
  return serviceManager(config.profile, {
    platform,
    env,
    homeDir,
    stateDir,
    uid,
    run,
    clock,
    signal,
  });
}

function reportOf({ kind, name, file }: ServiceManager): ServiceReport {
  return { kind, name, file };
}

/**
 * A service starts without this shell: what is only in its environment is not there. Tokens are
 * never written into a service's description.
 */
async function requireLastingLogin(needs: ServiceNeeds): Promise<void> {
  const { config, deps, onWarning } = needs;
  if (!hasEnvironmentTokens(config)) {
    await requireLogin(needs);
    return;
  }
  const store = openStore(config, { ...deps, attended: deps.io.interactive });
  if ((await store.load(deps.signal)) === undefined) {
    throw new SyncError(
      'AUTH_REQUIRED',
      'The login is only in this shell (SYNC_ACCESS_TOKEN, SYNC_REFRESH_TOKEN): a service would ' +
        'start without it, and tokens are not written into its description.',
      { hint: 'Run `sync login` first; it keeps the login where the service finds it.' },
    );
  }
  onWarning(`The service will use the login in ${store.describe()}, not the tokens of this shell.`);
}
