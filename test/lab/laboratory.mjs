// What the scenarios run in: each gets the machine as it was after the installation, and a platform of its own.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { debianVersion } from '../../scripts/standalone/debian.mjs';
import { fromRoot, manifest } from '../../scripts/standalone/project.mjs';
import {
  CACHE,
  MACHINE_TOOLS,
  buildImage,
  makeCertificate,
  requireTools,
  shortHash,
} from './image.mjs';
import { startMachine, until } from './machine.mjs';
import { PLATFORM, PROGRAM, startFront, startSandbox } from './platform.mjs';

/** What ada has in her environment, and what her services get. */
const ENVIRONMENT = [
  `SYNC_BASE_URL=${PLATFORM}`,
  'SYNC_CLIENT_ID=sandbox-client',
  'SYNC_TIMEZONE=Europe/Berlin',
  'SYNC_TOKEN_STORE=file',
  'NODE_EXTRA_CA_CERTS=/etc/ssl/platform.pem',
];

/** Shows what a failed scenario leaves. */
const LAST_WORDS = `date; loginctl list-sessions --no-legend; journalctl -n 40 --no-pager -o short-iso
tail -n 30 /home/*/.local/state/athlete-sync/watch/*/daemon.log`;

/** Longest boot on a host that runs the short form (s): its waits have limits. */
const SLOWEST_BOOT_SECS = 150;
const TOOLS = {
  machine: MACHINE_TOOLS,
  wine: ['wine', 'unzip', 'script', 'setpriv'],
  arm64: ['qemu-aarch64-static', 'mmdebstrap', 'setpriv'],
};

/** Runs what only the host can fail: that is no failure of the program. */
async function byHost(what, task) {
  try {
    return await task();
  } catch (error) {
    throw Object.assign(new Error(`${what}: ${error.message.split('\n')[0]}`), { notRun: true });
  }
}

/** @param short the host may be too slow */
export function openLaboratory(scratch, say, short) {
  let prepared;
  let front;
  let open;

  /** Boots the machine, installs the package, logs ada in, and keeps that state. */
  async function prepare() {
    const image = await byHost('The machine cannot be built', () => buildImage(say));
    const deb = built(`${manifest.name}_${debianVersion}_amd64.deb`, 'deb.mjs', 'amd64');
    const certificate = makeCertificate();
    front = await byHost('Another laboratory runs', () => startFront(certificate));
    const folder = join(CACHE, `ready-${shortHash(readFileSync(deb), certificate.cert, image)}`);
    if (!existsSync(folder)) {
      for (const name of readdirSync(CACHE))
        if (name.startsWith('ready-')) rmSync(join(CACHE, name), { recursive: true });
      await install({ image, folder: `${folder}.new`, deb, certificate });
      renameSync(`${folder}.new`, folder);
    }
    return { image, folder, deb };
  }

  async function install({ image, folder, deb, certificate }) {
    mkdirSync(folder);
    const disk = join(folder, 'disk.qcow2');
    const backing = ['-b', join(image, 'disk.img'), '-F', 'raw'];
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', ...backing, disk]);
    const sandbox = await openPlatform(join(folder, 'platform'));
    const timed = stopwatch(say);
    const machine = await boot({ image, disk });
    const seconds = timed('boot');
    await byHost('This host is too slow', () => {
      if (short && seconds > SLOWEST_BOOT_SECS) throw new Error(`it boots in ${seconds} s`);
    });
    await machine.put([deb, certificate.cert], '/tmp', 'root');
    await machine.root(
      `cp /tmp/${basename(certificate.cert)} /etc/ssl/platform.pem
      printf '%s\\n' ${ENVIRONMENT.map((line) => `'${line}'`).join(' ')} >>/etc/environment
      apt-get install -y -q --no-install-recommends /tmp/${basename(deb)}`,
    );
    timed('apt-get install');
    const tokens = JSON.stringify(await sandbox.post('tokens', {}));
    await machine.ada(`echo '${tokens}' | athlete-sync login --with-token --store file`);
    timed('login');
    const command = { 'command-line': 'savevm ready' };
    const complaint = await machine.qmp('human-monitor-command', command);
    if (complaint !== '') throw new Error(`QEMU keeps no state: ${complaint}`);
    await close();
  }

  async function openPlatform(data) {
    const sandbox = await startSandbox(data);
    open = { sandbox };
    if (front !== undefined) Object.assign(front, { sandbox, portal: false, answered: 0 });
    return sandbox;
  }

  async function boot(options) {
    return await byHost('The machine does not boot', async () => {
      open.machine = await startMachine({ scratch, ...options });
      await open.machine.isUp();
      return open.machine;
    });
  }

  async function close() {
    const { machine, sandbox, atEnd } = open ?? {};
    open = undefined;
    atEnd?.();
    await machine?.stop();
    await sandbox?.stop();
  }

  /** Runs the steps of a scenario in the machine, then looks for recordings that arrived twice. */
  async function inMachine(steps) {
    prepared ??= prepare();
    const { image, folder, deb } = await prepared;
    const data = join(scratch, 'platform');
    rmSync(data, { recursive: true, force: true });
    cpSync(join(folder, 'platform'), data, { recursive: true });
    const sandbox = await openPlatform(data);
    const start = async (options) => {
      return await boot({ image, disk: join(folder, 'disk.qcow2'), ...options });
    };
    const machine = await start({ snapshot: 'ready' });
    await machine.root(`date -s @${Math.round(Date.now() / 1000)}`);
    const lab = tools({ machine, sandbox, front, scratch, say, start, deb });
    try {
      await steps(lab);
      await lab.nothingDoubled();
    } catch (error) {
      say(await lab.machine.root(LAST_WORDS).catch(({ message }) => message));
      throw error;
    }
  }

  /** Runs steps on the host, with an archive of the program. */
  const withArchive = (platform, extension) => async (steps) => {
    const name = `${manifest.name}-${manifest.version}-${platform}.${extension}`;
    const archive = built(name, 'standalone.mjs', platform);
    const sandbox = await openPlatform();
    await steps({ sandbox, scratch, say, archive, atEnd: (task) => (open.atEnd = task) });
  };
  const places = {
    machine: inMachine,
    wine: withArchive('win32-x64', 'zip'),
    arm64: withArchive('linux-arm64', 'tar.gz'),
  };

  return {
    run: async (place, steps) => {
      await byHost('Missing', () => requireTools(TOOLS[place]));
      try {
        await places[place](steps);
      } finally {
        await close();
      }
    },
    close: async () => {
      await close();
      front?.close();
    },
  };
}

