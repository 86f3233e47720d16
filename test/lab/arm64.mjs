// The archive for Linux on arm64, by QEMU's user emulation: the demo, in a tree of Debian's arm64 libraries.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from '../../scripts/standalone/project.mjs';
import { CACHE, MIRROR, words } from './image.mjs';
import { includes } from './laboratory.mjs';
import { withParent } from './platform.mjs';

const PACKAGES = 'libc6,libgcc-s1,libstdc++6,dash,coreutils';
/** The start of an ELF file for aarch64, and which bits of it count. */
const MAGIC =
  '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00';
const MASK =
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff';

/** Registers the emulator in a user namespace of its own: the host's other programs do not see it. */
const STEPS = String.raw`set -e
exec 2>&1
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf '%s' ':arm64:M::${MAGIC}:${MASK}:'"$(command -v qemu-aarch64-static):F" >/proc/sys/fs/binfmt_misc/register
cd "$1"
mount --rbind /dev dev
mount --rbind /proc proc
chroot . /bin/uname -m
chroot . /opt/athlete-sync/bin/athlete-sync --version
exec chroot . /opt/athlete-sync/node /opt/demo.mjs`;

export async function onArm64({ archive, scratch }) {
  const [tar, making] = [join(CACHE, 'arm64.tar'), join(CACHE, 'arm64-new.tar')];
  if (!existsSync(tar)) {
    const args = words`--quiet --architectures=arm64 --variant=extract --include=${PACKAGES}`;
    execFileSync('mmdebstrap', [...args, 'bookworm', making, MIRROR], { stdio: 'inherit' });
    renameSync(making, tar);
  }
  const tree = join(scratch, 'arm64');
  for (const name of ['opt/athlete-sync', 'proc', 'dev', 'tmp'])
    mkdirSync(join(tree, name), { recursive: true });
  execFileSync('tar', ['-xf', tar, '-C', tree, '--no-same-owner', '--exclude=./dev/*']);
  // Debian's dash makes this link when it is configured.
  execFileSync('ln', ['-sf', 'dash', join(tree, 'bin', 'sh')]);
  const folder = join(tree, 'opt/athlete-sync');
  execFileSync('tar', ['-xf', archive, '-C', folder, '--strip-components=1']);
  for (const name of ['demo.mjs', 'play.mjs']) {
    copyFileSync(fromRoot(join('scripts', name)), join(tree, 'opt', name));
  }

  const namespace = words`--user --map-root-user --mount --pid --fork --kill-child`;
  const { status, stdout: text } = spawnSync(
    ...withParent('unshare', [...namespace, 'sh', '-c', STEPS, 'sh', tree]),
    {
      env: { PATH: process.env.PATH, SYNC_DEMO_PROGRAM: '/opt/athlete-sync/dist/main.cjs' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`The demo ended with ${status}: ${text}`);
  includes(text, 'aarch64');
  includes(text, 'At the sandbox: 8 recordings');
}
