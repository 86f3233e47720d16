import type { Command } from 'commander';
import { type CommandModule, wholeNumber } from '../../app/command.ts';
import type { AppContext } from '../../app/context.ts';
import { contextOfEachProfile, refuseUnknownProfile } from '../../app/profiles.ts';
import { configFor, quietConfigFor } from '../../app/config.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../../base/phrase.ts';
import { withIsoTimes } from '../../base/time.ts';
import { type Config, DEFAULT_PROFILE } from '../../config/config.ts';
import { lastWords } from '../../daemon/launch.ts';
import { eachOnce } from '../../daemon/registration.ts';
import { LogReader } from '../../daemon/log.ts';
import type { WatcherHealth } from '../../daemon/health.ts';
import { type SeenHealth, scopeNames } from '../../daemon/registry.ts';
import type { WatchScope } from '../../daemon/state-file.ts';
import { ago, duration, plural } from '../../terminal/words.ts';
import { deviceText } from '../../app/words/devices.ts';
import { LOGIN_ENDS_SOON_MS, troubleLines } from '../../app/words/watchers.ts';
import {
  type ServiceReport,
  installedService,
  serviceJson,
  serviceText,
  stopService,
} from './install.ts';
import {
  type DaemonReport,
  type DaemonStopped,
  HOW_TO_START,
  SERVICE_MANAGERS,
  chooseDaemons,
  findDaemons,
  reportDaemons,
  stopDaemons,
} from './daemons.ts';

/** Largest value of `--lines`: more than a log holds. */
const MAX_LINES = 1_000_000;

const ONLY_FOLDERS = 'only those that watch these folders (default: all)';
const DEFAULT_LINES = '50';

interface ProfilesFlags {
  readonly allProfiles: boolean;
}

interface ChoiceFlags extends ProfilesFlags {
  readonly devices: boolean;
}

/** Declares how daemons are chosen: by folders, by devices, or all of a profile. */
function declareChoice(command: Command, what: string): Command {
  return command
    .argument('[dir...]', ONLY_FOLDERS)
    .option('--devices', 'only the one that watches devices', false)
    .option('--all-profiles', what, false);
}

export const daemonStatus: CommandModule = {
  declare: (command) => command.option('--all-profiles', 'show those of each profile', false),
  examples: [
    'sync daemon status',
    'sync daemon status --all-profiles',
    'sync daemon status --json',
  ],
  documents: ['daemon.md'],

  run(context, { allProfiles }: ProfilesFlags) {
    const { clock } = context;
    let [total, running, services] = [0, 0, 0];
    let needsHelp = false;
    for (const own of profilesMeant(context, configFor(context), allProfiles)) {
      const { output } = own.context;
      const daemons = reportDaemons(own.context, own.config);
      for (const daemon of daemons) {
        output.result(daemonJson(daemon), daemonText(daemon, clock.now()));
      }
      const service = installedService(own.context, own.config);
      if (service !== undefined) output.result(serviceJson(service), serviceText(service));
      total += daemons.length;
      const alive = daemons.filter((daemon) => daemon.running);
      running += alive.length;
      needsHelp ||= alive.some(({ health }) => health !== undefined && isStuck(health));
      services += service === undefined ? 0 : 1;
    }
    context.output.result(
      { type: 'summary', total, running, service: services > 0 },
      total === 0 ? phrase`No background watcher. ${HOW_TO_START}` : undefined,
    );
    return Promise.resolve(needsHelp ? ExitCode.unavailable : ExitCode.ok);
  },
};

/** Returns whether only the user can help: with the process, the ledger, the disk of the state folder, or a folder. */
function isStuck({ stopped, folders, ledger, connection }: SeenHealth): boolean {
  if (stopped || ledger !== undefined || connection.state === 'storage') return true;
  return folders.some(({ state }) => state === 'silent');
}

