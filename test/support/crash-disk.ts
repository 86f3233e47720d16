import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { whyNoMount } from './disk.ts';

/** A journaling file system (ext4) that can lose its power, or fail. */
export interface CrashDisk {
  /**
   * Cuts the power: whatever was written and not flushed (fsync) is lost, and every later access fails
   * until {@link CrashDisk.restart}.
   */
  cutPower(): void;
  /** The kernel finds an error: the file system is read-only at once, also for open files. */
  failReadOnly(): void;
  /** Mounts it again, as after a restart of the machine. No process may use it. */
  restart(): void;
}

/** `FS_IOC_SHUTDOWN` of Linux, and its flag to flush nothing. Node.js has no ioctl; Perl does. */
const CUT = `my $flag = pack("L", 2); open(my $disk, "<", $ARGV[0]) or die;
  ioctl($disk, 0x8004587d, $flag) or die "ioctl: $!"`;

/** Why there is no such disk here; undefined if there is. */
export function whyNoCrashDisk(): string | undefined {
  const noMount = whyNoMount();
  if (noMount !== undefined) return noMount;
  if (!existsSync('/dev/loop-control')) return 'no loop devices';
  const missing = ['mkfs.ext4', 'perl'].find((tool) => spawnSync(tool, ['-V']).error !== undefined);
  return missing === undefined ? undefined : `no ${missing}`;
}

/** Mounts an empty disk at `dir`, until the test ends. */
export function mountCrashDisk(dir: string): CrashDisk {
  const folder = mkdtempSync(join(tmpdir(), 'sync-disk-'));
  const image = join(folder, 'image');
  writeFileSync(image, '');
  truncateSync(image, 8 * 1024 * 1024);
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
    return stdout.trim();
  };
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, dir);
  // A killed process may still be ending, and another mount namespace may hold a copy of the mount: mounted again
  // before the file system has ended, it would be the one without power.
  const hasEnded = () => {
    spawnSync('umount', [dir]);
    return run('losetup', '--associated', image) === '';
  };
  const unmount = () => {
    for (let attempt = 1; !hasEnded(); attempt++) {
      if (attempt === 600) throw new Error(`${dir} is busy`);
      spawnSync('sleep', ['0.05']);
    }
  };
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  run('mkfs.ext4', '-q', '-F', image);
  mount();
  onTestFinished(() => {
    spawnSync('umount', ['-l', dir]);
    rmSync(folder, { recursive: true });
  });
  return {
    cutPower: () => void run('perl', '-e', CUT, dir),
    failReadOnly() {
      const device = basename(run('findmnt', '-no', 'SOURCE', dir));
      writeFileSync(join('/sys/fs/ext4', device, 'trigger_fs_error'), '1');
    },
    restart() {
      unmount();
      // Repairs the recorded error.
      spawnSync('e2fsck', ['-fy', image]);
      mount();
    },
  };
}
