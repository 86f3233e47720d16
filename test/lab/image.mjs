// Builds the disk of the laboratory's machine, once: Debian's packages, ssh, two users.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
export const CACHE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'athlete-sync-lab',
);
/** Logs in as every user of the machine. */
export const KEY = join(CACHE, 'key');

// The cloud kernel has no USB.
const PACKAGES = [
  ...['linux-image-amd64', 'systemd', 'systemd-sysv', 'dbus', 'dbus-user-session', 'udev', 'kmod'],
  ...['libpam-systemd', 'login', 'passwd', 'util-linux', 'procps', 'iproute2', 'ca-certificates'],
  ...['openssh-server', 'curl', 'udisks2', 'polkitd', 'dosfstools', 'exfatprogs', 'libglib2.0-bin'],
  ...['gvfs', 'gvfs-backends', 'gvfs-daemons', 'gvfs-fuse'],
  ...['gnome-keyring', 'libpam-gnome-keyring', 'libsecret-tools'],
];
export const MIRROR = 'http://deb.debian.org/debian';

/** Debian's packages for all scenarios. */
const INSTALL =
  'apt-get install qemu-system-x86 qemu-utils qemu-user-static mmdebstrap mtools dosfstools exfatprogs wine wine64 unzip';

export const MACHINE_TOOLS = [
  'mmdebstrap',
  'mke2fs',
  'qemu-img',
  'qemu-system-x86_64',
  'ssh',
].concat(['ssh-keygen', 'openssl', 'setpriv', 'mkfs.vfat', 'mcopy', 'dpkg-deb']);

/** @throws Error that names missing programs of the host */
export function requireTools(tools) {
  const folders = [...process.env.PATH.split(':'), '/usr/sbin', '/sbin'];
  const missing = tools.filter((tool) => !folders.some((each) => existsSync(join(each, tool))));
  if (missing.length > 0) throw new Error(`${missing.join(', ')} (${INSTALL})`);
}

/** @returns the folder of the image: `disk.img`, `vmlinuz`, `initrd.img` */
export function buildImage(say) {
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(KEY)) run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', KEY]);
  const script = join(HERE, 'machine.sh');
  const key = readFileSync(`${KEY}.pub`, 'utf8').trim();
  const folder = join(CACHE, `machine-${shortHash(PACKAGES.join(), readFileSync(script), key)}`);
  if (existsSync(folder)) return folder;

  say('Building the machine from Debian packages (once, some minutes).');
  const building = `${folder}.building`;
  const asRoot = process.getuid() === 0 ? [] : ['unshare', '--map-auto', '--map-root-user'];
  const [command, ...args] = [...asRoot, 'rm', '-rf', building];
  run(command, args);
  mkdirSync(building);
  const tar = join(building, 'root.tar');
  run(
    'nice',
    [
      ...['mmdebstrap', '--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io'],
      ...[`--include=${PACKAGES.join(',')}`, `--customize-hook=${script} "$1"`],
      ...['bookworm', tar, MIRROR],
    ],
    { LAB_KEY: key },
  );
  // Files keep their owners: inside a user namespace, if not root.
  const make = `cd "$1" && mkdir root && tar -xf root.tar -C root && cp root/boot/vmlinuz-* vmlinuz &&
    cp root/boot/initrd.img-* initrd.img && chmod 644 vmlinuz initrd.img &&
    /sbin/mke2fs -q -t ext4 -d root disk.img 4G && rm -rf root root.tar`;
  const [shell, ...rest] = [...asRoot, 'sh', '-c', make, 'sh', building];
  run(shell, rest);
  renameSync(building, folder);
  return folder;
}

/** Makes the certificate of the platform's name: new every month. @returns paths of certificate and key */
export function makeCertificate() {
  const month = new Date().toISOString().slice(0, 7);
  const [cert, key] = [join(CACHE, `platform-${month}.pem`), join(CACHE, `platform-${month}.key`)];
  if (!existsSync(cert)) {
    rmSync(key, { force: true });
    run('openssl', [
      ...[
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '90',
        '-subj',
        '/CN=platform.lab',
      ],
      ...['-addext', 'subjectAltName=DNS:platform.lab', '-keyout', key, '-out', cert],
    ]);
  }
  return { cert, key };
}

export function shortHash(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 12);
}

function run(command, args, env = {}) {
  execFileSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
}
