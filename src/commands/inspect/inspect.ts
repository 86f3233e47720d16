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
  declare: (command) => command.argument('<file...>', '.fit, .gpx and .tcx files, .zip archives'),
  examples: ['sync inspect ride.fit', 'sync inspect *.fit --json'],

  async run(context, files: readonly string[]) {
    const { cwd, io, output, signal } = context;
    const screen = { columns: io.stdoutColumns || USUAL_COLUMNS, unicode: io.unicode };
    let exitCode: ExitCode = ExitCode.ok;
    output.summarise();
    let isFirst = true;
    for (const file of namedPaths(files, cwd)) {
      for await (const item of inspectFile(file, resolve(cwd, file), context)) {
        signal.throwIfAborted();
        if (item.state !== 'whole') exitCode = ExitCode.invalidInput;
        const lines = output.json ? [] : inspectLines(item, screen);
        output.result(inspectJson(item), joinTexts(isFirst ? lines : ['', ...lines]));
        isFirst = false;
        // Lets a signal arrive.
        await setImmediate();
      }
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
