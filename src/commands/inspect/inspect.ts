import { setImmediate } from 'node:timers/promises';
import { resolve } from 'node:path';
import type { CommandModule } from '../../app/command.ts';
import { namedPaths } from '../../inputs/find-files.ts';
import { ExitCode } from '../../base/errors.ts';
import { joinTexts } from '../../base/phrase.ts';
import { type InspectItem, inspectFile } from './findings.ts';
import { inspectLines } from './text.ts';

/** Columns of the picture if the terminal's width is unknown. */
const USUAL_COLUMNS = 80;

export const inspect: CommandModule = {
  declare: (command) => command.argument('<file...>', 'recordings (.fit files)'),
  examples: ['sync inspect ride.fit', 'sync inspect *.fit --json'],

  async run({ cwd, io, output, signal }, files: readonly string[]) {
    const screen = { columns: io.stdoutColumns || USUAL_COLUMNS, unicode: io.unicode };
    let exitCode: ExitCode = ExitCode.ok;
    output.summarise();
    for (const [index, file] of namedPaths(files, cwd).entries()) {
      signal.throwIfAborted();
      const item = inspectFile(file, resolve(cwd, file));
      if (item.state !== 'whole') exitCode = ExitCode.invalidInput;
      const lines = output.json ? [] : inspectLines(item, screen);
      const text = joinTexts(index === 0 ? lines : ['', ...lines], '\n');
      output.result(inspectJson(item), text);
      // Lets a signal arrive.
      await setImmediate();
    }
    return exitCode;
  },
};

/** Returns all findings but the samples and the sports' numbers. */
function inspectJson(item: InspectItem): Record<string, unknown> {
  if (item.state === 'unreadable') return { type: 'recording', ...item };
  const sessions = item.sessions.map((session) => ({
    ...session,
    numbers: undefined,
    pool: undefined,
    poolLengthMeters: session.pool?.lengthMetres,
    poolLengths: session.pool?.lengths,
  }));
  return { type: 'recording', ...item, samples: undefined, sessions };
}
