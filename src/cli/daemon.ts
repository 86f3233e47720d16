import {
  type DaemonNeeds,
  runDaemonLogs,
  runDaemonStatus,
  runDaemonStop,
} from '../commands/daemon.ts';
import { runDaemonStart } from '../commands/daemon-start.ts';
import {
  type ServiceNeeds,
  installedService,
  runServiceInstall,
  runServiceUninstall,
  stopService,
} from '../commands/service.ts';
import { ExitCode } from '../base/errors.ts';
import {
  daemonReport,
  daemonText,
  folderNames,
  installedText,
  serviceReport,
  serviceText,
  startedReport,
  startedText,
  stoppedReport,
  stoppedText,
  uninstalledText,
} from '../render/daemon.ts';
import type { BackgroundKind } from '../daemon/registry.ts';
import { systemRunner } from '../os-service/runner.ts';
import { type Invocation, configFor, wholeNumber } from '../app/invocation.ts';

/** `sync watch DIR... --daemon`: returns when the daemon watches. */
export async function startInBackground(
  invocation: Invocation,
  folders: readonly string[],
  options: {
    readonly kind?: BackgroundKind | undefined;
    /** Flags of `sync watch` that the daemon is given as well. */
    readonly passOn: readonly string[];
  },
): Promise<ExitCode> {
  const { output } = invocation;
  const { kind = 'daemon', passOn } = options;
  const progress = output.progress();
  progress.update(() => 'Starting; the folders are looked through once');
  try {
    const started = await runDaemonStart(
      { folders, kind, passOn },
      { ...needsOf(invocation), onWarning: (text) => output.warn(text) },
    );
    progress.stop();
    output.result(startedReport(started), startedText(started));
    return ExitCode.ok;
  } finally {
    progress.stop();
  }
}

export function status(invocation: Invocation): Promise<ExitCode> {
  const { deps, output } = invocation;
  const needs = serviceNeeds(invocation);
  const daemons = runDaemonStatus(needs);
  for (const daemon of daemons) {
    output.result(daemonReport(daemon), daemonText(daemon, deps.clock.now()));
  }
  const service = installedService(needs);
  if (service !== undefined) output.result(serviceReport(service), serviceText(service));
  const running = daemons.filter((daemon) => daemon.running).length;
  output.result(
    { type: 'summary', total: daemons.length, running, service: service !== undefined },
    daemons.length === 0 ? 'No daemon. Start one with `sync watch DIR --daemon`.' : undefined,
  );
  return Promise.resolve(ExitCode.ok);
}

export async function stop(invocation: Invocation, folders: readonly string[]): Promise<ExitCode> {
  const { output } = invocation;
  const needs = serviceNeeds(invocation);
  const { stopped, exitCode } = await runDaemonStop({ folders }, needs);
  const service = await stopService(folders, needs);
  for (const one of stopped) output.result(stoppedReport(one), stoppedText(one));
  output.result(
    {
      type: 'summary',
      total: stopped.length,
      stopped: stopped.filter(({ outcome }) => outcome === 'stopped').length,
    },
    stopped.length === 0 ? 'No daemon is running.' : undefined,
  );
  if (service !== undefined) {
    output.say(
      `The service ${service.name} starts again with your next login; \`sync daemon uninstall\` removes it.`,
    );
  }
  return exitCode;
}

export interface LogsFlags {
  readonly follow: boolean;
  readonly lines: string;
}

/** Lines that can be asked for: more than all logs together hold. */
const MAX_LINES = 1_000_000;

export async function logs(
  invocation: Invocation,
  folders: readonly string[],
  flags: LogsFlags,
): Promise<ExitCode> {
  const { output } = invocation;
  const lines = wholeNumber('--lines', flags.lines, 0, MAX_LINES);
  const needs = needsOf(invocation);
  const several = runDaemonStatus(needs).length > 1;
  let shown: string | undefined;
  await runDaemonLogs(
    { folders, lines, follow: flags.follow },
    {
      ...needs,
      onLine: (daemon, line) => {
        const heading =
          several && shown !== daemon.id ? `==> ${folderNames(daemon.folders)}\n` : '';
        shown = daemon.id;
        output.result({ type: 'log', daemon: daemon.id, line }, heading + line);
      },
    },
  );
  return ExitCode.ok;
}

export async function install(
  invocation: Invocation,
  folders: readonly string[],
): Promise<ExitCode> {
  const { output } = invocation;
  const installed = await runServiceInstall({ folders }, serviceNeeds(invocation));
  const { remarks, ...report } = installed;
  output.result({ ...serviceReport(report), remarks }, installedText(installed));
  for (const remark of remarks) output.say(remark);
  return ExitCode.ok;
}

export async function uninstall(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation;
  const removed = await runServiceUninstall(serviceNeeds(invocation));
  output.result(
    removed === undefined
      ? { type: 'service', installed: false, removed: false }
      : { ...serviceReport(removed), installed: false, removed: true },
    removed === undefined ? 'No service is installed for this profile.' : uninstalledText(removed),
  );
  return ExitCode.ok;
}

function needsOf(invocation: Invocation): DaemonNeeds {
  return { config: configFor(invocation), deps: invocation.deps };
}

function serviceNeeds(invocation: Invocation): ServiceNeeds {
  return {
    ...needsOf(invocation),
    kill: (pid, signal) => void process.kill(pid, signal),
    run: systemRunner(invocation.deps.env),
    uid: process.getuid?.(),
    onWarning: (text) => invocation.output.warn(text),
  };
}
