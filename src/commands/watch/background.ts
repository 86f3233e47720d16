import { truncateSync } from 'node:fs';
import { type AppContext, createContext } from '../../app/context.ts';
import { configFor } from '../../app/config.ts';
import { toSyncError } from '../../app/fault.ts';
import { ExitCode, SyncError, exitCodeOf, isAbort } from '../../base/errors.ts';
import { keepAlive } from '../../daemon/keep-alive.ts';
import { type StartMessage, failedToStart, lastWords } from '../../daemon/launch.ts';
import { type Log, logEntry, logIo, openLog } from '../../daemon/log.ts';
import { type Registration, eachOnce, registerWatcher } from '../../daemon/registration.ts';
import { scopeOf, watcherLogin, type WatcherPaths, watcherPaths } from '../../daemon/registry.ts';
import { BACKGROUND_KINDS, type BackgroundKind, type WatchScope } from '../../daemon/state-file.ts';
import { errorReport, errorText } from '../../terminal/output.ts';
import { keepNewFilesPrivate, thisProcess } from '../../system/this-process.ts';

/** What a daemon hears of its watcher. */
export interface BackgroundSignals {
  /** Called when the first rescan is complete. */
  readonly onReady: () => void;
  readonly onAlive: () => void;
}

/** The daemon that this process is. */
interface Background extends WatchScope {
  readonly kind: BackgroundKind;
  readonly passOn: readonly string[];
}

/** Reads the value of `--background`. @throws SyncError `USAGE` */
export function backgroundKind(text: string): BackgroundKind {
  const kind = BACKGROUND_KINDS.find((known) => known === text);
  if (kind === undefined) {
    throw new SyncError(
      'USAGE',
      `--background ${text}: not one of ${BACKGROUND_KINDS.join(', ')}.`,
    );
  }
  return kind;
}

/**
 * Runs the watcher as a daemon: its output goes to the log, and it reports to the process that started
 * it when it watches, or why it does not.
 *
 * @returns the exit code for the service manager
 */
export async function runInBackground(
  context: AppContext,
  { kind, passOn, ...given }: Background,
  watch: (
    context: AppContext,
    registration: Registration,
    signals: BackgroundSignals,
  ) => Promise<void>,
): Promise<ExitCode> {
  const { clock, cwd, env, flags } = context;
  const tellStarter = starterChannel();
  const onAlive = keepAlive(clock, kind === 'systemd' ? env : {});
  // systemd waits for this: no file system or network that may hang comes before it.
  onAlive();
  keepNewFilesPrivate();
  let registration: Registration | undefined;
  // Until there is a log, the starter or the journal gets an error.
  let { output } = context;
  const end = (error: unknown) => {
    const failure = toSyncError(error, context);
    const code = isAbort(failure) ? ExitCode.ok : exitCodeOf(failure.code);
    if (code !== ExitCode.ok) output.error(errorReport(failure), errorText(failure, flags));
    registration?.end(code, failure.message);
    return { failure, code: endsForGood(kind, code) ? ExitCode.ok : code };
  };
  try {
    const config = configFor(context);
    const scope = scopeOf({ ...given, folders: eachOnce(cwd, given.folders) });
    const paths = watcherPaths(config.paths.stateDir, watcherLogin(config), scope);
    const who = { profile: config.profile, ...scope, kind, passOn };
    const registered = await registerWatcher(context, paths, who);
    registration = registered;
    const log = openLog(paths.logFile);
    keepCrashes(paths, log, clock.now());
    // Only systemd has a journal, which adds its own time; elsewhere stdout ends up in the crash file.
    const io = logIo(log, clock, kind === 'systemd' ? (text) => context.io.out(text) : undefined);
    const inner = createContext({ ...context, io }, { ...flags, json: false, quiet: false });
    output = inner.output;
    process.once('uncaughtExceptionMonitor', end);
    const onReady = () => {
      registered.ready();
      void tellStarter({ state: 'watching', pid: thisProcess.pid });
    };
    await watch(inner, registered, { onReady, onAlive });
    registered.end(ExitCode.ok);
    await tellStarter(failedToStart(endedEarly(), flags.profile));
    return ExitCode.ok;
  } catch (error) {
    const { failure, code } = end(error);
    await tellStarter(failedToStart(failure, flags.profile));
    return code;
  }
}

function endedEarly(): SyncError {
  const message = 'The background watcher ended before it was up (exit code 0).';
  return new SyncError('SERVICE_UNAVAILABLE', message);
}

/** Moves the output of an earlier daemon's crashed runtime into the log. */
function keepCrashes({ crashFile }: WatcherPaths, log: Log, now: number): void {
  const words = lastWords(crashFile);
  if (words === '') return;
  log.write(logEntry(now, `Output of the runtime before this start:\n${words}`));
  truncateSync(crashFile);
}

/**
 * Returns whether a restart cannot help: after a wrong setting (2) or a missing login (4). launchd
 * restarts every program that does not end with 0.
 */
function endsForGood(kind: BackgroundKind, code: ExitCode): boolean {
  return kind === 'launchd' && (code === ExitCode.usage || code === ExitCode.loginNeeded);
}

/** Returns a function that sends the first message to the starter, and ignores later ones. Resolves when it was sent. */
function starterChannel(): (message: StartMessage) => Promise<void> {
  let sent = false;
  return (message) =>
    new Promise((resolve) => {
      if (sent || process.send === undefined || !process.connected) {
        resolve();
        return;
      }
      sent = true;
      // The starter may be gone.
      process.send(message, undefined, {}, () => {
        if (process.connected) process.disconnect();
        resolve();
      });
    });
}
