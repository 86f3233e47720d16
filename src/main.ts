import { mkdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DAMAGED, INSTALL_AGAIN, VERSION } from './base/version.ts';

const args = process.argv.slice(2);

// Scripts and shells ask often: answer before loading anything else.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  printVersion();
} else {
  keepCompiledCode();
  void import('./run.ts')
    .then(async ({ runProgram }) => await runProgram(args))
    .then(
      (code) => {
        process.exitCode = code;
      },
      (error: unknown) => {
        // The reason names a path. The missing file may be that of `printable`.
        const reason = String(error).split('\n')[0]?.replace(/\p{C}/gu, '?');
        process.stderr.write(`Error: ${DAMAGED}: ${reason ?? ''}\n  ${INSTALL_AGAIN}\n`);
        process.exitCode = 1;
      },
    );
}

/** Writes without `process.stdout`, which loads the streams. */
function printVersion(): void {
  const line = `${VERSION}\n`;
  try {
    writeSync(1, line);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A pipe that is full and does not block: the stream waits for its reader.
    if (code === 'EAGAIN') process.stdout.write(line);
    // The reader is gone: not an error.
    else if (code !== 'EPIPE') process.exitCode = 1;
  }
}

/**
 * Lets Node.js 22.1 and later keep the compiled code for the next start, in a folder beside the program:
 * the users who can write there can change the program, too. Root leaves no files in an installation.
 */
function keepCompiledCode(): void {
  if (process.geteuid?.() === 0) return;
  const folder = join(import.meta.dirname, '.compile-cache');
  const { enableCompileCache } = process.getBuiltinModule('node:module') as CompileCache;
  try {
    // With any umask, only this user can write into it.
    if (enableCompileCache !== undefined) mkdirSync(folder, { mode: 0o700, recursive: true });
    enableCompileCache?.(folder);
  } catch {
    // The installation belongs to another user.
  }
}

interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}
