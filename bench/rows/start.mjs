import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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

/**
 * Returns the folder of the standalone build for this machine.
 * @throws NotMeasured if there is none, or if it holds another build than dist/
 */
export function standaloneFolder() {
  const platform = `${process.platform}-${process.arch}`;
  const toBuild = `\`npm run standalone -- ${platform}\` builds it`;
  const release = join(root, 'release');
  const names = existsSync(release) ? readdirSync(release) : [];
  const name = names.find((entry) => entry.endsWith(`-${platform}`));
  if (name === undefined) throw new NotMeasured(`there is no standalone archive; ${toBuild}`);
  const folder = join(release, name);
  if (!isCurrent(join(folder, 'dist'))) {
    throw new NotMeasured(`the standalone archive is of another build; ${toBuild}`);
  }
  return folder;
}

/** Tells if the files that this folder shares with dist/ are equal. The name of a chunk is a hash of it. */
function isCurrent(dist) {
  return filesBelow(dist).every((file) => {
    const built = join(root, 'dist', relative(dist, file));
    return !existsSync(built) || readFileSync(built).equals(readFileSync(file));
  });
}
