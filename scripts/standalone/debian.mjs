import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fileHash } from './checksums.mjs';
import { writeFolder } from './folder.mjs';
import { setModes } from './modes.mjs';
import { fromRoot, manifest, sourceTime } from './project.mjs';

const MAINTAINER = 'The athlete-sync authors <athlete-sync@users.noreply.github.com>';
const LIBRARY = 'usr/lib/athlete-sync';
const DOCUMENTS = 'usr/share/doc/athlete-sync';

/** The version of the package: Debian sorts `1.0.0~rc.1` before `1.0.0`, and our packaging is the first. */
export const debianVersion = `${manifest.version.replace('-', '~')}-1`;

/**
 * Writes the tree of a binary package (Debian Policy, chapters 5, 9, 10 and 12). Its only command is
 * `athlete-sync`: `/usr/bin/sync` belongs to coreutils.
 *
 * @param tree must not exist
 * @param scratch an existing folder
 */
export async function writeDebianTree(platform, tree, scratch) {
  const folder = join(scratch, 'folder');
  // `sync` is the one of coreutils.
  writeFolder(platform, folder, 'athlete-sync');
  for (const name of ['bin', 'node', 'dist', 'node_modules']) {
    mkdirSync(join(tree, LIBRARY), { recursive: true });
    renameSync(join(folder, name), join(tree, LIBRARY, name));
  }
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/athlete-sync/bin/athlete-sync', join(tree, 'usr/bin/athlete-sync'));
  writeShell(join(folder, 'share'), join(tree, 'usr/share'));
  writeDocuments(folder, tree);
  setModes(tree);
  writeControl(platform, tree);
}

/** Moves the manual page and the completions to the places of Debian. */
function writeShell(from, share) {
  renameSync(from, share);
  renameSync(join(share, 'zsh/site-functions'), join(share, 'zsh/vendor-completions'));
  const page = join(share, 'man/man1/athlete-sync.1');
  writeText(`${page}.gz`, compressed(readFileSync(page)));
  rmSync(page);
}

function writeDocuments(folder, tree) {
  const documents = join(tree, DOCUMENTS);
  const notes = ['README.md', 'THIRD-PARTY-LICENSES.txt', 'NODE-LICENSE.txt', 'sbom.cdx.json'];
  for (const name of ['docs', ...notes])
    cpSync(join(folder, name), join(documents, name), { recursive: true });
  writeText(
    join(documents, 'changelog.gz'),
    compressed(readFileSync(join(folder, 'CHANGELOG.md'))),
  );
  writeText(join(documents, 'changelog.Debian.gz'), compressed(changelog()));
  writeText(join(documents, 'copyright'), copyright());
  const overrides = 'usr/share/lintian/overrides/athlete-sync';
  cpSync(fromRoot('packaging/lintian-overrides'), join(tree, overrides));
}

function writeControl({ debian }, tree) {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const control = [
    `Package: ${manifest.name}`,
    `Version: ${debianVersion}`,
    `Architecture: ${debian}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    // The versions of symbols that Node.js and the native modules import: `readelf -V`.
    'Depends: libc6 (>= 2.29), libgcc-s1, libstdc++6 (>= 5)',
    'Recommends: xdg-utils',
    'Suggests: gnome-keyring',
    'Section: utils',
    'Priority: optional',
    `Homepage: ${manifest.homepage}`,
    "Description: send an athlete's recordings, wellness and meals to a training platform",
    ' Uploads recordings of rides, runs and swims (FIT) from files, folders and',
    ' devices, and wellness and nutrition records from the exports of other',
    ' programs: each exactly once, on the right day. Watches folders in the',
    ' background. Contains its own Node.js.',
    ' .',
    ' The command is athlete-sync; sync remains the one of coreutils.',
  ];
  const sums = files.map((file) => `${fileHash('md5', file)}  ${relative(tree, file)}`);
  const folder = join(tree, 'DEBIAN');
  writeText(join(folder, 'control'), lines(control));
  writeText(join(folder, 'md5sums'), lines(sums));
}

function changelog() {
  const date = new Date(sourceTime * 1000).toUTCString().replace('GMT', '+0000');
  return lines([
    `${manifest.name} (${debianVersion}) unstable; urgency=medium`,
    '',
    '  * This version of athlete-sync: see changelog.gz.',
    '',
    ` -- ${MAINTAINER}  ${date}`,
  ]);
}

/** Machine-readable copyright, format 1.0. The texts of bundled packages are beside it. */
function copyright() {
  const licence = readFileSync(fromRoot('LICENSE'), 'utf8').trim();
  const [, holder] = /^Copyright \(c\) (.+)$/m.exec(licence);
  const text = licence.slice(licence.indexOf('Permission'));
  return lines([
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    `Upstream-Name: ${manifest.name}`,
    `Source: ${manifest.homepage}`,
    '',
    'Files: *',
    `Copyright: ${holder}`,
    'License: Expat',
    ...text.split('\n').map((line) => ` ${line.trim() || '.'}`),
    'Comment:',
    ` The packages inside of ${LIBRARY}/dist are listed with their licences in`,
    ' THIRD-PARTY-LICENSES.txt in this folder, those in node_modules contain theirs.',
    '',
    `Files: ${LIBRARY}/node`,
    'Copyright: Node.js contributors, Joyent, Inc., and the authors of its libraries',
    'License: Node.js',
    ' The licences of Node.js and of the libraries in it are in NODE-LICENSE.txt in this',
    ' folder.',
  ]);
}

function lines(list) {
  return list.map((line) => `${line}\n`).join('');
}

function compressed(content) {
  return gzipSync(content, { level: 9 });
}

function writeText(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
