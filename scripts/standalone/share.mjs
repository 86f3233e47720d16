import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot } from './project.mjs';

/** Writes what a shell and `man` read: the manual page and the completions, in the places of a `share` folder. */
export function writeShare(share) {
  cpSync(fromRoot('dist/athlete-sync.1'), join(share, 'man/man1/athlete-sync.1'));
  const completions = {
    'bash-completion/completions/athlete-sync': completion('bash'),
    'zsh/site-functions/_athlete-sync': completion('zsh'),
    'fish/vendor_completions.d/athlete-sync.fish': completion('fish'),
  };
  for (const [path, text] of Object.entries(completions)) {
    const file = join(share, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The name `sync` may be that of coreutils here. */
function completion(shell) {
  const args = [fromRoot('bin/sync.js'), 'completion', shell, '--only', 'athlete-sync'];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}