export const daemonStop: CommandModule = {
  declare: (command) => declareChoice(command, 'stop those of each profile'),
  examples: ['sync daemon stop', 'sync daemon stop ~/Garmin', 'sync daemon stop --all-profiles'],
  documents: ['daemon.md'],

  async run(context, dirs: readonly string[], { allProfiles, devices }: ChoiceFlags) {
    const { cwd, output } = context;
    const scope = { folders: eachOnce(cwd, dirs), devices };
    const config = configFor(context);
    const profiles = profilesMeant(context, config, allProfiles);
    const stopped = await stopDaemons(context, chooseDaemons(config, namesOf(profiles), scope));
    for (const one of stopped) output.result({ type: 'daemon-stop', ...one }, stoppedText(one));
    output.result(
      {
        type: 'summary',
        total: stopped.length,
        stopped: stopped.filter(({ outcome }) => outcome === 'stopped').length,
      },
      stopped.length === 0 ? 'No background watcher is running.' : undefined,
    );
    for (const own of profiles) {
      const service = await stopService(own.context, own.config, scope);
      if (service !== undefined) own.context.output.say(returnsText(service));
    }
    return worstExitCode(
      stopped.map(({ outcome }) => (outcome === 'stopped' ? ExitCode.ok : exitCodeOf('BUSY'))),
    );
  },
};

interface LogsFlags extends ChoiceFlags {
  readonly follow: boolean;
  readonly lines: string;
}

export const daemonLogs: CommandModule = {
  declare: (command) =>
    declareChoice(command, 'show the logs of each profile')
      .option('-f, --follow', 'show new lines as they are written, until Ctrl-C', false)
      .option(
        '-n, --lines <n>',
        `how many lines, the newest (default: ${DEFAULT_LINES})`,
        DEFAULT_LINES,
      ),
  examples: ['sync daemon logs -n 200', 'sync daemon logs -f --all-profiles'],
  documents: ['daemon.md'],

  async run(context, dirs: readonly string[], flags: LogsFlags) {
    const { clock, cwd, io, output, signal } = context;
    output.summarise();
    const lines = wholeNumber('--lines', flags.lines, 0, MAX_LINES);
    const config = configFor(context);
    const profiles = namesOf(profilesMeant(context, config, flags.allProfiles));
    const scope = { folders: eachOnce(cwd, dirs), devices: flags.devices };
    const daemons = chooseDaemons(config, profiles, scope);
    if (daemons.length === 0) throw neverADaemon(config, flags);
    const several = findDaemons(config, profiles).length > 1;
    let shown: string | undefined;
    const readers = daemons.map(({ paths, state, running }) => {
      const show = (line: string) => {
        const heading = several && shown !== paths.id ? phrase`==> ${daemonName(state)}\n` : '';
        shown = paths.id;
        output.result({ type: 'log', daemon: paths.id, line }, phrase`${heading}${line}`);
      };
      const reader = new LogReader(paths.logFile, clock);
      reader.last(lines).forEach(show);
      const crash = running ? '' : lastWords(paths.crashFile);
      if (crash !== '') crash.split('\n').forEach(show);
      return { reader, show };
    });
    if (flags.follow) {
      const ended = AbortSignal.any([signal, io.unread]);
      await Promise.all(readers.map(({ reader, show }) => reader.follow(show, ended)));
    }
    return ExitCode.ok;
  },
};

interface OneProfile {
  readonly context: AppContext;
  readonly config: Config;
}

function profilesMeant(context: AppContext, config: Config, all: boolean): OneProfile[] {
  if (!all) {
    if (installedService(context, config) === undefined) {
      refuseUnknownProfile(context, config.profile);
    }
    return [{ context, config }];
  }
  return contextOfEachProfile(context).map((own) => ({
    context: own,
    config: quietConfigFor(own),
  }));
}

function namesOf(profiles: readonly OneProfile[]): string[] {
  return profiles.map(({ config }) => config.profile);
}

function neverADaemon({ profile }: Config, { allProfiles }: ProfilesFlags): SyncError {
  const who = allProfiles ? 'No profile ever' : `Profile "${profile}" never`;
  return new SyncError('USAGE', `${who} had a background watcher.`, { hint: HOW_TO_START });
}

/** Returns a daemon as JSON: times in ISO 8601 in UTC, like those of the health. */
function daemonJson(report: DaemonReport): Record<string, unknown> {
  const { startedAt, readyAt, ended, ...rest } = report;
  return {
    type: 'daemon',
    ...rest,
    ...withIsoTimes({ startedAt, readyAt }, 'startedAt', 'readyAt'),
    ...(ended === undefined ? {} : { ended: withIsoTimes(ended, 'at') }),
  };
}

