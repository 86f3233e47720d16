// The scenarios: what happens to a real machine, and what the platform must hold afterwards.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onArm64 } from './arm64.mjs';
import { fill, plugIn, plugInMtp, stick } from './devices.mjs';
import { equal, includes, rides } from './laboratory.mjs';
import { onWindows } from './windows.mjs';

/** @param on what it runs on */
const scenario = (name, what, run, on = 'machine') => ({ name, what, run, on });

/** A power cut takes the last dozen rows of the ledger, and the answers of four requests in flight. */
const AGAIN_AFTER_CUT = 16;

/** What CI runs before each change lands. */
export const SHORT = ['service', 'stick'];

export const SCENARIOS = [
  scenario('service', 'the unit: install, crash, hang, restart, stop, uninstall', async (lab) => {
    const { ada } = lab.machine;
    const pid = async () => await ada('systemctl --user show -P MainPID athlete-sync');
    await service(lab, 'Garmin');
    await sends(lab, 0, 3);
    const first = await pid();
    await ada(`kill -9 ${first}`);
    await lab.until('systemd starts it again', async () => !['0', first].includes(await pid()));
    await sends(lab, 3, 4);
    // Five minutes, but for this.
    await ada(`dir=.config/systemd/user/athlete-sync.service.d; mkdir $dir
      printf '%s\\n' '[Service]' WatchdogSec=90 >$dir/watchdog.conf
      systemctl --user daemon-reload; systemctl --user restart athlete-sync`);
    const second = await pid();
    await ada(`kill -STOP ${second}`);
    await lab.until('systemd restarts it', async () => !['0', second].includes(await pid()));
    await sends(lab, 4, 5);
    includes(await lab.sync('daemon status'), 'Running');
    await lab.sync('daemon stop');
    equal(await pid(), '0', 'process of the service');
    await lab.sync('daemon uninstall');
    equal(await ada('find .config/systemd -name "athlete-sync*" -type f'), '', 'units');
  }),
  scenario('stick', 'a FAT stick comes, goes, comes elsewhere; --wellness', async (lab) => {
    await watch(lab, '--devices --wellness');
    const image = stick(lab, 'vfat', rides(0, 8));
    const here = await plugIn(lab, image);
    await lab.arrived(8);
    await dayArrived(lab);
    await here.pull();
    await logged(lab, 'unplugged');
    fill(image, rides(8, 9));
    await here.again();
    await lab.arrived(9);
    await dayArrived(lab);
  }),
  ...['vfat', 'exfat'].map((name) =>
    scenario(name, `${name}: odd names and times, later in another zone`, async (lab) => {
      await watch(lab, '--devices');
      const image = stick(lab, name);
      const here = await plugIn(lab, image);
      await put(lab, rides(0, 4), `${here.folder}/Garmin/Activity/Früh & spät 🚴`);
      // The first and the last year of these file systems, and now.
      await lab.machine.ada(`cd '${here.folder}'/Garmin/Activity/Fr*; set -- *.fit
        mv "$1" 'LAUF~1.FIT'; mv "$2" "Tempo 4x8' (2. Woche).Fit"; mv "$3" 跑步.fit
        touch -d 1980-01-01 LAUF~1.FIT; touch -d 2107-12-31 跑步.fit; touch "$4"; sync`);
      await lab.arrived(4);
      await here.pull();
      await logged(lab, 'unplugged');
      const there = await here.again('uid=ada,gid=ada,time_offset=-600');
      await put(lab, rides(4, 5), `${there.folder}/Garmin/Activity`);
      await lab.arrived(5);
      includes(await lab.sync('devices'), '5 recordings');
    }),
  ),
  scenario('mtp', 'a Garmin over MTP, mounted by gvfs, comes and goes; --wellness', async (lab) => {
    await watch(lab, '--devices --wellness');
    const player = await plugInMtp(lab, 'Garmin Fenix 7', rides(0, 5));
    await lab.arrived(5);
    await dayArrived(lab);
    includes(await lab.sync('devices'), '5 recordings');
    await player.pull();
    await logged(lab, 'unplugged');
  }),
  scenario('mtp-500', 'a Garmin over MTP with 500 recordings', async (lab) => {
    await watch(lab, '--devices');
    await plugInMtp(lab, 'Garmin Fenix 7', rides(0, 500));
    for (const count of [1, 125, 250, 375]) await lab.atLeast(count);
    await lab.arrived(500);
    includes(await lab.sync('devices'), 'all sent');
  }),
  ...[
    ['pulled', 'a stick', (lab) => plugIn(lab, stick(lab, 'vfat', rides(0, 65)))],
    ['mtp-two', 'one of two MTP devices', plugInTwo],
  ].map(([name, what, plug]) =>
    scenario(name, `${what} is pulled out while it is read, and comes back`, async (lab) => {
      await watch(lab, '--devices');
      const device = await plug(lab);
      await lab.atLeast(3);
      await device.pull();
      await logged(lab, 'still on the');
      console.log(`${await lab.count()} of 65 had arrived`);
      await device.again();
      await lab.arrived(65);
    }),
  ),
  scenario('reboot-linger', 'a reboot with lingering: it runs before a login', async (lab) => {
    await service(lab, 'Garmin');
    await lab.machine.reboot();
    await putAsRoot(lab, rides(0, 1));
    await lab.arrived(1);
    const sessions = await lab.machine.root('loginctl list-sessions --no-legend');
    if (sessions.includes(' ada ')) throw new Error(`ada has a session: ${sessions}`);
  }),
  scenario('reboot-login', 'a reboot without lingering: it runs during a login', async (lab) => {
    const { machine } = lab;
    const processes = async () => await machine.root('pgrep -u ada || true');
    await lab.sync('daemon install Garmin');
    await machine.reboot();
    await putAsRoot(lab, rides(0, 1));
    equal(await processes(), '', 'processes of ada before her login');
    await lab.holds(0);
    const session = machine.ada('sleep 100000').catch(() => undefined);
    await lab.arrived(1);
    await machine.root('loginctl terminate-user ada');
    await session;
    await lab.until('nothing of ada runs', async () => (await processes()) === '');
  }),
  scenario('power', 'the power fails 20 times during 200 uploads', async (lab) => {
    // Her home is on a disk of its own: what it acknowledged stays. A new machine mounts it each time.
    const disk = stick(lab, 'ext4');
    const home = async (at) => await plugIn(lab, disk, at, 'rw');
    await put(lab, rides(0, 200), 'rides');
    await home('/mnt');
    await lab.machine.root('cp -a /home/ada/. /mnt && umount /mnt');
    const boot = async () => {
      await lab.powerCut({ snapshot: 'ready' });
      await home('/home/ada');
    };
    await boot();
    for (let cut = 1; cut <= 20; cut++) {
      const before = await lab.count();
      const run = lab.sync('upload rides').catch(() => undefined);
      await lab.atLeast(before + 1);
      await boot();
      await run;
      console.log(`power cut ${cut} at ${await lab.count()}`);
    }
    await lab.sync('upload rides');
    await lab.arrived(200);
    includes(await lab.sync('upload rides'), '200 uploaded before');
    lab.again = 20 * AGAIN_AFTER_CUT;
  }),
  scenario('power-watch', 'the power fails while the service sends, then a boot', async (lab) => {
    await service(lab, 'Garmin');
    await put(lab, rides(0, 40));
    await lab.machine.root('sync');
    await lab.atLeast(5);
    await lab.powerCut();
    await lab.arrived(40);
    lab.again = AGAIN_AFTER_CUT;
  }),
  ...[
    ['link', 'the link of the network goes down', cutLink, 'platform.lab'],
    ['dns', 'names are not resolved', cutNames, 'platform.lab'],
    ['portal', 'a captive portal answers everything', openPortal, 'with a web page'],
  ].map(([name, what, cut, message]) =>
    scenario(name, `${what}, later the platform is back`, async (lab) => {
      await watch(lab, 'Garmin');
      await sends(lab, 0, 1);
      await cut(lab, true);
      await put(lab, rides(1, 2), 'single');
      const failure = await lab.sync('upload single').catch((error) => error);
      equal(failure.code, 5, `exit code of ${failure.message ?? failure}`);
      includes(failure.message, message);
      await put(lab, rides(1, 4));
      await logged(lab, message);
      await lab.holds(1);
      await cut(lab, false);
      await lab.arrived(4);
      includes(await lab.sync('status'), 'Ada Lindqvist');
    }),
  ),
  scenario('ipv6', 'a network with IPv6 only', async (lab) => {
    await lab.machine.root(`sed -i 's/^10.0.2.2 /fec0::2 /' /etc/hosts
      ip -4 address flush dev "$(ip -br link | sed -n 's/ .*00:02 .*//p')"`);
    await put(lab, rides(0, 2), 'rides');
    await lab.sync('upload rides');
    await lab.arrived(2);
  }),
  scenario('suspend', 'the machine sleeps while the service watches, and wakes up', async (lab) => {
    const { machine } = lab;
    await service(lab, 'Garmin');
    const asleep = machine.root('systemctl suspend').catch(() => undefined);
    const state = async () => (await machine.qmp('query-status')).status;
    await lab.until('the machine sleeps', async () => (await state()) === 'suspended');
    await machine.qmp('system_wakeup');
    await lab.until('the machine is awake', async () => (await state()) === 'running');
    await asleep;
    await machine.isUp();
    await sends(lab, 0, 2);
  }),
  scenario('disk-full', 'the disk is full while recordings come, then not', async (lab) => {
    const { ada } = lab.machine;
    await watch(lab, 'Garmin');
    await sends(lab, 0, 1);
    await put(lab, rides(1, 5), 'waiting');
    await ada('cat /dev/zero >full 2>/dev/null || true');
    await ada('mv waiting/* Garmin/');
    const upload = await lab.sync(`upload Garmin/${rides(2, 3)[0].name}`).catch((error) => error);
    if (upload instanceof Error) includes(upload.message, 'space');
    await ada('rm full');
    await lab.arrived(5);
    includes(await lab.sync('daemon status'), 'Running');
  }),
  ...[
    ['clock-behind', '2025-11-20T10:00:00'],
    ['clock-ahead', '2027-11-20T10:00:00'],
  ].map(([name, clock]) =>
    scenario(name, `the clock is a year wrong at boot (${clock}), then right`, async (lab) => {
      await service(lab, 'Garmin');
      await lab.machine.root('sync');
      await lab.powerCut({ clock });
      await put(lab, rides(0, 2));
      await logged(lab, 'clock');
      await lab.holds(0);
      await lab.machine.setClock();
      await lab.arrived(2);
    }),
  ),
  scenario('keyring', 'a keyring: locked at boot, unlocked by PAM, locked again', async (lab) => {
    const { machine } = lab;
    const typed = machine.withPassword('ada');
    await machine.ada('athlete-sync logout');
    await machine.root('sed -i /TOKEN_STORE/d /etc/environment');
    // The first password makes the keyring, which gnome-keyring does not offer before its next start.
    await typed('true');
    await lab.until('she is logged out', async () => !(await machine.root('pgrep -u ada || true')));
    const tokens = JSON.stringify(await lab.sandbox.post('tokens', {}));
    await typed(`echo '${tokens}' | athlete-sync login --with-token --store keychain`);
    includes(await typed('athlete-sync status'), 'the keychain');
    await typed('loginctl enable-linger; athlete-sync daemon install Garmin');
    await sends(lab, 0, 1);
    const isLocked = async () => {
      const log = '/home/ada/.local/state/athlete-sync/watch/*/daemon.log';
      await lab.until('the watcher says that the keyring is locked', async () =>
        /Cannot send now: The keychain/.test(await machine.root(`tail -n 5 ${log}`)),
      );
    };
    await machine.reboot();
    await putAsRoot(lab, rides(1, 2));
    await isLocked();
    await lab.holds(1);
    const session = typed('sleep 100000').catch(() => undefined);
    await lab.arrived(2);
    const service = 'org.freedesktop.secrets';
    await machine.ada(`gdbus call --session --dest ${service} --object-path /${service.replaceAll('.', '/')} \
      --method org.freedesktop.Secret.Service.Lock "['/org/freedesktop/secrets/collection/login']"
      systemctl --user restart athlete-sync`);
    await putAsRoot(lab, rides(2, 3));
    await isLocked();
    await lab.holds(2);
    await typed('true');
    await lab.arrived(3);
    await machine.root('loginctl terminate-user ada');
    await session;
  }),
  scenario('upgrade', 'the package is upgraded under a service that sends', async (lab) => {
    const { machine } = lab;
    await service(lab, '--devices');
    const image = stick(lab, 'vfat', rides(0, 30));
    const here = await plugIn(lab, image);
    await lab.atLeast(3);
    await machine.put([newerPackage(lab)], '/tmp', 'root');
    await machine.root('apt-get install -y -q /tmp/newer.deb');
    includes(await machine.root('dpkg-query -W athlete-sync'), '+lab');
    await lab.arrived(30);
    await here.pull();
    await logged(lab, 'unplugged');
    fill(image, rides(30, 32));
    await here.again();
    await lab.arrived(32);
  }),
  scenario('purge', 'apt purge under the service, a reboot, and it is back', async (lab) => {
    const { root, ada, reboot } = lab.machine;
    const unit = async () =>
      await ada(
        'for each in ActiveState ConditionResult; do systemctl --user show -P $each athlete-sync; done',
      );
    await service(lab, 'Garmin');
    await sends(lab, 0, 2);
    await root('apt-get purge -y -q athlete-sync');
    equal(await root("find /usr /etc -name '*athlete-sync*'"), '', 'files of the package');
    await ada('systemctl --user kill -s KILL athlete-sync');
    await lab.until('systemd skips it', async () => (await unit()) === 'inactive\nno');
    await reboot();
    await put(lab, rides(2, 4));
    equal(await unit(), 'inactive\nno', 'state of the unit');
    await lab.holds(2);
    await lab.machine.put([lab.deb], '/tmp', 'root');
    await root('apt-get install -y -q --no-install-recommends /tmp/athlete-sync_*.deb');
    await ada('systemctl --user start athlete-sync');
    await lab.arrived(4);
  }),
  scenario('two-users', 'ada and ben watch devices: each has what belongs to them', async (lab) => {
    const ben = lab.machine.as('ben');
    const tokens = JSON.stringify(await lab.sandbox.post('tokens', { athlete: 'athlete-2' }));
    await ben(`echo '${tokens}' | athlete-sync login --with-token --store file`);
    await ben('loginctl enable-linger; athlete-sync daemon install --devices');
    await service(lab, '--devices');
    const image = stick(lab, 'vfat', rides(0, 5));
    const hers = await plugIn(lab, image, '/media/ada/GARMIN');
    await lab.arrived(5);
    await hers.pull();
    await lab.holds(0, 'athlete-2');
    await plugIn(lab, image, '/media/ben/GARMIN', 'uid=ben,gid=ben');
    await lab.arrived(5, 'athlete-2');
  }),
  scenario('windows', 'the archive for Windows under Wine', onWindows, 'wine'),
  scenario('arm64', 'the archive for arm64 under user emulation: the demo', onArm64, 'arm64'),
];

