import type { CommandModule } from '../../app/command.ts';
import type { AppContext } from '../../app/context.ts';
import { configFor } from '../../app/config.ts';
import { refuseUnknownProfile } from '../../app/profiles.ts';
import { ExitCode, SyncError, messageOf } from '../../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { NEVER } from '../../base/tasks.ts';
import { type Config, hasEnvironmentTokens } from '../../config/config.ts';
import { openStore } from '../../credentials/open-store.ts';
import { overlap } from '../../daemon/registration.ts';
import {
  inspectWatcher,
  isEmpty,
  scopeNames,
  type WatcherPaths,
  watcherPaths,
} from '../../daemon/registry.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { type ServiceManager, serviceManager } from '../../daemon/os-service/manager.ts';
import { systemRunner } from '../../daemon/os-service/runner.ts';
import { makeStateFolder } from '../../system/storage.ts';
import { warnOfMissing, warnOfOtherAthletes } from '../watch/folders.ts';
import { WELLNESS_FLAG, offerWellness } from '../watch/offer-wellness.ts';
import { passedOn } from '../watch/passed-on.ts';
import { DEVICES_FLAG, requireProfile, scopeToWatch } from '../watch/scope.ts';
import {
  type KnownDaemon,
  SERVICE_MANAGERS,
  findDaemons,
  isThere,
  requireLogin,
  startDaemon,
  stopDaemons,
} from './daemons.ts';
import { defineService } from './service-definition.ts';

interface InstallFlags {
  readonly devices: boolean;
  readonly wellness?: boolean;
}

export const daemonInstall: CommandModule = {
  declare: (command) =>
    command
      .argument('[dir...]', 'folders, which may come and go, such as a device')
      .option(...DEVICES_FLAG)
      .option(...WELLNESS_FLAG),
  examples: ['sync daemon install ~/Garmin', 'sync daemon install --devices'],
  documents: ['daemon.md'],

  async run(context, dirs: readonly string[], flags: InstallFlags) {
    const { devices, wellness } = flags;
    const { output } = context;
    const config = configFor(context);
    await requireProfile(context, config);
    const scope = await scopeToWatch(context, config, dirs, devices, ['daemon', 'install']);
    if (scope === undefined) return ExitCode.ok;
    if ((wellness ?? config.get('wellness')) === undefined) {
      await offerWellness(context, config, scope);
    }
    const installed = await installService(context, config, scope, passedOn(daemonInstall, flags));
    const { isWaiting, ...report } = installed;
    output.result(serviceJson(report), installedText(report, isWaiting));
    for (const remark of report.remarks) output.say(remark);
    return ExitCode.ok;
  },
};

export const daemonUninstall: CommandModule = {
  examples: ['sync daemon uninstall'],
  documents: ['daemon.md'],

  async run(context) {
    const config = configFor(context);
    const removed = await uninstallService(context, config);
    if (removed === undefined) refuseUnknownProfile(context, config.profile);
    context.output.result(
      removed === undefined
        ? { type: 'service', installed: false, removed: false }
        : { ...serviceJson(removed), installed: false, removed: true },
      removed === undefined
        ? 'No service is installed for this profile.'
        : `Removed the service ${removed.name} from ${SERVICE_MANAGERS[removed.kind]}. Uploaded recordings stay at the platform.`,
    );
    return ExitCode.ok;
  },
};

export type ServiceReport = Pick<ServiceManager, 'kind' | 'name' | 'file'> &
  Pick<Config, 'profile'>;

/** How long to wait for the service's first rescan (ms). */
const WATCHING_MS = 30_000;
const LOOK_MS = 100;

/** Returns the service of this profile; undefined if none is installed, or none can be. */
export function installedService(context: AppContext, config: Config): ServiceReport | undefined {
  try {
    const manager = managerFor(context, config);
    return manager.installed() ? reportOf(config, manager) : undefined;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'CONFIG') return undefined;
    throw error;
  }
}

/**
 * Stops this profile's service until the next login of the user.
 *
 * @param wanted only if it watches one of these; nothing: in any case
 * @returns undefined if there is none, or it watches others
 */
export async function stopService(
  context: AppContext,
  config: Config,
  wanted: WatchScope,
): Promise<ServiceReport | undefined> {
  const service = installedService(context, config);
  if (service === undefined) return undefined;
  const meant =
    isEmpty(wanted) ||
    findDaemons(config, [config.profile]).some(
      ({ state }) => state.kind === service.kind && overlap(state, wanted),
    );
  if (!meant) return undefined;
  await managerFor(context, config).stop();
  return service;
}

/**
 * Installs and starts a service of the operating system with this scope. It replaces the
 * profile's earlier service.
 *
 * @param passOn flags of `sync watch`
 * @throws SyncError `AUTH_REQUIRED` if no login outlives this shell; `CONFIG` if the system supports
 *   no services; `STORAGE` if the system refuses
 */