function daemonText(report: DaemonReport, now: number): Text {
  const { running, ended, health } = report;
  const lines = [
    daemonName(report),
    `  ${running ? runningText(report, now) : endText(ended, now)}`,
    ...(health === undefined ? [] : healthLines(health, now).map((line) => phrase`  ${line}`)),
    `  Log: ${report.log}`,
  ];
  return joinTexts(lines);
}

/** Names a daemon by its folders or devices. Adds the profile, except for the default one. */
function daemonName({ profile, ...scope }: WatchScope & Pick<DaemonReport, 'profile'>): string {
  const named = profile === DEFAULT_PROFILE ? '' : ` (profile "${profile}")`;
  return `${scopeNames(scope)}${named}`;
}

function runningText({ kind, pid, startedAt, readyAt }: DaemonReport, now: number): string {
  const by = kind === 'daemon' ? '' : `, kept running by ${SERVICE_MANAGERS[kind]}`;
  const state = readyAt === undefined ? 'Starting' : 'Running';
  return `${state}, for ${duration(now - startedAt)} (process ${pid}${by}).`;
}

function endText(ended: DaemonReport['ended'], now: number): string {
  if (ended === undefined) return 'Not running: it was killed, or the machine went down.';
  const when = ago(now - ended.at);
  if (ended.exitCode === 0) return `Not running: stopped ${when}.`;
  const why = ended.message === undefined ? '' : `: ${ended.message}`;
  return `Not running: it ended ${when} with exit code ${ended.exitCode}${why}`;
}

function healthLines(health: NonNullable<DaemonReport['health']>, now: number): Text[] {
  const { folders, queue, days, lastSuccessAt, loginEndsInSecs } = health;
  const odd = folders.filter(({ state }) => state !== 'watching');
  return [
    ...(health.devices ?? []).map((device) => deviceText(device)),
    ...odd.map(({ path, state, reason }) => {
      const what = state === 'polling' ? `Polling ${path}` : `Waiting for ${path}`;
      return reason === undefined ? `${what}.` : `${what}: ${reason}`;
    }),
    [
      `${plural(queue.waiting, 'recording')} to send`,
      ...(queue.unfinished > 0 ? [plural(queue.unfinished, 'incomplete file')] : []),
      lastSuccessAt === undefined
        ? 'none sent yet'
        : `the last one sent ${ago(now - Date.parse(lastSuccessAt))}`,
    ].join('; ') + '.',
    ...(days === undefined ? [] : [daysText(days)]),
    ...troubleLines(health, now),
    ...(loginEndsInSecs === undefined || loginEndsInSecs * 1000 > LOGIN_ENDS_SOON_MS
      ? []
      : [
          // The watcher may have renewed it since its report.
          loginEndsInSecs <= 0
            ? phrase`The login may have ended: see ${sync('status')}.`
            : phrase`The login ends in ${duration(loginEndsInSecs * 1000)}: run ${sync('login')} to renew it.`,
        ]),
  ];
}

function daysText({ sent, waiting }: NonNullable<WatcherHealth['days']>): string {
  const left = waiting === 0 ? '' : `; ${waiting} to send`;
  return `${plural(sent, 'wellness day')} sent since its start${left}.`;
}

function returnsText({ name }: ServiceReport): Text {
  return phrase`The service ${name} starts again with your next login; ${sync('daemon', 'uninstall')} removes it.`;
}

function stoppedText(stopped: DaemonStopped): string {
  const what = daemonName(stopped);
  switch (stopped.outcome) {
    case 'stopped':
      return stopped.killed === true
        ? `Killed process ${stopped.pid}, which watched ${what}: it did not end when it was asked to.`
        : `Stopped process ${stopped.pid}, which watched ${what}.`;
    case 'still-running':
      return `Process ${stopped.pid}, which watches ${what}, was killed, and has not ended after ${duration(stopped.waitedMs)}: it hangs in a system call, such as one about a network folder that does not answer.`;
    case 'out-of-reach':
      return `Cannot stop the watcher of ${what} from here: ${stopped.why}`;
  }
}
