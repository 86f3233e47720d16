// What the scenarios run in: each gets the machine as it was after the installation, and a platform of its own.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { debianVersion } from '../../scripts/standalone/debian.mjs';
import { fromRoot, manifest } from '../../scripts/standalone/project.mjs';
import { CACHE, buildImage, makeCertificate, requireTools, sha256, words } from './image.mjs';
import { startMachine, until } from './machine.mjs';
import { PLATFORM, PROGRAM, startFront, startSandbox } from './platform.mjs';

/** What ada has in her environment, and what her services get. */
const ENVIRONMENT = words`SYNC_BASE_URL=${PLATFORM} SYNC_CLIENT_ID=sandbox-client SYNC_TIMEZONE=Europe/Berlin
  SYNC_TOKEN_STORE=file NODE_EXTRA_CA_CERTS=/etc/ssl/platform.pem`;

/** Shows what a failed scenario leaves. */
const LAST_WORDS = `date; loginctl list-sessions --no-legend; ls -l /home/*/.local/share/keyrings
  journalctl --no-pager -o short-iso | grep -Ev 'root|UID 0|user@0|user-0|run-user-0' | tail -n 60
  tail -n 30 /home/*/.local/state/athlete-sync/watch/*/daemon.log`;

const TOOLS = {
  machine: words`mmdebstrap mke2fs qemu-img qemu-system-x86_64 ssh ssh-keygen openssl setpriv mkfs.vfat mkfs.exfat mcopy dpkg-deb`,
  wine: words`wine wineserver unzip script setpriv`,
  arm64: words`qemu-aarch64-static mmdebstrap setpriv`,
};

/** Runs what only the host can fail: that is no failure of the program. */
async function byHost(what, task) {
  try {
    return await task();
  } catch (error) {
    throw Object.assign(new Error(`${what}: ${error.message.split('\n')[0]}`), { notRun: true });
  }
}

