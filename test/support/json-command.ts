import type { CommandModule } from '../../src/app/command.ts';
import { createContext } from '../../src/app/context.ts';
import type { ExitCode } from '../../src/base/errors.ts';
import { testSystem, testIo } from '../auth/support.ts';
import { ndjson } from './program.ts';

type System = ReturnType<typeof testSystem>;

/** A command that runs in this process, with `--json`. */
export interface RunningCommand {
  /** The lines on stdout so far. */
  readonly lines: () => Record<string, unknown>[];
  /** @throws what the command throws */
  readonly finished: Promise<ExitCode>;
}

/**
 * Runs a command in this process with `--json`.
 *
 * @param given the positional arguments, then the flags, as commander passes them
 * @param onLine called after each line on stdout
 */
export function startJsonCommand(
  { run }: CommandModule,
  given: readonly unknown[],
  over: Partial<System> & { readonly homeDir: string },
  onLine: () => void = () => undefined,
): RunningCommand {
  const printed: string[] = [];
  const io = {
    ...testIo(),
    out: (line: string) => {
      printed.push(line);
      onLine();
    },
  };
  const flags = { json: true, quiet: false, verbose: false };
  const context = createContext(testSystem({ io, ...over }), '0', flags);
  return {
    lines: () => ndjson(printed.join('\n')),
    finished: run(context, ...(given as never[])),
  };
}
