import { execFile } from 'node:child_process';
import type { Env } from '../../base/env.ts';
import { systemCode } from '../../base/errors.ts';
import { shellWord } from '../../base/printable.ts';
import { childEnv } from '../../system/environment.ts';
import { inSystemFolder } from '../../system/executables.ts';

/** What a program of the system answered. */
export interface Ran {
  /** Exit code; `missing`: there is no such program. Negative: it was killed. */
  readonly code: number | 'missing';
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the system to its end. Never rejects. */
export type CommandRun = (program: string, args: readonly string[]) => Promise<Ran>;

/** How long a service manager may take for an answer, in ms. */
const LIMIT_MS = 90_000;

export function systemRunner(env: Env, platform: NodeJS.Platform): CommandRun {
  return (program, args) =>
    new Promise((resolve) => {
      const file = platform === 'win32' ? inSystemFolder(program, env) : program;
      execFile(
        file,
        [...args],
        { env: childEnv(env, 'session'), timeout: LIMIT_MS, windowsHide: true },
        (error, stdout, stderr) => {
          if (error === null) resolve({ code: 0, stdout, stderr });
          else if (systemCode(error) === 'ENOENT') resolve({ code: 'missing', stdout, stderr });
          else resolve({ code: typeof error.code === 'number' ? error.code : -1, stdout, stderr });
        },
      );
    });
}

/** A command as a person would type it, for messages. */
export function commandText(program: string, args: readonly string[]): string {
  return [program, ...args].map(shellWord).join(' ');
}
