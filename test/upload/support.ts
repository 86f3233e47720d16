import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test is over. */
export function scratchDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sync-upload-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

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
