import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A chunk of the bundle, such as `ledger.CMbzsjbd.cjs`; the entry points have one dot. */
const CHUNK = /\.[\w-]+\.cjs$/;

/** Large chunks that no watcher needs later: other commands, and the client for proxies. */
const NOT_NEEDED = /^(?:sandbox|seed|fit-parser|undici-http)\./;

/**
 * Loads the parts of this program that are otherwise loaded on demand: a process that runs for
 * weeks continues after an update deleted its files.
 *
 * @param programDir the built program's folder
 */
export function loadAhead(programDir: string): void {
  const require = createRequire(join(programDir, 'main.cjs'));
  for (const name of readdirSync(programDir)) {
    if (CHUNK.test(name) && !NOT_NEEDED.test(name)) require(`./${name}`);
  }
}
