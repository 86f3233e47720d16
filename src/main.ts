import { DAMAGED, INSTALL_AGAIN, VERSION } from './base/version.ts';

const args = process.argv.slice(2);

// Scripts and shells ask often: answer before loading anything else.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run.ts').then(
    async ({ runProgram }) => {
      process.exitCode = await runProgram(args);
    },
    (error: unknown) => {
      // The reason names a path. The missing file may be that of `printable`.
      const reason = String(error).split('\n')[0]?.replace(/\p{C}/gu, '?');
      process.stderr.write(`Error: ${DAMAGED}: ${reason ?? ''}\n  ${INSTALL_AGAIN}\n`);
      process.exitCode = 1;
    },
  );
}