function tools({ machine, start, ...rest }) {
  const { sandbox, say } = rest;
  const lab = {
    ...rest,
    machine,
    until,
    /** Ends the machine without a word to it, and boots it again. */
    powerCut: async (options) => {
      await lab.machine.stop();
      lab.machine = await start(options);
    },
    /** Counts the recordings at the platform. */
    count: async () => (await sandbox.athlete()).recordings.length,
    /** Runs the program as ada. */
    sync: async (args) => await lab.machine.ada(`athlete-sync ${args}`),
    /** Waits until the platform has all of these recordings, and checks that it has no others. */
    arrived: async (rides, athlete) => {
      await until(`the platform has ${rides.length} recordings`, async () => {
        const held = new Set(
          (await sandbox.athlete(athlete)).recordings.map(({ sha256 }) => sha256),
        );
        return rides.every(({ sha256 }) => held.has(sha256));
      });
      await lab.holds(rides.length, athlete);
    },
    holds: async (count, athlete) => {
      const { recordings } = await sandbox.athlete(athlete);
      equal(recordings.length, count, 'recordings at the platform');
    },
    /** Each recording arrived once; `again` counts those that may have arrived twice. */
    again: 0,
    nothingDoubled: async () => {
      await sandbox.post('process', {});
      for (const id of ['athlete-1', 'athlete-2']) {
        const { recordings } = await sandbox.athlete(id);
        const twice = recordings.filter(({ receivedCount }) => receivedCount > 1);
        if (twice.length > lab.again || twice.some(({ receivedCount }) => receivedCount > 2))
          throw new Error(`received more than once: ${twice.map(({ name }) => name).join(', ')}`);
        if (lab.again > 0) say(`received again: ${twice.length} of at most ${lab.again}`);
        const none = recordings.filter(({ processing }) => processing !== 'workout');
        equal(none.length, 0, 'recordings without a workout');
      }
    },
  };
  return lab;
}

export function equal(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: ${found}, expected ${wanted}`);
}

export function includes(text, part) {
  if (!text.includes(part)) throw new Error(`"${part}" is not in: ${text}`);
}

/** Recordings of a synthetic athlete, oldest first: `file`, `name`, `sha256`. */
export function rides(from, to) {
  const folder = join(CACHE, 'rides');
  if (!existsSync(folder)) {
    const args = ['seed', '--days', '290', '--until', '2026-10-31', '--tz', 'Europe/Berlin'];
    execFileSync(process.execPath, [PROGRAM, ...args, '--out', `${folder}.new`], {
      stdio: 'ignore',
    });
    renameSync(`${folder}.new`, folder);
  }
  const names = readdirSync(folder).filter((name) => name.endsWith('.fit'));
  if (names.length < to) throw new Error(`Only ${names.length} recordings.`);
  return names
    .sort()
    .slice(from, to)
    .map((name) => {
      const file = join(folder, name);
      return { file, name, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
    });
}

/** Builds a file of the release from `dist/`, unless it is newer. @returns its path */
function built(name, script, platform) {
  const file = fromRoot(`release/${name}`);
  const isNew =
    existsSync(file) && statSync(file).mtimeMs > statSync(fromRoot('dist/main.cjs')).mtimeMs;
  if (!isNew)
    execFileSync(process.execPath, [fromRoot(`scripts/${script}`), platform], { stdio: 'inherit' });
  return file;
}

function stopwatch(say) {
  let last = Date.now();
  return (what) => {
    const seconds = Math.round((Date.now() - last) / 1000);
    last = Date.now();
    say(`${what}: ${seconds} s`);
    return seconds;
  };
}
