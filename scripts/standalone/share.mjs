import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot } from './project.mjs';

/**
 * Writes what a shell and `man` read: the manual page and the completions, in the places of a `share` folder.
 *
 * @param only the one name that is installed; without it, `sync` and `athlete-sync`
 */
export function writeShare(share, only) {
  const files = {
    'man/man1/athlete-sync.1': run('manual.cjs', only),
    'bash-completion/completions/athlete-sync': completion('bash', only),
    'zsh/site-functions/_athlete-sync': completion('zsh', only),
    'fish/vendor_completions.d/athlete-sync.fish': completion('fish', only),
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(share, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function completion(shell, only) {
  return run('main.cjs', only, 'completion', shell);
}

/** Returns the output of a script in dist/ that runs under this name of the program. */
function run(script, name = 'sync', ...args) {
  const env = { ...process.env, ATHLETE_SYNC_NAME: name, NODE_DISABLE_COMPILE_CACHE: '1' };
  return execFileSync(process.execPath, [fromRoot(`dist/${script}`), ...args], {
    env,
    encoding: 'utf8',
  });
}
