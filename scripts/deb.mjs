// Builds the Debian packages in release/, with Debian's dpkg-deb. `npm run deb -- amd64` builds one
// architecture; without a name, all.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeChecksums } from './standalone/checksums.mjs';
import { debianVersion, writeDebianTree } from './standalone/debian.mjs';
import { PLATFORMS } from './standalone/platforms.mjs';
import { fromRoot, manifest, sourceTime } from './standalone/project.mjs';

const wanted = process.argv.slice(2);
const release = fromRoot('release');
mkdirSync(release, { recursive: true });
for (const platform of PLATFORMS) {
  const { debian } = platform;
  if (debian === undefined || (wanted.length > 0 && !wanted.includes(debian))) continue;
  const scratch = mkdtempSync(join(tmpdir(), 'athlete-sync-deb-'));
  try {
    const tree = join(scratch, 'tree');
    await writeDebianTree(platform, tree, scratch);
    const file = join(release, `${manifest.name}_${debianVersion}_${debian}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(sourceTime) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    console.log(`${basename(file)}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
writeChecksums(release);
