// Builds the standalone archives in release/: the program with Node.js, for people who have none.
// `npm run standalone -- linux-x64` builds one platform; without a name, all.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packFolder } from './standalone/archive.mjs';
import { writeFolder } from './standalone/folder.mjs';
import { platformsNamed } from './standalone/platforms.mjs';
import { fromRoot, manifest } from './standalone/project.mjs';

// The times in a zip archive are local ones.
process.env.TZ = 'UTC';

const release = fromRoot('release');
mkdirSync(release, { recursive: true });
for (const platform of platformsNamed(process.argv.slice(2))) {
  const folder = join(release, `athlete-sync-${manifest.version}-${platform.name}`);
  rmSync(folder, { recursive: true, force: true });
  writeFolder(platform, folder);
  const archive = await packFolder(platform, folder);
  console.log(`${basename(archive)}: ${megabytes(archive)} MB`);
}
writeChecksums(release);

/** Writes the SHA-256 of all archives and packages, in the format of `sha256sum`. */
function writeChecksums(folder) {
  const lines = readdirSync(folder)
    .filter((name) => /\.(tar\.gz|zip|deb)$/.test(name))
    .sort()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

function megabytes(file) {
  return (statSync(file).size / 1e6).toFixed(1);
}
