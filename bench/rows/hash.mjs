import { pair } from '../pair.mjs';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { logIn, program } from '../world.mjs';

/** Reading, checking and hashing recordings that were never seen: a dry run sends nothing. */
export function hashAndCheck(count, sizeBytes) {
  return async ({ rounds, compared }) => {
    const env = await logIn('http://127.0.0.1:9');
    const folder = await makeFolder(count, sizeBytes);
    const command = [process.execPath, program, 'upload', '--dry-run', '--json', folder];
    const theirs = { command: ['sha256sum', ...filesBelow(folder)] };
    return await pair({ command, env }, compared && theirs, rounds);
  };
}
