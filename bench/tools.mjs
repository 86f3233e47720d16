import { spawnSync } from 'node:child_process';

/** The programs that rows run: how each tells its version, and its package in Debian. */
const TOOLS = {
  python3: { version: ['--version'], package: 'python3' },
  curl: { version: ['--version'], package: 'curl' },
  rclone: { version: ['version'], package: 'rclone' },
  unzip: { version: ['-v'], package: 'unzip' },
  xmllint: { version: ['--version'], package: 'libxml2-utils' },
};

/** Returns the versions of the programs that this machine has, by name. */
export function toolVersions() {
  const versions = {};
  for (const [name, { version }] of Object.entries(TOOLS)) {
    const { error, stdout, stderr } = spawnSync(name, version, { encoding: 'utf8' });
    if (error === undefined) {
      versions[name] = / v?(\d[\w.+-]*)/.exec(stdout + stderr)?.[1] ?? 'of unknown version';
    }
  }
  return versions;
}

export function missingTools(versions) {
  return Object.keys(TOOLS).filter((name) => versions[name] === undefined);
}

/** Installs what is missing, on Debian. @throws Error if that fails */
export function setUp() {
  const packages = missingTools(toolVersions()).map((name) => TOOLS[name].package);
  if (packages.length > 0) {
    const apt = process.getuid() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
    execute([...apt, 'update', '-qq']);
    execute([...apt, 'install', '-y', '-qq', '--no-install-recommends', ...packages]);
  }
}

function execute([command, ...args]) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) {
    throw new Error(`${command} failed${error === undefined ? '' : `: ${error.message}`}`);
  }
}
