import { join } from 'node:path';
import { Option } from 'commander';
import { type CommandModule, dryRun, wholeNumber } from '../../app/command.ts';
import type { AppContext } from '../../app/context.ts';
import { configFor } from '../../app/config.ts';
import { devicePlaces } from '../../app/device-places.ts';
import { type OnceSetup, markOf, openLogin } from '../../app/watching/login.ts';
import { superviseWatcher } from '../../app/watching/supervisor.ts';
import { chooseZoneData, zoneShown } from '../../app/zone.ts';
import { ExitCode, SyncError, exitCodeOf, messageOf } from '../../base/errors.ts';
import { joinTexts, phrase, sync } from '../../base/phrase.ts';
import { type Config, requireBaseUrl, hasEnvironmentTokens } from '../../config/config.ts';
import { type Registration, registerWatcher } from '../../daemon/registration.ts';
import { scopeNames, scopeOf, watcherLogin, watcherPaths } from '../../daemon/registry.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { findDevices } from '../../devices/find.ts';
import { MONITOR_CHILD } from '../../devices/monitor.ts';
import { REMOTE_CHILD } from '../../devices/remote/reader.ts';
import { filesystemType, hasRecursiveEvents } from '../../watch/find/filesystem-type.ts';
import { POLL_MS } from '../../watch/find/watched-folder.ts';
import { hearSignals } from '../../system/signals.ts';
import { garbageCollector, keepIdleHeapSmall, loadAhead } from '../../system/this-process.ts';
import type { WatcherOptions } from '../../watch/parts.ts';
import type { DaemonStartOptions } from '../daemon/daemons.ts';
import { type BackgroundSignals, backgroundKind, runInBackground } from './background.ts';
import { foldersToWatch, warnOfMissing, warnOfOtherAthletes } from './folders.ts';
import { openHooks } from './hooks.ts';
import { NoticePrinter, type NoticeStyle } from './printer.ts';
import { WELLNESS_FLAG, hintOfFolder, offerWellness } from './offer-wellness.ts';
import { runWatchOnce } from './once.ts';
import { passedOn } from './passed-on.ts';
import { DEVICES_FLAG, requireProfile, scopeToWatch } from './scope.ts';
import { watchSummaryJson, watchSummaryText } from './words.ts';

interface WatchFlags {
  readonly devices: boolean;
  readonly once: boolean;
  readonly daemon: boolean;
  readonly newOnly: boolean;
  /** `--poll [SECONDS]`: true if no number was given. */
  readonly poll?: string | boolean;
  readonly dryRun: boolean;
  readonly wellness?: boolean;
  /** Hidden: this process is a daemon, and who keeps it running. */
  readonly background?: string;
}

/** Longest interval of `--poll` (s): a day. */
const MAX_POLL_SECS = 86_400;

export const watch: CommandModule = {
  declare: (command) =>
    command
      .argument('[dir...]', 'folders, which may come and go; none: what you chose before')
      .option(...DEVICES_FLAG)
      .option('--once', 'scan once, send what is new, then exit (for cron)', false)
      .option('--daemon', 'watch in the background', false)
      .option('--new-only', 'ignore the recordings that are there now', false)
      .option(
        '--poll [seconds]',
        `rescan at an interval instead of waiting for file events (default: ${POLL_MS / 1000} s)`,
      )
      .option(...WELLNESS_FLAG)
      .addOption(new Option('--background <kind>', 'this process is a daemon').hideHelp())
      .addOption(dryRun()),
  examples: [
    'sync watch                       # shows what there is, and asks once',
    'sync watch --devices --daemon    # every known device, in the background',
    'sync watch ~/Garmin',
    'sync watch ~/Garmin --wellness   # resting heart rate, HRV, VO2max and weight, too',
    'sync watch --once --devices      # for cron',
    'sync watch --poll 60 /mnt/nas/rides',
  ],
  documents: ['watch.md', 'daemon.md'],

  async run(context, dirs: readonly string[], flags: WatchFlags) {
    const config = configFor(context);
    requireBaseUrl(config);
    const how = { newOnly: flags.newOnly, pollMs: pollMs(flags.poll), dryRun: flags.dryRun };
    const kind = flags.background === undefined ? undefined : backgroundKind(flags.background);
    const once = flags.once || flags.dryRun;
    const passOn = [...(context.flags.verbose ? ['--verbose'] : []), ...passedOn(watch, flags)];
    if (!once && !flags.daemon) await prepareToStay(context);
    if (kind !== undefined && !flags.daemon) {
      const { devices } = flags;
      const watcher = { kind, folders: dirs, devices, passOn };
      return await runInBackground(context, watcher, async (inner, registration, heard) => {
        const config = configFor(inner);
        await requireProfile(inner, config);
        const options = { folders: foldersToWatch(inner.cwd, dirs), devices, ...how };
        const wellness = flags.wellness ?? config.get('wellness');
        const mode = { style: 'log', wellness, ...heard } as const;
        const { setup } = await prepare(inner, config, options, mode);
        await watchWithHooks(inner, config, options, setup, registration);
      });
    }
    if (flags.daemon && once) {
      throw new SyncError('USAGE', '--daemon does not go with --once or --dry-run.');
    }
    if (!flags.dryRun) await requireProfile(context, config);
    const scope = await scopeToWatch(context, config, dirs, flags.devices, ['watch']);
    if (scope === undefined) return ExitCode.ok;
    const options = { ...scope, ...how };
    const wellness =
      flags.wellness ??
      config.get('wellness') ??
      (flags.dryRun ? false : await offerWellness(context, config, options));
    if (flags.daemon) {
      return await startInBackground(context, config, { ...scope, kind: kind ?? 'daemon', passOn });
    }
    const style = once ? 'once' : context.io.stdoutIsTerminal ? 'terminal' : 'log';
    const { setup, printer } = await prepare(context, config, options, { style, wellness });
    context.output.summarise();
    if (!once) return await watchAtTerminal(context, config, options, setup);
    const report = await runWatchOnce(options, setup);
    printer.flush();
    context.output.result(watchSummaryJson(report), watchSummaryText(report, flags.dryRun));
    return report.uploads.exitCode;
  },
};