async function installService(
  context: AppContext,
  config: Config,
  scope: WatchScope,
  passOn: readonly string[],
) {
  const manager = managerFor(context, config);
  await requireLastingLogin(context, config);
  const { definition, left } = defineService(context, config, scope, manager.kind, passOn);
  const paths = watcherPaths(config.paths.stateDir, config.profile, scope);
  // Finds most refusals before anything is changed.
  await manager.check(definition);
  // launchd creates files, not folders.
  makeStateFolder(paths.dir);
  await warnOfOtherAthletes(context, config, scope);
  const missing = await warnOfMissing(context, scope.folders);
  // A daemon that the user started would keep the service from its folders. systemd stops the earlier service itself,
  // when it starts the new one.
  const replaced = runningDaemons(context, config).filter(({ state }) =>
    state.kind === 'daemon'
      ? overlap(state, scope)
      : state.kind === manager.kind && state.kind !== 'systemd',
  );
  const startedBy = context.clock.now();
  let remarks: readonly string[];
  try {
    await end(context, replaced);
    remarks = await manager.install(definition);
  } catch (error) {
    await startAgain(context, config, replaced);
    throw error;
  }
  return {
    ...reportOf(config, manager),
    ...scope,
    /** It watches folders only, and none exists yet. */
    isWaiting: scope.devices !== true && missing.length === scope.folders.length,
    /** False: it was started, but its first rescan is not complete yet. */
    watching: await isWatchingSoon(context, paths, startedBy),
    log: paths.logFile,
    remarks: [...left, ...remarks],
  };
}

/** Waits for the first rescan of a watcher that was started after this time (ms since the epoch). */
async function isWatchingSoon(
  { clock, signal }: AppContext,
  paths: WatcherPaths,
  startedBy: number,
): Promise<boolean> {
  const deadline = clock.monotonic() + WATCHING_MS;
  for (;;) {
    const { running, state } = inspectWatcher(paths);
    if (running && state?.readyAt !== undefined && state.startedAt >= startedBy) return true;
    if (clock.monotonic() >= deadline) return false;
    await clock.sleep(LOOK_MS, signal);
  }
}

/**
 * Stops and removes this profile's service.
 *
 * @returns undefined if there was none
 */
async function uninstallService(
  context: AppContext,
  config: Config,
): Promise<ServiceReport | undefined> {
  const manager = managerFor(context, config);
  if (!(await manager.uninstall())) return undefined;
  // On Windows the daemon does not end with the task that started it.
  const running = runningDaemons(context, config);
  await end(
    context,
    running.filter(({ state }) => state.kind === manager.kind),
  );
  return reportOf(config, manager);
}

function runningDaemons({ platform }: AppContext, config: Config): KnownDaemon[] {
  return findDaemons(config, [config.profile]).filter((daemon) => isThere(daemon, platform));
}

/** Stops daemons. @throws SyncError `BUSY` if one does not end */
async function end(context: AppContext, daemons: readonly KnownDaemon[]): Promise<void> {
  const stopped = await stopDaemons(context, daemons);
  const left = stopped.find(({ outcome }) => outcome !== 'stopped');
  if (left === undefined) return;
  throw new SyncError('BUSY', `The background watcher for ${scopeNames(left)} does not stop.`, {
    hint: phrase`Run ${sync('daemon', 'stop')}, then try again.`,
  });
}

/**
 * Starts daemons that were stopped again, with their flags. launchd starts its own when it restores the
 * earlier service.
 */
async function startAgain(
  context: AppContext,
  config: Config,
  daemons: readonly KnownDaemon[],
): Promise<void> {
  // Also after an interruption.
  const uninterrupted = { ...context, signal: NEVER };
  for (const { paths, state } of daemons) {
    if (inspectWatcher(paths).running || state.kind === 'launchd') continue;
    try {
      await startDaemon(uninterrupted, config, { passOn: [], ...state });
    } catch (error) {
      context.output.warn(
        `The background watcher for ${scopeNames(state)} was stopped, and does not start again: ${messageOf(error)}`,
      );
    }
  }
}

function managerFor(context: AppContext, config: Config): ServiceManager {
  const { stateDir } = config.paths;
  const run = systemRunner(context.env, context.platform);
  return serviceManager(config.profile, { ...context, stateDir, uid: process.getuid?.(), run });
}

function reportOf({ profile }: Config, { kind, name, file }: ServiceManager): ServiceReport {
  return { profile, kind, name, file };
}

/**
 * Checks that the login outlives this shell: a service has another environment, and its definition
 * never holds tokens.
 */
async function requireLastingLogin(context: AppContext, config: Config): Promise<void> {
  if (!hasEnvironmentTokens(config)) {
    await requireLogin(context, config);
    return;
  }
  const store = openStore(config, { ...context, attended: context.io.interactive });
  if ((await store.load(context.signal)) === undefined) {
    throw new SyncError(
      'AUTH_REQUIRED',
      'The login is only in this shell (SYNC_ACCESS_TOKEN, SYNC_REFRESH_TOKEN): a service would ' +
        'start without it, and tokens are not written into its description.',
      { hint: phrase`Run ${sync('login')} first; it keeps the login where the service finds it.` },
    );
  }
  context.output.warn(
    `The service will use the login in ${store.describe()}, not the tokens of this shell.`,
  );
}

export function serviceJson(service: ServiceReport): Record<string, unknown> {
  return { type: 'service', installed: true, ...service };
}

export function serviceText({ kind, name, file }: ServiceReport): string {
  return `Installed as a service of ${SERVICE_MANAGERS[kind]}: ${name} (${file}).`;
}

function installedText(
  installed: Omit<Awaited<ReturnType<typeof installService>>, 'isWaiting'>,
  isWaiting: boolean,
): Text {
  const { watching, log } = installed;
  const what = scopeNames(installed);
  const lines = [
    serviceText(installed),
    watching
      ? `It is ${isWaiting ? 'waiting for' : 'watching'} ${what}.`
      : phrase`It was started for ${what}, and is not watching yet: see ${sync('daemon', 'logs')}.`,
    `Log: ${log}`,
  ];
  return joinTexts(lines);
}
