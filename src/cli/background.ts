import { truncateSync } from 'node:fs';
import { absoluteFolders, absoluteStateDir } from '../commands/daemon.ts';
import { ExitCode, SyncError, exitCodeOf, isAbort } from '../base/errors.ts';
import { createContext } from '../app/context.ts';
import { errorText } from '../terminal/error.ts';
import { type StartMessage, failedToStart, lastWords } from '../daemon/launch.ts';
import { type Log, logEntry, logIo, openLog } from '../daemon/log.ts';
import { type Registration, registerWatcher } from '../daemon/registration.ts';
import {
  BACKGROUND_KINDS,
  type BackgroundKind,
  type WatcherPaths,
  watcherLogin,
  watcherPaths,
} from '../daemon/registry.ts';
import { startInBackground } from './daemon.ts';
import { type Invocation, configFor } from '../app/invocation.ts';
import { type WatchFlags, watch as watchHere } from './watch.ts';

/** Starts the watcher. `onReady` is called when it truly watches. */
type Watch = (
  invocation: Invocation,
  registration: Registration,
  onReady: () => void,
) => Promise<ExitCode>;

export interface WatchCommandFlags extends WatchFlags {
  /** Hidden: this process is a daemon, and who keeps it (`BackgroundKind`). */
  readonly background?: string;
}

/** `sync watch`: here at the terminal, as the starter of a daemon, or as the daemon itself. */
export async function watch(
  invocation: Invocation,
  dirs: readonly string[],
  flags: WatchCommandFlags,
): Promise<ExitCode> {
  const kind = flags.background === undefined ? undefined : backgroundKind(flags.background);
  if (kind === undefined || flags.daemon) {
    return await watchHere(invocation, dirs, flags, {
      detach: (_invocation, folders) =>
        startInBackground(invocation, folders, { kind, passOn: passedOn(flags, invocation) }),
    });
  }
  const background = { kind, folders: dirs, passOn: passedOn(flags, invocation) };
  return await runInBackground(invocation, background, (inner, registration, onReady) =>
    watchHere(inner, dirs, flags, { onReady, registration }),
  );
}

/** What this process is, as a daemon. */
interface Background {
  readonly kind: BackgroundKind;
  readonly folders: readonly string[];
  readonly passOn: readonly string[];
}

/** Flags that the daemon is given as they were given here. */
function passedOn({ newOnly, poll }: WatchFlags, { flags }: Invocation): string[] {
  return [
    ...(flags.verbose ? ['--verbose'] : []),
    ...(newOnly ? ['--new-only'] : []),
    ...(poll === undefined || poll === false ? [] : ['--poll', ...(poll === true ? [] : [poll])]),
  ];
}

/** The value of `--background`. @throws SyncError `USAGE` */
function backgroundKind(text: string): BackgroundKind {
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
 * The daemon itself: runs the watcher without a terminal. What it says goes into its log; whoever
 * started it is told when it watches, or why it does not.
 *
 * @returns the exit code of the process, as whoever keeps it wants it
 */
async function runInBackground(
  invocation: Invocation,
  options: Background,
  watch: Watch,
): Promise<ExitCode> {
  // Whatever it writes is the user's alone.
  process.umask(0o077);
  const teller = tellStarter();
  try {
    const code = await runRegistered(invocation, options, teller, watch);
    return endsForGood(options.kind, code) ? ExitCode.ok : code;
  } catch (error) {
    // No place, no log: the journal, or who started it, hears of it.
    await teller.tell(failedToStart(error));
    if (isAbort(error)) return ExitCode.ok;
    const code = error instanceof SyncError ? exitCodeOf(error.code) : ExitCode.internal;
    if (!endsForGood(options.kind, code)) throw error;
    invocation.deps.io.err(errorText(error, invocation.flags));
    return ExitCode.ok;
  }
}

async function runRegistered(
  invocation: Invocation,
  { kind, folders: given, passOn }: Background,
  teller: Teller,
  watch: Watch,
): Promise<ExitCode> {
  const { deps, flags, version } = invocation;
  const config = configFor(invocation);
  const folders = absoluteFolders(deps, given);
  const paths = watcherPaths(absoluteStateDir({ config, deps }), watcherLogin(config), folders);
  const registration = await registerWatcher(
    paths,
    { profile: config.profile, folders, kind, passOn, appVersion: version },
    deps,
  );
  const log = openLog(paths.logFile);
  keepCrashes(paths, log, deps.clock.now());
  // The journal keeps its own time; other systems would only pile up what the log has anyway.
  const io = logIo(log, deps.clock, kind === 'systemd' ? (text) => deps.io.out(text) : undefined);
  const innerDeps = { ...deps, io };
  const inner: Invocation = {
    ...createContext(innerDeps, version, { ...flags, json: false, quiet: false }),
    deps: innerDeps,
  };
  process.once('uncaughtExceptionMonitor', (error) => {
    io.err(errorText(error, flags));
    registration.end(ExitCode.internal, error.message);
  });
  const onReady = () => {
    registration.ready();
    void teller.tell({ state: 'watching', pid: process.pid });
  };
  try {
    const code = await watch(inner, registration, onReady);
    registration.end(code);
    await teller.tell(failedToStart(endedEarly(code)));
    return code;
  } catch (error) {
    // It was asked to end, and did.
    const code = isAbort(error)
      ? ExitCode.ok
      : error instanceof SyncError
        ? exitCodeOf(error.code)
        : ExitCode.internal;
    if (code !== ExitCode.ok) io.err(errorText(error, flags));
    registration.end(code, error instanceof Error ? error.message : String(error));
    await teller.tell(failedToStart(error));
    return code;
  }
}

function endedEarly(code: ExitCode): SyncError {
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    `The daemon ended before it was up (exit code ${String(code)}).`,
  );
}

/** What the runtime said when an earlier daemon fell over moves into the log. */
function keepCrashes({ crashFile }: WatcherPaths, log: Log, now: number): void {
  const words = lastWords(crashFile);
  if (words === '') return;
  log.write(logEntry(now, `Said by the runtime, before this:\n${words}`));
  truncateSync(crashFile);
}

/**
 * launchd starts again whatever does not end with 0. A wrong setting (2) or a missing login (4) is
 * not mended by that.
 */
function endsForGood(kind: BackgroundKind, code: ExitCode): boolean {
  return kind === 'launchd' && (code === ExitCode.usage || code === ExitCode.loginNeeded);
}

interface Teller {
  /** Tells the starter once; what comes later has nobody to hear it. Resolves when it is said. */
  tell(message: StartMessage): Promise<void>;
}

function tellStarter(): Teller {
  let told = false;
  return {
    tell: (message) =>
      new Promise((resolve) => {
        if (told || process.send === undefined || !process.connected) {
          resolve();
          return;
        }
        told = true;
        // A starter that is gone is none to wait for.
        process.send(message, undefined, {}, () => {
          if (process.connected) process.disconnect();
          resolve();
        });
      }),
  };
}
