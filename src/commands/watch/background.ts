import { truncateSync } from 'node:fs';
import { type AppContext, createContext } from '../../app/context.ts';
import { configFor } from '../../app/config.ts';
import { toSyncError } from '../../app/fault.ts';
import { ExitCode, SyncError, exitCodeOf, isAbort } from '../../base/errors.ts';
import { renderText } from '../../base/phrase.ts';
import { keepAlive } from '../../daemon/keep-alive.ts';
import { type StartMessage, failedToStart, lastWords } from '../../daemon/launch.ts';
import { type Log, logEntry, logIo, openLog } from '../../daemon/log.ts';
import { type Registration, eachOnce, registerWatcher } from '../../daemon/registration.ts';
import { scopeOf, watcherLogin, type WatcherPaths, watcherPaths } from '../../daemon/registry.ts';
import { BACKGROUND_KINDS, type BackgroundKind, type WatchScope } from '../../daemon/state-file.ts';
import { errorText } from '../../terminal/output.ts';
import { keepNewFilesPrivate, thisProcess } from '../../system/this-process.ts';
import { VERSION } from '../../base/version.ts';

/** What a daemon hears of its watcher. */
export interface BackgroundSignals {
  /** Called when the first rescan is complete. */
  readonly onReady: () => void;
  readonly onAlive: () => void;
}

type Watch = (
  context: AppContext,
  registration: Registration,
  signals: BackgroundSignals,
) => Promise<ExitCode>;

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
  options: Background,
  watch: Watch,
): Promise<ExitCode> {
  const { clock, env, flags } = context;
  const starter = starterChannel(keepAlive(clock, options.kind === 'systemd' ? env : {}));
  // systemd waits for this: no file system or network that may hang comes before it.
  starter.alive();
  keepNewFilesPrivate();
  try {
    const code = await runRegistered(context, options, starter, watch);
    return endsForGood(options.kind, code) ? ExitCode.ok : code;
  } catch (error) {
    const failure = toSyncError(error, context);
    // There is no log yet: the starter or the journal gets the error.
    await starter.send(failedToStart(failure, flags.profile));
    if (isAbort(failure)) return ExitCode.ok;
    if (!endsForGood(options.kind, exitCodeOf(failure.code))) throw failure;
    context.io.err(renderText(errorText(failure, flags), flags.profile));
    return ExitCode.ok;
  }
}

async function runRegistered(
  context: AppContext,
  { kind, passOn, ...given }: Background,
  starter: StarterChannel,
  watch: Watch,
): Promise<ExitCode> {
  const { clock, cwd, flags } = context;
  const config = configFor(context);
  const scope = scopeOf({ ...given, folders: eachOnce(cwd, given.folders) });
  const paths = watcherPaths(config.paths.stateDir, watcherLogin(config), scope);
  const registration = await registerWatcher(context, paths, {
    profile: config.profile,
    ...scope,
    kind,
    passOn,
    appVersion: VERSION,
  });
  const log = openLog(paths.logFile);
  keepCrashes(paths, log, clock.now());
  // Only systemd has a journal, which adds its own time; elsewhere stdout ends up in the crash file.
  const io = logIo(log, clock, kind === 'systemd' ? (text) => context.io.out(text) : undefined);
  const inner = createContext({ ...context, io }, { ...flags, json: false, quiet: false });
  process.once('uncaughtExceptionMonitor', (error) => {
    const failure = toSyncError(error, context);
    io.err(renderText(errorText(failure, flags), flags.profile));
    registration.end(exitCodeOf(failure.code), failure.message);
  });
  const onReady = () => {
    registration.ready();
    void starter.send({ state: 'watching', pid: thisProcess.pid });
  };
  try {
    const code = await watch(inner, registration, { onReady, onAlive: starter.alive });
    registration.end(code);
    await starter.send(failedToStart(endedEarly(code), flags.profile));
    return code;
  } catch (error) {
    const failure = toSyncError(error, context);
    const code = isAbort(failure) ? ExitCode.ok : exitCodeOf(failure.code);
    if (code !== ExitCode.ok) io.err(renderText(errorText(failure, flags), flags.profile));
    registration.end(code, failure.message);
    await starter.send(failedToStart(failure, flags.profile));
    return code;
  }
}

function endedEarly(code: ExitCode): SyncError {
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    `The background watcher ended before it was up (exit code ${String(code)}).`,
  );
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

type StarterChannel = ReturnType<typeof starterChannel>;

/** @param alive reports to systemd that the watcher runs */
function starterChannel(alive: () => void) {
  let sent = false;
  return {
    alive,
    /** Sends the first message; ignores later ones. Resolves when it was sent. */
    send: (message: StartMessage) =>
      new Promise<void>((resolve) => {
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
      }),
  };
}
