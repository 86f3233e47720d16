import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../world.mjs';
import { standaloneFolder } from './start.mjs';

const npm = (...args) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** What `npm install` writes: the unpacked package and its dependencies for this platform. */
export function npmSize() {
  execFileSync(process.execPath, [join(root, 'scripts', 'library-types.mjs')]);
  const [{ unpackedSize }] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts'));
  const [, ...folders] = npm('ls', '--all', '--omit=dev', '--parseable').trim().split('\n');
  const bytes = folders.reduce((sum, folder) => sum + sizeOf(folder), unpackedSize);
  return [{ name: 'installed', unit: 'MB', ours: [bytes / 1e6] }];
}

export function standaloneSize() {
  const archive = `${standaloneFolder()}.tar.gz`;
  return [{ name: 'packed', unit: 'MB', ours: [statSync(archive).size / 1e6] }];
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}
