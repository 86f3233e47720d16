// Builds the standalone archives in release/: the program with Node.js, for people who have none.
// `npm run standalone -- linux-x64` builds one platform; without a name, all.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packFolder } from './standalone/archive.mjs';
import { writeChecksums } from './standalone/checksums.mjs';
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
  console.log(`${basename(archive)}: ${(statSync(archive).size / 1e6).toFixed(1)} MB`);
}
writeChecksums(release);
