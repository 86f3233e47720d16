import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { whyNoMount } from './disk.ts';

const IMAGE_BYTES = 4 * 1024 * 1024;

/** Why no vfat file system, as on a memory card, can be mounted here; undefined if one can. */
export function whyNoVfat(): string | undefined {
  const noMount = whyNoMount();
  if (noMount !== undefined) return noMount;
  const folder = mkdtempSync(join(tmpdir(), 'sync-vfat-'));
  const at = join(folder, 'at');
  mkdirSync(at);
  try {
    if (spawnSync('mkfs.vfat', ['--help']).error !== undefined) return 'no mkfs.vfat (dosfstools)';
    return mountImage(folder, at, '').status === 0 ? undefined : 'no vfat here';
  } finally {
    spawnSync('umount', ['-l', at]);
    rmSync(folder, { recursive: true });
  }
}

/** Mounts an empty vfat file system at `at`, until the test ends. @param options e.g. `umask=000` */
export function mountVfat(at: string, options: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sync-vfat-'));
  mkdirSync(at, { recursive: true });
  onTestFinished(() => {
    spawnSync('umount', ['-l', at]);
    rmSync(folder, { recursive: true });
  });
  const { status, stderr } = mountImage(folder, at, options);
  return status === 0 ? Promise.resolve() : Promise.reject(new Error(`mount failed: ${stderr}`));
}

function mountImage(folder: string, at: string, options: string) {
  const image = join(folder, 'image');
  writeFileSync(image, '');
  truncateSync(image, IMAGE_BYTES);
  spawnSync('mkfs.vfat', [image]);
  const flags = options === '' ? 'loop' : `loop,${options}`;
  return spawnSync('mount', ['-t', 'vfat', '-o', flags, image, at], { encoding: 'utf8' });
}
