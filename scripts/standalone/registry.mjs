import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';

/**
 * Unpacks a package of the npm registry. npm fetches it: from its configured registry or its cache,
 * through its proxy.
 *
 * @param package_ name, version and `integrity` (RFC SRI, sha512) of the package
 * @param folder becomes the package's folder
 * @param wanted paths inside of the package; others are left out
 * @throws Error if the package has another content than `integrity` says
 */
export function fetchPackage({ name, version, integrity }, folder, wanted) {
  const scratch = mkdtempSync(join(tmpdir(), 'athlete-sync-fetch-'));
  try {
    const tarball = join(scratch, packed(`${name}@${version}`, scratch));
    const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (found !== integrity) {
      throw new Error(`${name}@${version} has the integrity ${found}, expected ${integrity}.`);
    }
    mkdirSync(folder, { recursive: true });
    extract({
      file: tarball,
      cwd: folder,
      sync: true,
      strip: 1,
      filter: (path) => wanted.some((pattern) => pattern.test(path.replace(/^[^/]*\//, ''))),
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Downloads a tarball. @returns its file name */
function packed(spec, folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const output = execFileSync('npm', [...args, '--pack-destination', folder, spec], {
    encoding: 'utf8',
    // npm hides the registry's answer otherwise.
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output)[0].filename;
}
