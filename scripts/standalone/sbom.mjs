import { execFileSync } from 'node:child_process';
import { fromRoot, lockedPackage, manifest, readJson, sourceTime } from './project.mjs';

/** Packages with native code, and what they load: outside of the bundle. */
const UNBUNDLED = ['@napi-rs/keyring', '@photostructure/sqlite', 'node-gyp-build'];

/** Returns the software bill of materials of a standalone folder, as CycloneDX JSON. */
export function billOfMaterials(platform) {
  const { components, dependencies, ...document } = packageTree();
  const root = document.metadata.component;
  const packages = [
    ...readJson('dist/bundled-packages.json'),
    ...[...UNBUNDLED, platform.keyring].map(lockedPackage),
  ].map(({ name, version }) => `${name}@${version}`);
  const contained = components.filter((component) => packages.includes(component['bom-ref']));
  const missing = packages.filter(
    (reference) => !contained.some((component) => component['bom-ref'] === reference),
  );
  if (missing.length > 0) throw new Error(`Not in package-lock.json: ${missing.join(', ')}.`);
  const runtime = nodeComponent(platform.node);
  const all = [...contained.map(required), sqliteComponent(), runtime];
  const known = new Set(all.map((component) => component['bom-ref']));
  return `${JSON.stringify(
    {
      ...document,
      serialNumber: undefined,
      metadata: {
        ...document.metadata,
        timestamp: new Date(sourceTime * 1000).toISOString(),
        lifecycles: [{ phase: 'build' }],
        component: { ...root, name: manifest.name, type: 'application' },
      },
      components: all,
      dependencies: [
        { ref: root['bom-ref'], dependsOn: [...known].sort() },
        ...dependencies
          .filter(({ ref }) => known.has(ref))
          .map(({ ref, dependsOn }) => ({
            ref,
            dependsOn: dependsOn.filter((on) => known.has(on)),
          })),
      ],
    },
    null,
    1,
  )}\n`;
}

/** All packages in package-lock.json, with licences, hashes and package URLs. */
function packageTree() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  const options = { cwd: fromRoot('.'), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  return JSON.parse(execFileSync('npm', args, options));
}

/** npm calls packages for development, and for one platform, optional: here they are contained. */
function required(component) {
  return { ...component, scope: 'required', properties: [] };
}

function nodeComponent({ name, version, integrity }) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:lts:*:*:*`,
    purl: `pkg:npm/${name}@${version}`,
    hashes: [
      {
        alg: 'SHA-512',
        content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
      },
    ],
    licenses: [{ license: { name: 'NODE-LICENSE.txt' } }],
  };
}

/** SQLite, inside of the native module. */
function sqliteComponent() {
  const { version, versions } = readJson('node_modules/@photostructure/sqlite/package.json');
  return {
    'bom-ref': `sqlite@${versions.sqlite}`,
    type: 'library',
    name: 'sqlite',
    version: versions.sqlite,
    description: `Part of @photostructure/sqlite ${version}.`,
    scope: 'required',
    cpe: `cpe:2.3:a:sqlite:sqlite:${versions.sqlite}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/sqlite@${versions.sqlite}`,
    licenses: [{ license: { name: 'Public domain' } }],
  };
}
