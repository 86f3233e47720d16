import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Licences under which a package may be passed on inside of the bundle. */
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
]);

/**
 * Writes the licences of everything that went into the bundle beside it, as they demand, and the list
 * of these packages. Fails the build over a package that may not be passed on.
 */
export function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
      const packages = new Map();
      for (const id of modules) {
        const folder = packageFolder(id);
        if (folder !== undefined && !packages.has(folder)) packages.set(folder, describe(folder));
      }
      const notices = [...packages.values()].sort((a, b) => a.title.localeCompare(b.title, 'en'));
      for (const { title, licence } of notices) {
        if (!ALLOWED.has(licence))
          this.error(`${title}: the licence ${licence} is not on the list`);
      }
      this.emitFile({
        type: 'asset',
        fileName: 'THIRD-PARTY-LICENSES.txt',
        source: notices
          .map(({ title, licence, text }) => `${title} (${licence})\n\n${text}\n`)
          .join(`\n${'-'.repeat(80)}\n\n`),
      });
      this.emitFile({
        type: 'asset',
        fileName: 'bundled-packages.json',
        source: `${JSON.stringify(notices.map(({ name, version }) => ({ name, version })))}\n`,
      });
    },
  };
}

/** The folder of the package that a bundled file belongs to. */
function packageFolder(id) {
  if (!/[\\/]node_modules[\\/]/.test(id)) return undefined;
  let folder = dirname(id.replace(/^\0/, '').replace(/\?.*$/, ''));
  while (!isPackage(folder)) {
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return folder;
}

/** Some packages have a `package.json` with nothing but a `type` in a folder of theirs. */
function isPackage(folder) {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined;
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return {
    name,
    version,
    title: `${name} ${version}`,
    licence: String(license),
    text:
      file === undefined
        ? 'No licence text in the package.'
        : readFileSync(join(folder, file), 'utf8').trim(),
  };
}
