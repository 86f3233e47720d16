import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export { scratchDir } from '../support/scratch-dir.ts';

/** Writes a file (and the folders to it) that was last written an hour ago. @returns its path */
export function put(dir: string, name: string, contents: Uint8Array | string = ''): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(path, before, before);
  return path;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
