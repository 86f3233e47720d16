// What the project says about itself and its packages.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function fromRoot(path) {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

export const manifest = readJson('package.json');
const lock = readJson('package-lock.json');

/** Returns name, version and integrity of a package in package-lock.json. */
export function lockedPackage(name) {
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  return { name, version, integrity };
}

/** When the sources were last changed (s since 1970): the time of all files in the archives. */
export const sourceTime = Number(
  process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: fromRoot('.'), encoding: 'utf8' }),
);

export function readJson(path) {
  return JSON.parse(readFileSync(fromRoot(path), 'utf8'));
}
