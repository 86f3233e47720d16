import { writeSync } from 'node:fs';
import { DAMAGED, INSTALL_AGAIN, VERSION } from './base/version.ts';

const args = process.argv.slice(2);

// Scripts and shells ask often: answer before loading anything else.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  printVersion();
} else {
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