export function openLaboratory(scratch) {
  let prepared;
  let front;
  let open;

  /** Boots the machine, installs the package, logs ada in, and keeps that state. */
  async function prepare() {
    const image = await byHost('The machine cannot be built', () => buildImage());
    const deb = built(`${manifest.name}_${debianVersion}_amd64.deb`, 'deb.mjs', 'amd64');
    const certificate = makeCertificate();
    front = await byHost('Another laboratory runs', () => startFront(certificate));
    const parts = [deb, certificate.cert, fromRoot('test/lab/machine.mjs')];
    const state = sha256(image, ...parts.map((file) => fs.readFileSync(file)));
    const folder = join(CACHE, `ready-${state.slice(0, 12)}`);
    if (!fs.existsSync(folder)) {
      for (const name of fs.readdirSync(CACHE))
        if (name.startsWith('ready-')) fs.rmSync(join(CACHE, name), { recursive: true });
      await install({ image, folder: `${folder}.new`, deb, certificate });
      fs.renameSync(`${folder}.new`, folder);
    }
    return { image, folder, deb };
  }

  async function install({ image, folder, deb, certificate }) {
    fs.mkdirSync(folder);
    const disk = join(folder, 'disk.qcow2');
    const backing = ['-b', join(image, 'disk.img'), '-F', 'raw'];
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', ...backing, disk]);
    const sandbox = await openPlatform(join(folder, 'platform'));
    console.time('boot');
    const machine = await boot({ image, disk });
    console.timeEnd('boot');
    console.time('apt-get install');
    await machine.put([deb, certificate.cert], '/tmp', 'root');
    await machine.root(
      `cp /tmp/${basename(certificate.cert)} /etc/ssl/platform.pem
      printf '%s\\n' ${ENVIRONMENT.join(' ')} >>/etc/environment
      apt-get install -y -q --no-install-recommends /tmp/${basename(deb)}`,
    );
    console.timeEnd('apt-get install');
    const tokens = JSON.stringify(await sandbox.post('tokens', {}));
    await machine.ada(`echo '${tokens}' | athlete-sync login --with-token --store file`);
    const command = { 'command-line': 'savevm ready' };
    const complaint = await machine.qmp('human-monitor-command', command);
    if (complaint !== '') throw new Error(`QEMU keeps no state: ${complaint}`);
    await close();
  }

  async function openPlatform(data) {
    const sandbox = await startSandbox(data);
    open = { sandbox };
    if (front !== undefined) Object.assign(front, { sandbox, portal: false });
    return sandbox;
  }

  async function boot(options) {
    return await byHost('The machine does not boot', async () => {
      open.machine = await startMachine({ scratch, ...options });
      await open.machine.isUp();
      if (options.snapshot !== undefined) await open.machine.setClock();
      return open.machine;
    });
  }

  async function close() {
    const { machine, sandbox } = open ?? {};
    open = undefined;
    await machine?.stop();
    await sandbox?.stop();
  }

  /** Continues from the kept state, with a copy of the platform's. */
  async function inMachine() {
    prepared ??= prepare();
    const { image, folder, deb } = await prepared;
    const data = join(scratch, 'platform');
    fs.rmSync(data, { recursive: true, force: true });
    fs.cpSync(join(folder, 'platform'), data, { recursive: true });
    const sandbox = await openPlatform(data);
    const disk = join(folder, 'disk.qcow2');
    const start = async (options) => await boot({ image, disk, ...options });
    return tools({
      machine: await start({ snapshot: 'ready' }),
      sandbox,
      front,
      scratch,
      start,
      deb,
    });
  }

  /** Runs on the host, with an archive of the program. */
  const withArchive = (platform, extension) => async () => {
    const name = `${manifest.name}-${manifest.version}-${platform}.${extension}`;
    const archive = built(name, 'standalone.mjs', platform);
    return tools({ sandbox: await openPlatform(), scratch, archive });
  };
  const places = {
    machine: inMachine,
    wine: withArchive('win32-x64', 'zip'),
    arm64: withArchive('linux-arm64', 'tar.gz'),
  };

  return {
    /** Runs the steps of a scenario, then looks for recordings that arrived twice. */
    run: async (place, steps) => {
      await byHost('Missing', () => requireTools(TOOLS[place]));
      let lab;
      try {
        lab = await places[place]();
        await steps(lab);
        await lab.nothingDoubled();
      } catch (error) {
        const left = lab?.machine?.root(LAST_WORDS).catch(({ message }) => message);
        console.log((await left) ?? '');
        throw error;
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
  const { sandbox } = rest;
  const recordingsOf = async (id) => (await sandbox.athlete(id)).recordings;
  const lab = {
    ...rest,
    machine,
    until,
    /** Ends the machine without a word to it, and boots it again, or continues from a snapshot. */
    powerCut: async (options) => {
      await lab.machine.stop();
      lab.machine = await start(options);
    },
    /** Runs the program as ada. */
    sync: async (args) => await lab.machine.ada(`athlete-sync ${args}`),
    /** Counts the recordings at the platform. */
    count: async () => (await recordingsOf()).length,
    atLeast: async (count) =>
      await until(`${count} have arrived`, async () => (await lab.count()) >= count),
    /** Waits until the platform has the first recordings, and checks that it has no others. */
    arrived: async (count, athlete) => {
      await until(`the platform has ${count} recordings`, async () => {
        const held = new Set((await recordingsOf(athlete)).map(({ sha256 }) => sha256));
        return rides(0, count).every(({ sha256 }) => held.has(sha256));
      });
      await lab.holds(count, athlete);
    },
    holds: async (count, athlete) =>
      equal((await recordingsOf(athlete)).length, count, 'recordings at the platform'),
    /** Most recordings that may have been received again, because the power failed. */
    again: 0,
    nothingDoubled: async () => {
      for (const id of ['athlete-1', 'athlete-2']) {
        await sandbox.post('process', { athlete: id });
        const recordings = await recordingsOf(id);
        const again = recordings.reduce((sum, { receivedCount }) => sum + receivedCount - 1, 0);
        if (again > 0) console.log(`received again: ${again} of at most ${lab.again}`);
        if (again > lab.again) throw new Error(`${again} recordings were received again`);
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

/** Days of the synthetic athlete: 500 recordings and some more. */
const DAYS = 720;

/** Recordings of a synthetic athlete, oldest first: `file`, `name`, `sha256`. */
export function rides(from, to) {
  const folder = join(CACHE, `rides-${DAYS}`);
  if (!fs.existsSync(folder)) {
    const args = words`seed --days ${DAYS} --until 2026-10-31 --tz Europe/Berlin --out`;
    execFileSync(process.execPath, [PROGRAM, ...args, `${folder}.new`], { stdio: 'ignore' });
    fs.renameSync(`${folder}.new`, folder);
  }
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.fit'));
  if (to > names.length)
    throw new Error(`${to} recordings are wanted, and ${folder} has ${names.length}`);
  return names.sort().flatMap((name, at) => {
    const file = join(folder, name);
    return at < from || at >= to ? [] : [{ file, name, sha256: sha256(fs.readFileSync(file)) }];
  });
}

/** Builds a file of the release from `dist/`, unless it is newer. @returns its path */
function built(name, script, platform) {
  const [file, program] = [fromRoot(`release/${name}`), fromRoot('dist/main.cjs')];
  const isNew = fs.existsSync(file) && fs.statSync(file).mtimeMs > fs.statSync(program).mtimeMs;
  if (!isNew)
    execFileSync(process.execPath, [fromRoot(`scripts/${script}`), platform], { stdio: 'inherit' });
  return file;
}
