import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Names the chunks that the watcher may load, one a line; the build writes it (scripts/bundles.mjs). */
const LIST = 'watcher-chunks.txt';

/**
 * Loads the parts of this program that are otherwise loaded on demand: a process that runs for
 * weeks continues after an update deleted its files.
 *
 * @param programDir the built program's folder
 */
export function loadAhead(programDir: string): void {
  const require = createRequire(join(programDir, 'main.cjs'));
  const names = readFileSync(join(programDir, LIST), 'utf8').split('\n');
  for (const name of names) require(`./${name}`);
}
