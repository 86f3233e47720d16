import { spawn } from 'node:child_process';
import { constants as osConstants } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { System } from '../app/system.ts';
import { ExitCode } from '../base/errors.ts';
import { type Text, phrase, renderText, sync } from '../base/phrase.ts';
import { isRecordingName } from '../upload/recording-names.ts';
import { isExecutable, isOwnLauncher, realPath } from '../system/executables.ts';

/**
 * The variable that lists the programs already tried: the next `sync` on the PATH may be another copy
 * of this program, or a script that starts it.
 */
const TRIED = 'ATHLETE_SYNC_TRIED';

/** Runs the next `sync` on the PATH. If there is none (Windows), nothing needs flushing. */
export async function runSystemSync(args: readonly string[], system: System): Promise<ExitCode> {
  const tried = new Set((system.env[TRIED] ?? '').split(delimiter).filter((path) => path !== ''));
  tried.add(realPath(process.argv[1] ?? ''));
  const remark = tried.size === 1 ? recordingRemark(args) : undefined;
  const withRemark = (code: ExitCode) => {
    if (remark !== undefined && system.io.stderrIsTerminal)
      system.io.err(renderText(remark, undefined));
    return code;
  };
  const program = findSystemSync(system, tried);
  if (program === undefined) return withRemark(ExitCode.ok);
  // Each step adds one program, so the search ends even if a program changes the PATH.
  tried.add(realPath(program));
  const env = { ...system.env, [TRIED]: [...tried].join(delimiter) };
  const child = spawn(program, args, { stdio: 'inherit', env });
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]);
      done(withRemark(ended as ExitCode));
    });
  });
}

/** Returns a remark for a user who names a recording and expects an upload. */
function recordingRemark(args: readonly string[]): Text | undefined {
  const recording = args.find((word) => isRecordingName(basename(word)));
  return recording === undefined
    ? undefined
    : phrase`Nothing was sent: \`sync FILE\` flushes it to the disk, as Unix's sync does. ${sync('upload', recording)} sends it.`;
}

function findSystemSync(
  { env, platform, programDir }: System,
  tried: ReadonlySet<string>,
): string | undefined {
  if (platform === 'win32') return undefined;
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'sync'))
    .find(
      (path) =>
        isExecutable(path) && !isOwnLauncher(path, programDir) && !tried.has(realPath(path)),
    );
}
