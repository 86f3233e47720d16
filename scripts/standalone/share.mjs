import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot } from './project.mjs';

/**
 * Writes what a shell and `man` read: the manual page and the completions, in the places of a `share` folder.
 *
 * @param only the one name to complete; without it, `sync` and `athlete-sync`
 */
export function writeShare(share, only) {
  cpSync(fromRoot('dist/athlete-sync.1'), join(share, 'man/man1/athlete-sync.1'));
  const completions = {
    'bash-completion/completions/athlete-sync': completion('bash', only),
    'zsh/site-functions/_athlete-sync': completion('zsh', only),
    'fish/vendor_completions.d/athlete-sync.fish': completion('fish', only),
  };
  for (const [path, text] of Object.entries(completions)) {
    const file = join(share, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function completion(shell, only) {
  const names = only === undefined ? [] : ['--only', only];
  const args = [fromRoot('bin/sync.js'), 'completion', shell, ...names];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}
