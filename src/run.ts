import { setMaxListeners } from 'node:events';
import { VERSION } from './version.ts';
import { buildProgram } from './cli.ts';
import { systemSyncWanted } from './cli/system-sync-wanted.ts';
import { systemDeps } from './deps.ts';
import { ExitCode, SyncError, exitCodeOf, isAbort } from './errors.ts';
import { type GlobalFlags, createOutput } from './output.ts';
import { errorReport, errorText } from './render/error.ts';

/** Runs a command line against this machine. @returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const interruption = new AbortController();
  // Every request and every pause listens to it: many are no leak.
  setMaxListeners(0, interruption.signal);
  const deps = systemDeps(interruption.signal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
      // A second one does not wait for a tidy end.
      process.once(name, () => process.exit(ExitCode.interrupted));
    });
  }
  let flags: GlobalFlags = { json: args.includes('--json'), quiet: false, verbose: false };
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
    return await program.run();
  } catch (error) {
    const failure = isAbort(error) ? new SyncError('INTERRUPTED', 'Interrupted.') : error;
    createOutput(deps.io, flags).error(errorReport(failure), errorText(failure, flags));
    return failure instanceof SyncError ? exitCodeOf(failure.code) : ExitCode.internal;
  }
}
