import { once } from 'node:events';
import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { create } from 'tar';
import { ZipFile } from 'yazl';
import { sourceTime } from './project.mjs';

const mtime = new Date(sourceTime * 1000);

/**
 * Packs a folder, with its own name as the first part of all paths. The same content makes the same archive:
 * sorted, with one time for all files, and without the names of users.
 *
 * @returns the archive's file: `.zip` for Windows, otherwise `.tar.gz`, beside the folder
 */
export async function packFolder(platform, folder) {
  if (platform.name.startsWith('win32')) return await zip(folder);
  const file = `${folder}.tar.gz`;
  const options = { file, cwd: dirname(folder), gzip: { level: 9 }, portable: true, mtime };
  await create(options, filesIn(folder));
  return file;
}

async function zip(folder) {
  const file = `${folder}.zip`;
  const archive = new ZipFile();
  const options = { mtime, compressionLevel: 9, forceDosTimestamp: true };
  for (const path of filesIn(folder)) {
    const source = join(dirname(folder), path);
    archive.addFile(source, path, { ...options, mode: statSync(source).mode });
  }
  archive.end();
  await once(archive.outputStream.pipe(createWriteStream(file)), 'close');
  return file;
}

/** Returns the paths of all files below a folder, from the folder above it, in a fixed order. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dirname(folder), join(entry.parentPath, entry.name)))
    .sort();
}
