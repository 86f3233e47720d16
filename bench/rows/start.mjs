import { pair } from '../pair.mjs';
import { filesBelow } from '../recordings.mjs';
import { program } from '../world.mjs';
import { knownWorld } from './known.mjs';

/** Start-up, beside Node.js with an empty program. @param args of the program; none: one known file */
export function start(...args) {
  return async ({ rounds }) => {
    const { env, folder } = await knownWorld(20);
    const own = args.length > 0 ? args : ['upload', filesBelow(folder)[0]];
    return await pair(
      { command: [process.execPath, program, ...own], env },
      { command: [process.execPath, '-e', '0'], env },
      rounds,
    );
  };
}
