// Builds the disk of the laboratory's machine, once: Debian's packages, ssh, two users.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fromRoot } from '../../scripts/standalone/project.mjs';

const CACHES = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
export const CACHE = join(CACHES, 'athlete-sync-lab');
/** Logs in as every user of the machine. */
export const KEY = join(CACHE, 'key');
export const MIRROR = 'http://deb.debian.org/debian';

// The cloud kernel has no USB.
const PACKAGES = words`linux-image-amd64 systemd systemd-sysv dbus dbus-user-session udev kmod
  libpam-systemd login passwd util-linux procps iproute2 ca-certificates openssh-server curl
  udisks2 polkitd dosfstools exfatprogs libglib2.0-bin gvfs gvfs-backends gvfs-daemons gvfs-fuse
  gnome-keyring libpam-gnome-keyring libsecret-tools`.join();

/** Debian's packages for all scenarios. */
const INSTALL =
  'apt-get install qemu-system-x86 qemu-utils qemu-user-static mmdebstrap mtools dosfstools exfatprogs wine wine64 unzip';

/** Splits text without values of several words. */
export function words(parts, ...values) {
  return String.raw({ raw: parts }, ...values).split(/\s+/);
}

/** @throws Error that names missing programs of the host */
export function requireTools(tools) {
  const folders = [...process.env.PATH.split(':'), '/usr/sbin', '/sbin'];
  const missing = tools.filter((tool) => !folders.some((each) => existsSync(join(each, tool))));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} (${INSTALL})`);
}

/** @returns the folder of the image: `disk.img`, `vmlinuz`, `initrd.img` */
export function buildImage() {
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(KEY)) run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', KEY]);
  const script = fromRoot('test/lab/machine.sh');
  const key = readFileSync(`${KEY}.pub`, 'utf8').trim();
  const state = sha256(PACKAGES, readFileSync(script), key);
  const folder = join(CACHE, `machine-${state.slice(0, 12)}`);
  if (existsSync(folder)) return folder;

  console.log('Building the machine from Debian packages (once, some minutes).');
  const building = `${folder}.building`;
  // Files keep their owners: inside a user namespace, if not root. There are no devices: the kernel makes them.
  const asRoot = (...command) => {
    if (process.getuid() !== 0) command.unshift('unshare', '--map-auto', '--map-root-user');
    run(command[0], command.slice(1));
  };
  asRoot('rm', '-rf', building);
  mkdirSync(building);
  const tar = join(building, 'root.tar');
  const options = words`--quiet --variant=minbase --dpkgopt=force-unsafe-io --include=${PACKAGES}`;
  const hook = `--customize-hook=${script} "$1"`;
  run('mmdebstrap', [...options, hook, 'bookworm', tar, MIRROR], { LAB_KEY: key });
  const make = `cd "$1" && mkdir root && tar -xf root.tar -C root --exclude='./dev/*' && cp root/boot/vmlinuz-* vmlinuz &&
    cp root/boot/initrd.img-* initrd.img && chmod 644 vmlinuz initrd.img &&
    /sbin/mke2fs -q -t ext4 -d root disk.img 4G && rm -rf root root.tar`;
  asRoot('sh', '-c', make, 'sh', building);
  renameSync(building, folder);
  return folder;
}

/** Makes the certificate of the platform's name: new every month. @returns paths of certificate and key */
export function makeCertificate() {
  const month = new Date().toISOString().slice(0, 7);
  const [cert, key] = ['pem', 'key'].map((end) => join(CACHE, `platform-${month}.${end}`));
  if (!existsSync(cert)) {
    rmSync(key, { force: true });
    const options = words`req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=platform.lab
      -addext subjectAltName=DNS:platform.lab`;
    run('openssl', [...options, '-keyout', key, '-out', cert]);
  }
  return { cert, key };
}

export function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function run(command, args, env = {}) {
  const stdio = ['ignore', 'ignore', 'inherit'];
  execFileSync(command, args, { stdio, env: { ...process.env, ...env } });
}
