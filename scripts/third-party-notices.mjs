import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

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
      const folders = new Set(modules.flatMap((id) => PACKAGE_FOLDER.exec(id) ?? []));
      const notices = [...folders]
        .map(describe)
        .sort((a, b) => a.title.localeCompare(b.title, 'en'));
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
const PACKAGE_FOLDER = /[^\0]+[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

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
