import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the SHA-256 of all archives and packages in a folder, in the format of `sha256sum`. */
export function writeChecksums(folder) {
  const lines = readdirSync(folder)
    .filter((name) => /\.(tar\.gz|zip|deb)$/.test(name))
    .sort()
    .map((name) => `${fileHash('sha256', join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

export function fileHash(algorithm, file) {
  return createHash(algorithm).update(readFileSync(file)).digest('hex');
}
