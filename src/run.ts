import { setMaxListeners } from 'node:events';
import { VERSION } from './base/version.ts';
import { buildProgram } from './cli/program.ts';
import { systemSyncWanted } from './cli/system-sync-wanted.ts';
import { systemDeps } from './app/deps.ts';
import {
  ExitCode,
  SyncError,
  exitCodeOf,
  isAbort,
  messageOf,
  worstExitCode,
} from './base/errors.ts';
import { ignoresHangup } from './system/hangup.ts';
import { type GlobalFlags, createOutput } from './terminal/output.ts';
import { errorReport, errorText } from './terminal/error.ts';
import { handleSignals } from './system/signals.ts';

/**
 * Runs a command line against this machine. Results that cannot be written do not stop the work: that
 * they are lost is told, and makes the run a failed one.
 *
 * @returns the exit code
 */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const interruption = new AbortController();
  // Every request and every pause listens to it: many are no leak.
  setMaxListeners(0, interruption.signal);
  let lost = false;
  const deps = systemDeps(interruption.signal, (error) => {
    lost = true;
    // The last line is refused when the run is over.
    process.exitCode = ExitCode.internal;
    deps.io.err(errorText(resultsLost(error), flags));
  });
  const signals = handleSignals({
    args,
    programDir: deps.programDir,
    ignoresHangup: () => ignoresHangup(deps.env, deps.platform, process.ppid),
    onSignal: () => interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.')),
    exit: () => process.exit(ExitCode.interrupted),
  });
  let flags: GlobalFlags = { json: args.includes('--json'), quiet: false, verbose: false };
  const codeOf = (code: ExitCode) => (lost ? worstExitCode([code, ExitCode.internal]) : code);
  try {
    const program = buildProgram(
      {
        version: VERSION,
        deps,
        onFlags: (given) => (flags = given),
      },
      args,
    );
    const passThrough = systemSyncWanted(args, program.commandNames, deps);
    if (passThrough !== undefined) {
      const { runSystemSync } = await import('./cli/system-sync.ts');
      const code = await runSystemSync(passThrough, deps);
      if (args.length === 0 && deps.io.stdoutIsTerminal) deps.io.out(program.shortHelp());
      return code;
    }
    return codeOf(await program.run());
  } catch (error) {
    const failure = isAbort(error) ? new SyncError('INTERRUPTED', 'Interrupted.') : error;
    createOutput(deps.io, flags).error(errorReport(failure), errorText(failure, flags));
    return codeOf(failure instanceof SyncError ? exitCodeOf(failure.code) : ExitCode.internal);
  } finally {
    signals.over();
  }
}

function resultsLost(error: Error): SyncError {
  // "ENOSPC: no space left on device, write"
  const why = messageOf(error).replace(/, write$/, '');
  return new SyncError('STORAGE', `The results could not be written: ${why}.`, {
    hint: 'What was to be done was done all the same; `sync status` tells more.',
  });
}
