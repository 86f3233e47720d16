import type { DaemonReport, DaemonStopped } from '../commands/daemon.ts';
import type { DaemonStarted } from '../commands/daemon-start.ts';
import type { ServiceInstalled, ServiceReport } from '../commands/service.ts';
import { duration, oneLine, plural } from '../terminal/words.ts';

/** Points in time go out as ISO 8601 in UTC, like those of the health contract. */
export function daemonReport(report: DaemonReport): Record<string, unknown> {
  const { startedAt, readyAt, ended, ...rest } = report;
  return {
    type: 'daemon',
    ...rest,
    startedAt: iso(startedAt),
    ...(readyAt === undefined ? {} : { readyAt: iso(readyAt) }),
    ...(ended === undefined ? {} : { ended: { ...ended, at: iso(ended.at) } }),
  };
}

export function daemonText(report: DaemonReport, now: number): string {
  const { folders, running, ended, health } = report;
  return [
    folderNames(folders),
    `  ${running ? runningText(report, now) : endText(ended, now)}`,
    ...(health === undefined ? [] : healthLines(health, now).map((line) => `  ${line}`)),
    `  Log: ${report.log}`,
  ].join('\n');
}

function runningText({ kind, pid, startedAt, readyAt }: DaemonReport, now: number): string {
  const by = kind === 'daemon' ? '' : `, kept running by ${SYSTEMS[kind]}`;
  const state = readyAt === undefined ? 'Starting' : 'Running';
  return `${state}, for ${duration(now - startedAt)} (process ${pid}${by}).`;
}

const SYSTEMS = {
  systemd: 'systemd',
  launchd: 'launchd',
  'windows-task': 'the Task Scheduler',
} as const;

function endText(ended: DaemonReport['ended'], now: number): string {
  if (ended === undefined) return 'Not running: it was killed, or the machine went down.';
  const ago = `${duration(now - ended.at)} ago`;
  if (ended.exitCode === 0) return `Not running: stopped ${ago}.`;
  const why = ended.message === undefined ? '' : `: ${ended.message}`;
  return `Not running: it ended ${ago} with exit code ${ended.exitCode}${why}`;
}

function healthLines(health: NonNullable<DaemonReport['health']>, now: number): string[] {
  const { folders, queue, connection, login, lastSuccessAt, loginEndsInSecs } = health;
  const odd = folders.filter(({ state }) => state !== 'watching');
  return [
    ...odd.map(({ path, state, reason }) => {
      const what =
        state === 'waiting'
          ? `Waiting for ${oneLine(path)}`
          : `Looking through ${oneLine(path)} again and again`;
      return reason === undefined ? `${what}.` : `${what}: ${reason}`;
    }),
    [
      `${plural(queue.waiting, 'recording')} to send`,
      ...(queue.unfinished > 0 ? [`${plural(queue.unfinished, 'file')} not whole yet`] : []),
      lastSuccessAt === undefined
        ? 'none sent yet'
        : `the last one sent ${duration(now - Date.parse(lastSuccessAt))} ago`,
    ].join('; ') + '.',
    ...(connection.state === 'ok'
      ? []
      : [connection.message ?? `Not delivering: ${connection.state}.`]),
    ...(login.state === 'ok' ? [] : [login.message ?? 'Run `sync login`.']),
    ...(loginEndsInSecs === undefined || loginEndsInSecs > ENDS_SOON_SECS
      ? []
      : [`The login ends in ${duration(loginEndsInSecs * 1000)}: run \`sync login\` to renew it.`]),
  ];
}

/** A login that ends within a week is warned about. */
const ENDS_SOON_SECS = 7 * 86_400;

export function startedReport(started: DaemonStarted): Record<string, unknown> {
  return { type: 'daemon-started', ...started };
}

export function startedText({ pid, folders, log }: DaemonStarted): string {
  return [
    `Watching ${folderNames(folders)} in the background (process ${pid}).`,
    `Log: ${log}`,
    'See `sync daemon status`; `sync daemon stop` ends it.',
  ].join('\n');
}

export function stoppedReport(stopped: DaemonStopped): Record<string, unknown> {
  return { type: 'daemon-stop', ...stopped };
}

export function stoppedText(stopped: DaemonStopped): string {
  const what = folderNames(stopped.folders);
  switch (stopped.outcome) {
    case 'stopped':
      return stopped.killed === true
        ? `Killed process ${stopped.pid}, which watched ${what}: it did not end when it was asked to.`
        : `Stopped process ${stopped.pid}, which watched ${what}.`;
    case 'still-running':
      return `Process ${stopped.pid}, which watches ${what}, was killed, and has not ended after ${duration(stopped.waitedMs)}: it hangs in a call to the system, such as one about a network folder that does not answer.`;
    case 'out-of-reach':
      return `What watches ${what} cannot be stopped from here: ${stopped.why}`;
  }
}

export function serviceReport(service: ServiceReport): Record<string, unknown> {
  return { type: 'service', installed: true, ...service };
}

export function serviceText({ kind, name, file }: ServiceReport): string {
  return `Installed as a service of ${SYSTEMS[kind]}: ${name} (${file}).`;
}

export function installedText(installed: ServiceInstalled): string {
  const { folders, watching, log } = installed;
  return [
    serviceText(installed),
    watching
      ? `It is watching ${folderNames(folders)}.`
      : `It was started for ${folderNames(folders)}, and is not watching yet: see \`sync daemon logs\`.`,
    `Log: ${log}`,
  ].join('\n');
}

export function uninstalledText({ kind, name }: ServiceReport): string {
  return `Removed the service ${name} from ${SYSTEMS[kind]}; what it sent stays sent.`;
}

/** Folders in one line, whatever they are called. */
export function folderNames(folders: readonly string[]): string {
  return folders.map(oneLine).join(', ');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
