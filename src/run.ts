import { setMaxListeners } from 'node:events';
import { VERSION } from './base/version.ts';
import { buildProgram } from './cli/program.ts';
import { systemSyncWanted } from './cli/system-sync-wanted.ts';
import { thisSystem } from './app/system.ts';
import {
  ExitCode,
  SyncError,
  exitCodeOf,
  isAbort,
  messageOf,
  worstExitCode,
} from './base/errors.ts';
import { phrase, renderText, sync } from './base/phrase.ts';
import { ignoresHangup } from './system/hangup.ts';
import { type GlobalFlags, createOutput } from './terminal/output.ts';
import { errorReport, errorText } from './terminal/error.ts';
import { handleSignals } from './system/signals.ts';

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
  let lost = false;
  const system = thisSystem(interruption.signal, (error) => {
    lost = true;
    // The failure of the last line arrives after the run.
    process.exitCode = ExitCode.internal;
    system.io.err(renderText(errorText(resultsLost(error), flags), flags.profile));
  });
  const signals = handleSignals({
    args,
    programDir: system.programDir,
    ignoresHangup: () => ignoresHangup(system.env, system.platform, process.ppid),
    onSignal: () => interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.')),
    exit: () => process.exit(ExitCode.interrupted),
  });
  let flags: GlobalFlags = { json: args.includes('--json'), quiet: false, verbose: false };
  const codeOf = (code: ExitCode) => (lost ? worstExitCode([code, ExitCode.internal]) : code);
  try {
    const program = buildProgram(
      {
        version: VERSION,
        system,
        onFlags: (given) => (flags = given),
      },
      args,
    );
    const passThrough = systemSyncWanted(args, program.commandNames, system);
    if (passThrough !== undefined) {
      const { runSystemSync } = await import('./cli/system-sync.ts');
      const code = await runSystemSync(passThrough, system);
      if (args.length === 0 && system.io.stdoutIsTerminal) system.io.out(program.shortHelp());
      return code;
    }
    return codeOf(await program.run());
  } catch (error) {
    const failure = isAbort(error) ? new SyncError('INTERRUPTED', 'Interrupted.') : error;
    createOutput(system.io, flags, system.clock).error(
      errorReport(failure),
      errorText(failure, flags),
    );
    return codeOf(failure instanceof SyncError ? exitCodeOf(failure.code) : ExitCode.internal);
  } finally {
    signals.over();
  }
}

function resultsLost(error: Error): SyncError {
  // "ENOSPC: no space left on device, write"
  const why = messageOf(error).replace(/, write$/, '');
  return new SyncError('STORAGE', `The results could not be written: ${why}.`, {
    hint: phrase`The command did its work nevertheless; see ${sync('status')}.`,
  });
}
