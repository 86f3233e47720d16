import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, lockedPackage } from './project.mjs';
import { withoutUnloadedSections } from './elf.mjs';
import { PLATFORMS } from './platforms.mjs';
import { setModes } from './modes.mjs';
import { fetchPackage } from './registry.mjs';
import { billOfMaterials } from './sbom.mjs';
import { writeShare } from './share.mjs';

/** What the program needs of a package, for every platform. */
const PORTABLE_PACKAGES = {
  '@napi-rs/keyring': ['index.js'],
  '@photostructure/sqlite': ['dist/index.cjs'],
  'node-gyp-build': ['index.js', 'node-gyp-build.js'],
};
/** What `dist/` does not keep: files that have another place in the folder, and the exports for npm. */
const NOT_IN_DIST = [
  'THIRD-PARTY-LICENSES.txt',
  'bundled-packages.json',
  'athlete-sync.1',
  'manual.cjs',
  'library',
  'types',
].map((name) => fromRoot(`dist/${name}`));

/**
 * Writes a folder that runs the program without an installed Node.js:
 *
 * - `bin/sync`, `bin/athlete-sync`: the launchers
 * - `node`, `dist/`, `node_modules/`: the runtime, the built program, its native modules for one platform
 * - `share/`: manual page and shell completions
 * - `docs/` without `docs/internals/`, licences, `sbom.cdx.json`
 *
 * @param folder must not exist
 * @param only the one name of the program that is installed; without it, `sync` and `athlete-sync`
 */
export function writeFolder(platform, folder, only) {
  mkdirSync(folder, { recursive: true });
  writeNode(platform, folder);
  writeLaunchers(platform, folder);
  cpSync(fromRoot('dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !NOT_IN_DIST.includes(path),
  });
  for (const name of ['docs', 'README.md', 'CHANGELOG.md', 'LICENSE'])
    cpSync(fromRoot(name), join(folder, name), { recursive: true, filter: isForUsers });
  cpSync(fromRoot('dist/THIRD-PARTY-LICENSES.txt'), join(folder, 'THIRD-PARTY-LICENSES.txt'));
  writeModules(platform, folder);
  writeShare(join(folder, 'share'), only);
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(platform));
  setModes(folder);
}

function isForUsers(path) {
  return path !== fromRoot('docs/internals');
}

function writeNode({ name, node }, folder) {
  const isWindows = name.startsWith('win32');
  const nodeFile = isWindows ? 'node.exe' : 'node';
  const scratch = join(folder, 'scratch');
  fetchPackage(node, scratch, [/^bin\/node(\.exe)?$/, /^LICENSE$/]);
  const program = readFileSync(join(scratch, 'bin', nodeFile));
  // Programs for macOS and Windows are signed: they stay as they are.
  const isElf = name.startsWith('linux');
  writeFileSync(join(folder, nodeFile), isElf ? withoutUnloadedSections(program) : program);
  // The package for Windows has no licence in it.
  if (!existsSync(join(scratch, 'LICENSE')))
    fetchPackage(PLATFORMS[0].node, scratch, [/^LICENSE$/]);
  cpSync(join(scratch, 'LICENSE'), join(folder, 'NODE-LICENSE.txt'));
  rmSync(scratch, { recursive: true });
}

function writeLaunchers({ name }, folder) {
  const extension = name.startsWith('win32') ? '.cmd' : '';
  const launcher = fromRoot(`packaging/launcher${extension || '.sh'}`);
  for (const command of ['athlete-sync', 'sync'])
    cpSync(launcher, join(folder, 'bin', `${command}${extension}`));
}

/** Native modules: one binary each. */
function writeModules(platform, folder) {
  const modules = join(folder, 'node_modules');
  for (const [name, files] of Object.entries(PORTABLE_PACKAGES)) {
    for (const file of ['package.json', 'LICENSE', ...files])
      cpSync(fromRoot(`node_modules/${name}/${file}`), join(modules, name, file));
  }
  const binary = `@photostructure/sqlite/prebuilds/${platform.name}/@photostructure+sqlite.glibc.node`;
  cpSync(fromRoot(`node_modules/${binary}`), join(modules, binary));
  fetchPackage(lockedPackage(platform.keyring), join(modules, platform.keyring), [
    /^package\.json$/,
    /^LICENSE/,
    /\.node$/,
  ]);
}