/** Prepares this process to run for weeks. */
async function prepareToStay(context: AppContext): Promise<void> {
  const watchdog = hearSignals();
  loadAhead(context.programDir);
  await chooseZoneData();
  await watchdog;
  keepIdleHeapSmall();
}

async function watchAtTerminal(
  context: AppContext,
  config: Config,
  options: WatcherOptions,
  setup: OnceSetup,
): Promise<ExitCode> {
  const scope = scopeOf(options);
  await warnOfOtherAthletes(context, config, scope);
  const registration: Registration = await registerWatcher(
    context,
    watcherPaths(setup.stateDir, watcherLogin(config), scope),
    { profile: config.profile, ...scope, kind: 'terminal' },
  );
  try {
    await watchWithHooks(context, config, options, setup, registration);
    registration.end(ExitCode.ok);
    return ExitCode.ok;
  } catch (error) {
    const code = error instanceof SyncError ? exitCodeOf(error.code) : ExitCode.internal;
    registration.end(code, messageOf(error));
    throw error;
  }
}

async function watchWithHooks(
  context: AppContext,
  config: Config,
  options: WatcherOptions,
  setup: OnceSetup,
  registration: Registration,
): Promise<void> {
  const hooks = openHooks(context, config, setup.report);
  try {
    await superviseWatcher(options, {
      ...setup,
      registration,
      report(notice, waiting) {
        // One time for both: the command gets the line that is printed.
        const at = new Date(context.clock.now());
        setup.report(notice, at);
        hooks.report(notice, waiting, at);
      },
    });
  } finally {
    await hooks.close();
  }
}

/** `--daemon`: returns when the daemon watches. */
async function startInBackground(
  context: AppContext,
  config: Config,
  options: DaemonStartOptions,
): Promise<ExitCode> {
  const { output } = context;
  const { folders, devices } = options;
  await warnOfOtherAthletes(context, config, options);
  const missing = await warnOfMissing(context, folders);
  const isWaiting = devices !== true && missing.length === folders.length;
  const progress = output.progress();
  progress.update({ noun: 'folder', current: 'Starting; the first rescan is running' });
  try {
    const { startDaemon } = await import('../daemon/daemons.ts');
    const started = await startDaemon(context, config, options);
    progress.stop();
    output.result(
      { type: 'daemon-started', ...started },
      joinTexts([
        `${isWaiting ? 'Waiting for' : 'Watching'} ${scopeNames(started)} in the background (process ${started.pid}).`,
        `Log: ${started.log}`,
        phrase`See ${sync('daemon', 'status')}; ${sync('daemon', 'stop')} stops it.`,
      ]),
    );
    return ExitCode.ok;
  } finally {
    progress.stop();
  }
}

interface WatchMode extends Partial<BackgroundSignals> {
  readonly style: NoticeStyle;
  /** Undefined: the user has not decided yet. */
  readonly wellness: boolean | undefined;
}

/** Prepares what a watcher needs of this machine, and the printer of its notices. */
async function prepare(
  context: AppContext,
  config: Config,
  { folders, devices }: WatchScope,
  { style, wellness, onReady, onAlive }: WatchMode,
): Promise<{ readonly setup: OnceSetup; readonly printer: NoticePrinter }> {
  const { profile, paths } = config;
  const zone = context.output.json ? 'UTC' : await zoneShown(config, context);
  const printer = new NoticePrinter(context, { folders, style, zone });
  const collectGarbage = style === 'once' ? undefined : garbageCollector();
  const setup: OnceSetup = {
    context,
    stateDir: paths.stateDir,
    profile,
    loginCanChange: !hasEnvironmentTokens(config),
    // Every login and logout writes this file; a renewed token does not.
    loginMarker: () => markOf(paths.configFile),
    filesystemType,
    recursiveEvents: hasRecursiveEvents(context.platform),
    wellness: wellness ?? false,
    remote: { childPath: join(context.programDir, REMOTE_CHILD), env: context.env },
    open: (how) => openLogin(context, style === 'once', how),
    report: (notice, at) => {
      printer.print(notice, at);
      if (notice.event === 'ready') onReady?.();
      if (
        wellness === undefined &&
        notice.event === 'folder' &&
        (notice.state === 'watching' || notice.state === 'polling')
      ) {
        hintOfFolder(context, config, notice.folder).catch((error: unknown) =>
          printer.print({ event: 'problem', message: messageOf(error) }),
        );
      }
    },
    monitor:
      devices === true
        ? {
            places: { ...devicePlaces(context), apps: false },
            childPath: join(context.programDir, MONITOR_CHILD),
            find: findDevices,
          }
        : undefined,
    ignoredDevices: config.get('ignoreDevices') ?? [],
    onAlive: () => {
      onAlive?.();
      collectGarbage?.();
    },
  };
  return { setup, printer };
}

function pollMs(flag: string | boolean | undefined): number | undefined {
  if (flag === undefined || flag === false) return undefined;
  if (flag === true) return POLL_MS;
  if (/^\d/.test(flag)) return wholeNumber('--poll', flag, 1, MAX_POLL_SECS) * 1000;
  throw new SyncError('USAGE', `--poll ${flag}: not a number of seconds.`, {
    hint: phrase`If it is a folder, name it first: ${sync('watch', flag, '--poll')}.`,
  });
}
