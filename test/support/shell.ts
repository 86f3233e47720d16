import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { contractEnvironment } from './contract-environment.ts';
import { type Finished, type Home, PROGRAM, collectOutput } from './program.ts';

/** Returns the programs that are not on the PATH. */
export function missingTools(...names: readonly string[]): string[] {
  return names.filter((name) => whereIs(name) === undefined);
}

function whereIs(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Returns the reason why a test is skipped, for its title; empty if it runs. */
export function skipNote(missing: readonly string[]): string {
  return missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')} here)`;
}

/** Makes a folder with the built program as `sync` and `athlete-sync`. @returns its path */
export function installSync(home: Home): string {
  const bin = join(home.dir, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['sync', 'athlete-sync']) {
    writeProgram(join(bin, name), `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  }
  return bin;
}

/** Writes a shell script that can be run by its name. */
export function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

export interface ShellOptions {
  readonly home: Home;
  /** Folders before all others on the PATH. */
  readonly path?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Ends the script and its children when this returns true for its output. */
  readonly until?: (output: string) => boolean;
}

/**
 * Runs a script in bash, in the home, in a new process group. The processes that it leaves running
 * end with the test.
 */
export async function runShell(script: string, options: ShellOptions): Promise<Finished> {
  const { home, path = [], env = {}, input = '', until = () => false } = options;
  const child = spawn('bash', ['-c', script], {
    cwd: home.dir,
    env: {
      ...home.env,
      ...contractEnvironment(),
      ...env,
      PATH: [...path, process.env['PATH']].join(delimiter),
    },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const endAll = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Everything of it has ended.
    }
  };
  onTestFinished(() => endAll('SIGKILL'));
  let ended = false;
  const output = collectOutput(child, () => {
    // Once: a second Ctrl-C does not wait for a tidy end.
    if (ended || !until(output.stdout + output.stderr)) return;
    ended = true;
    endAll('SIGINT');
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, ...output }));
  });
}
