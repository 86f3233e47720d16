import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pair } from '../pair.mjs';
import { filesBelow } from '../recordings.mjs';
import { NotMeasured } from '../not-measured.mjs';
import { program, root } from '../world.mjs';
import { knownWorld } from './known.mjs';

/** Start-up, beside Node.js with an empty program. @param args of the program; none: one known file */
export function start(...args) {
  return ({ rounds }) => startOf(process.execPath, [process.execPath, program], args, rounds);
}

/** The same for the standalone archive, beside its own Node.js. */
export function standalone(...args) {
  return ({ rounds }) => {
    const folder = standaloneFolder();
    return startOf(join(folder, 'node'), [join(folder, 'bin', 'sync')], args, rounds);
  };
}

async function startOf(node, sync, args, rounds) {
  const { env, folder } = await knownWorld(20);
  const own = args.length > 0 ? args : ['upload', filesBelow(folder)[0]];
  return await pair(
    { command: [...sync, ...own], env },
    { command: [node, '-e', '0'], env },
    rounds,
  );
}

/** Returns the folder of the standalone build. @throws NotMeasured if it has another program than dist/ */
export function standaloneFolder() {
  const release = join(root, 'release');
  const name = `-${process.platform}-${process.arch}`;
  const found = existsSync(release)
    ? readdirSync(release).find((entry) => entry.endsWith(name))
    : undefined;
  if (found === undefined)
    throw new NotMeasured(`there is no standalone archive for ${name.slice(1)}`);
  const main = (folder) => readFileSync(join(folder, 'dist', 'main.cjs'), 'utf8');
  // The names of chunks are hashes of their content: main.cjs names them.
  if (main(join(release, found)) !== main(root))
    throw new NotMeasured('the standalone archive is of another build');
  return join(release, found);
}
