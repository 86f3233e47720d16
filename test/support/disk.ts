import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemCode } from '../../src/base/errors.ts';

/** Why no file system can be mounted here; undefined if one can. */
export function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return 'mounts need Linux';
  const { status } = spawnSync('unshare', ['--mount', 'true']);
  return status === 0 ? undefined : 'this user may not mount';
}

export interface DiskOptions {
  /** Most files and folders, its own included. */
  readonly files?: number;
}

export interface SmallDisk {
  /** Fills it up, but for a whole number of pages. */
  readonly fill: (bytesLeft: number) => void;
  /** Uses up the inodes: there is space, but no room for another file. */
  readonly useUpInodes: () => void;
  /** Deletes what the two above wrote. */
  readonly makeRoom: () => void;
  readonly makeReadOnly: () => void;
  readonly makeWritable: () => void;
}

/** More files than a test keeps on a small disk, unless it says otherwise. */
const INODES = 300;

/** Mounts a small file system in memory at `dir`, until the test ends. */
export function mountSmallDisk(dir: string, { files = INODES }: DiskOptions = {}): SmallDisk {
  const mount = (...args: string[]) => {
    const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`mount failed: ${stderr}`);
  };
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  mount('-t', 'tmpfs', '-o', `size=2m,mode=0700,nr_inodes=${files}`, 'tmpfs', dir);
  onTestFinished(() => void spawnSync('umount', ['-l', dir]));
  const filler = join(dir, 'filler');
  const fillers = join(dir, 'fillers');
  return {
    fill: (bytesLeft) => fillUp(filler, bytesLeft),
    useUpInodes: () => fillFiles(fillers),
    makeRoom: () => {
      rmSync(filler, { force: true });
      rmSync(fillers, { recursive: true, force: true });
    },
    makeReadOnly: () => mount('-o', 'remount,ro', dir),
    makeWritable: () => mount('-o', 'remount,rw', dir),
  };
}

/** Creates empty files in a folder until its disk holds no more. */
export function fillFiles(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (let n = 0; ; n++) closeSync(openSync(join(folder, `filler-${n}`), 'w'));
  } catch (error) {
    if (systemCode(error) !== 'ENOSPC') throw error;
  }
}

function fillUp(path: string, bytesLeft: number): void {
  const fd = openSync(path, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) {
      try {
        for (;;) writeSync(fd, Buffer.alloc(size, 1));
      } catch (error) {
        if (systemCode(error) !== 'ENOSPC') throw error;
      }
    }
    ftruncateSync(fd, fstatSync(fd).size - bytesLeft);
  } finally {
    closeSync(fd);
  }
}
