import { inspectLines } from '../commands/inspect-text.ts';
import { inspectJson, runInspect } from '../commands/inspect.ts';
import type { ExitCode } from '../base/errors.ts';
import type { Invocation } from '../app/invocation.ts';

export async function inspect(
  { deps, output }: Invocation,
  files: readonly string[],
): Promise<ExitCode> {
  const { exitCode } = await runInspect(
    { files },
    {
      signal: deps.signal,
      onItem: (item) =>
        output.result(inspectJson(item), inspectLines(item, deps.io.columns || 80).join('\n')),
    },
  );
  return exitCode;
}