/** Installs the service, which runs without a session of ada. */
async function service(lab, args) {
  await lab.machine.ada('loginctl enable-linger');
  await lab.sync(`daemon install ${args}`);
}

async function watch(lab, args) {
  await lab.sync(`watch ${args} --daemon`);
}

async function put({ machine }, list, folder = 'Garmin', user = 'ada') {
  const files = list.map(({ file }) => file);
  await machine.put(files, folder, user);
}

/** Adds recordings without a session of ada. */
async function putAsRoot(lab, list) {
  await put(lab, list, '/home/ada/Garmin', 'root');
  await lab.machine.root('chown -R ada: /home/ada/Garmin');
}

/** Adds recordings to the watched folder, and waits for them. */
async function sends(lab, from, to) {
  await put(lab, rides(from, to));
  await lab.arrived(to);
}

async function logged(lab, text) {
  await lab.until(`the watcher reports "${text}"`, async () =>
    (await lab.sync('daemon logs -n 500')).includes(text),
  );
}

/** Waits for the one day of the device. */
async function dayArrived({ sandbox, until }) {
  const days = async () => (await sandbox.athlete()).wellness;
  await until('a day has arrived', async () => (await days()).length > 0);
  equal((await days()).length, 1, 'days at the platform');
  const day = JSON.stringify(await days());
  for (const part of ['2026-02-15', '48', '66.5', '52.3', '72.45']) includes(day, part);
}

async function plugInTwo(lab) {
  const one = await plugInMtp(lab, 'Garmin Fenix 7', rides(0, 60));
  await plugInMtp(lab, 'Garmin Edge 540', rides(60, 65));
  return one;
}

async function cutLink({ machine }, isCut) {
  await machine.link(!isCut);
}

function openPortal({ front }, isCut) {
  front.portal = isCut;
}

async function cutNames({ machine }, isCut) {
  const hosts = isCut ? 'sed -i /platform/d' : 'echo 10.0.2.2 platform.lab >>';
  await machine.root(`echo nameserver 10.0.2.99 >/etc/resolv.conf; ${hosts} /etc/hosts`);
}

/** Builds the package again under a higher version. */
function newerPackage({ scratch, deb }) {
  const [tree, file] = [join(scratch, 'newer'), join(scratch, 'newer.deb')];
  execFileSync('dpkg-deb', ['--raw-extract', deb, tree]);
  const control = join(tree, 'DEBIAN', 'control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*/m, '$&+lab'));
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, file]);
  return file;
}
