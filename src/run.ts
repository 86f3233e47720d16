import { setMaxListeners } from 'node:events';
import { basename, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { COMMAND_NAMES, runCommandLine } from './cli/program.ts';
import { type System, thisSystem } from './app/context.ts';
import {
  ExitCode,
  SyncError,
  exitCodeOf,
  messageOf,
  systemCode,
  worstExitCode,
} from './base/errors.ts';
import {
  phrase,
  renderText,
  sync,
  NAME_VARIABLE,
  chooseProgramName,
  setProgramName,
} from './base/phrase.ts';
import { setShell } from './base/printable.ts';
import { hasTerminal } from './terminal/io.ts';
import { SignalHandler, ignoresHangup, isDetached } from './system/signals.ts';
import {
  type GlobalFlags,
  type Output,
  createOutput,
  errorReport,
  errorText,
} from './terminal/output.ts';
import { diskWords } from './system/disk.ts';

/**
 * Runs a command line on this machine. If stdout fails, the command continues; the loss is reported,
 * and the exit code is at least 1.
 *
 * @returns the exit code
 */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const interruption = new AbortController();
  // Every request and every pause adds a listener: a large number is not a leak.
  setMaxListeners(0, interruption.signal);
  setShell(process.platform);
  setProgramName(chooseProgramName(basename(process.argv[1] ?? ''), process.env[NAME_VARIABLE]));
  let lost = false;
  const system = thisSystem(interruption.signal, (error) => {
    lost = true;
    // The failure of the last line arrives after the run.
    process.exitCode = ExitCode.internal;
    system.io.err(renderText(errorText(resultsLost(error), flags), flags.profile));
  });
  const signals = new SignalHandler({
    args,
    programDir: system.programDir,
    isDetached: () => isDetached(args, hasTerminal),
    ignoresHangup: () => ignoresHangup(system.env, system.platform, process.ppid),
    onSignal: () => interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.')),
    exit: () => process.exit(ExitCode.interrupted),
  });
  let flags: GlobalFlags = {
    profile: namedProfile(args) || system.env['SYNC_PROFILE'] || undefined,
    json: args.includes('--json'),
    quiet: false,
    verbose: false,
  };
  let output: Output | undefined;
  let flushed: ExitCode | undefined;
  const codeOf = (code: ExitCode) => (lost ? worstExitCode([code, ExitCode.internal]) : code);
  const report = async (error: unknown): Promise<ExitCode> => {
    const failure = await failureIn(error, system);
    const printed = output ?? createOutput(system.io, flags, system.clock);
    printed.error(errorReport(failure), errorText(failure, flags));
    printed.end(failure.code !== 'INTERRUPTED');
    return codeOf(exitCodeOf(failure.code));
  };
  // An error outside of every promise that this function awaits.
  process.on('uncaughtException', (error) => {
    void report(error)
      .catch(() => ExitCode.internal)
      .then((code) => process.exit(code));
  });
  try {
    if (isForSystemSync(args, COMMAND_NAMES, system)) {
      const { runSystemSync } = await import('./cli/system-sync.ts');
      const isCommand = COMMAND_NAMES.includes(args[0] ?? '');
      flushed = await runSystemSync(args, system, !isCommand);
      if (!isCommand) return flushed;
    }
    const code = await runCommandLine(args, system, (given, made) => {
      [flags, output] = [given, made];
    });
    output?.end(false);
    return codeOf(code);
  } catch (error) {
    // A script flushed a file with the name of a command, which cannot run with these words.
    const isUsage = error instanceof SyncError && error.code === 'USAGE';
    if (flushed !== undefined && isUsage && !system.io.stderrIsTerminal) return flushed;
    return await report(error);
  } finally {
    signals.over();
  }
}

/** Returns the profile that a command line names, for the commands of an error in it. */
function namedProfile(args: readonly string[]): string | undefined {
  const at = args.findIndex((word) => /^--profile(?:=|$)/.test(word));
  return args[at] === '--profile' ? args[at + 1] : args[at]?.slice('--profile='.length);
}

/** Loads the part for faults when there is one. */
async function failureIn(error: unknown, system: System): Promise<SyncError> {
  if (error instanceof SyncError) return error;
  const { toSyncError } = await import('./app/fault.ts');
  return toSyncError(error, system);
}

function resultsLost(error: Error): SyncError {
  const words = diskWords(systemCode(error));
  // "EBADF: bad file descriptor, write"
  const why =
    words === undefined ? messageOf(error).replace(/, write$/, '') : `their disk ${words}`;
  return new SyncError('STORAGE', `The results could not be written: ${why}.`, {
    hint: phrase`The command did its work nevertheless; see ${sync('status')}.`,
  });
}

/** Options of coreutils' `sync`; no line of this program begins with "--". */
const SYSTEM_OPTIONS = new Set(['-d', '--data', '-f', '--file-system', '--']);

/**
 * Recognises command lines for the system's `sync`: scripts that flush disks call `sync`, `sync FILE`,
 * `sync -f FILE`, also if this program comes first on the PATH. A line of existing files may be a command too.
 */
export function isForSystemSync(
  args: readonly string[],
  commands: readonly string[],
  { cwd }: Pick<System, 'cwd'>,
): boolean {
  const [first] = args;
  if (first === undefined || SYSTEM_OPTIONS.has(first)) return true;
  if (first.startsWith('-')) return false;
  const exists = (path: string) => existsSync(resolve(cwd, path));
  if (commands.includes(first)) return args.every(exists);
  // `sync ride.fit --json` lacks a command.
  const isOption = (word: string) => word.startsWith('--') && !SYSTEM_OPTIONS.has(word);
  return exists(first) && !args.some(isOption);
}
