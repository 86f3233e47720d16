import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A chunk of the bundle, such as `ledger.CMbzsjbd.cjs`; the entry points have one dot. */
const CHUNK = /\.[\w-]+\.cjs$/;

/**
 * Loads all of this program that is loaded on demand otherwise: a process that runs for weeks works on
 * after an update deleted the files that it began with.
 *
 * @param programDir the built program's folder
 */
export function loadWholeProgram(programDir: string): void {
  const require = createRequire(join(programDir, 'main.cjs'));
  for (const name of readdirSync(programDir)) {
    if (CHUNK.test(name)) require(`./${name}`);
  }
}
