// The scenarios: what happens to a real machine, and what the platform must hold afterwards.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onArm64 } from './arm64.mjs';
import { fill, plugIn, plugInMtp, stick } from './devices.mjs';
import { equal, includes, rides } from './laboratory.mjs';
import { onWindows } from './windows.mjs';

/** @param on what it runs on @param short whether CI runs it before each change lands */
const scenario = (name, what, run, { on = 'machine', short = false } = {}) => ({
  name,
  what,
  run,
  on,
  short,
});

export const SCENARIOS = [
  scenario(
    'service',
    'the systemd unit under a real user manager: install, crash, restart, stop, uninstall',
    async (lab) => {
      const { machine } = lab;
      const pid = async () => await machine.ada('systemctl --user show -P MainPID athlete-sync');
      await service(lab, 'Garmin');
      await put(lab, rides(0, 3));
      await lab.arrived(rides(0, 3));
      const first = await pid();
      await machine.ada(`kill -9 ${first}`);
      await lab.until('systemd starts it again', async () => !['0', first].includes(await pid()));
      await put(lab, rides(3, 4));
      await lab.arrived(rides(0, 4));
      includes(await lab.sync('daemon status'), 'Running');
      await lab.sync('daemon stop');
      equal(await pid(), '0', 'process of the service');
      await lab.sync('daemon uninstall');
      equal(await machine.ada('find .config/systemd -name "athlete-sync*"'), '', 'units');
    },
    { short: true },
  ),
  scenario(
    'stick',
    'a FAT stick with the folders of a Garmin comes, goes, and comes elsewhere with one more',
    async (lab) => {
      await lab.sync('watch --devices --daemon');
      const image = stick(lab, 'vfat', rides(0, 8));
      const here = await plugIn(lab, image);
      await lab.arrived(rides(0, 8));
      await here.pull();
      await logged(lab, 'unplugged');
      fill(image, rides(8, 9));
      const there = await plugIn(lab, image, '/media/ada/ELSEWHERE');
      await lab.arrived(rides(0, 9));
      await there.pull();
    },
    { short: true },
  ),
  scenario('exfat', 'an exFAT stick with spaces and umlauts in its names', async (lab) => {
    await lab.sync('watch --devices --daemon');
    const here = await plugIn(lab, stick(lab, 'exfat'));
    await put(lab, rides(0, 3), `${here.folder}/Garmin/Activity/Früh & spät`);
    await lab.arrived(rides(0, 3));
    await here.pull();
  }),
  scenario(
    'pulled',
    'a stick is pulled out during a copy, and comes back elsewhere',
    async (lab) => {
      await lab.sync('watch --devices --daemon');
      const image = stick(lab, 'vfat', rides(0, 60));
      const here = await plugIn(lab, image);
      await lab.until('some have arrived', async () => (await lab.count()) >= 3);
      await here.pull();
      await logged(lab, 'still on the');
      lab.say(`${await lab.count()} of 60 had arrived`);
      const there = await plugIn(lab, image, '/media/ada/ELSEWHERE');
      await lab.arrived(rides(0, 60));
      await there.pull();
    },
  ),
  scenario('mtp', 'a Garmin over MTP comes, is mounted by gvfs, and goes', async (lab) => {
    await lab.sync('watch --devices --daemon');
    const watch = await plugInMtp(lab, 'Garmin Fenix 7', rides(0, 5));
    await lab.arrived(rides(0, 5));
    includes(await lab.sync('devices'), '5 recordings');
    await watch.pull();
    await logged(lab, 'unplugged');
  }),
  scenario('mtp-two', 'two MTP devices, one is pulled out while it is read', async (lab) => {
    await lab.sync('watch --devices --daemon');
    const one = await plugInMtp(lab, 'Garmin Fenix 7', rides(0, 60));
    const other = await plugInMtp(lab, 'Garmin Edge 540', rides(60, 65));
    await lab.until('some have arrived', async () => (await lab.count()) >= 3);
    await one.pull();
    await logged(lab, 'still on the');
    lab.say(`${await lab.count()} of 65 had arrived`);
    await one.again();
    await lab.arrived(rides(0, 65));
    await other.pull();
  }),
  scenario('reboot-linger', 'a reboot with lingering: it runs before ada logs in', async (lab) => {
    await service(lab, 'Garmin');
    await lab.machine.reboot();
    await putAsRoot(lab, rides(0, 1));
    await lab.arrived(rides(0, 1));
    const sessions = await lab.machine.root('loginctl list-sessions --no-legend');
    if (sessions.includes(' ada ')) throw new Error(`ada has a session: ${sessions}`);
  }),
  scenario(
    'reboot-login',
    'a reboot without lingering: it runs while ada is logged in',
    async (lab) => {
      const { machine } = lab;
      const processes = async () => await machine.root('pgrep -u ada || true');
      await lab.sync('daemon install Garmin');
      await machine.reboot();
      await putAsRoot(lab, rides(0, 1));
      equal(await processes(), '', 'processes of ada before her login');
      await lab.holds(0);
      const session = machine.ada('sleep 100000').catch(() => undefined);
      await lab.arrived(rides(0, 1));
      await machine.root('loginctl terminate-user ada');
      await session;
      await lab.until('nothing of ada runs', async () => (await processes()) === '');
    },
  ),
  scenario('power', 'the power fails four times during 200 uploads', async (lab) => {
    const all = rides(0, 200);
    await put(lab, all, 'rides');
    await lab.machine.root('sync');
    for (const limit of [15, 60, 110, 160]) {
      const run = lab.sync('upload rides').catch(() => undefined);
      await lab.until(`${limit} have arrived`, async () => (await lab.count()) >= limit);
      await lab.powerCut();
      await run;
      lab.say(`power cut at ${await lab.count()}`);
    }
    await lab.sync('upload rides');
    await lab.arrived(all);
    // Each cut takes the last dozen rows of the ledger, and the answers of four requests in flight.
    lab.again = 4 * 16;
    includes(await lab.sync('upload rides'), '200 uploaded before');
  }),
  scenario(
    'power-watch',
    'the power fails while the service sends; it sends the rest',
    async (lab) => {
      await service(lab, 'Garmin');
      await put(lab, rides(0, 40));
      await lab.machine.root('sync');
      await lab.until('some have arrived', async () => (await lab.count()) >= 5);
      await lab.powerCut();
      await lab.arrived(rides(0, 40));
      lab.again = 16;
    },
  ),
  scenario('link', 'the network goes down and comes back: what waited arrives', async (lab) => {
    await lab.sync('watch Garmin --daemon');
    await put(lab, rides(0, 1));
    await lab.arrived(rides(0, 1));
    await lab.machine.link(false);
    await put(lab, rides(1, 4));
    await logged(lab, 'platform.lab');
    await lab.holds(1);
    await lab.machine.link(true);
    await lab.arrived(rides(0, 4));
  }),
  scenario('dns', 'names are not resolved, later they are', async (lab) => {
    const { root } = lab.machine;
    await root('sed -i /platform/d /etc/hosts; echo nameserver 10.0.2.99 >/etc/resolv.conf');
    await uploadFails(lab, 'platform.lab');
    await lab.sync('watch Garmin --daemon');
    await put(lab, rides(1, 3));
    await logged(lab, 'platform.lab');
    await root('echo 10.0.2.2 platform.lab >>/etc/hosts');
    await lab.arrived(rides(1, 3));
  }),
  scenario('portal', 'a captive portal answers everything with 200 and HTML', async (lab) => {
    lab.front.portal = true;
    await uploadFails(lab, 'platform.lab');
    await lab.sync('watch Garmin --daemon');
    const before = lab.front.answered;
    await put(lab, rides(1, 3));
    await lab.until('the portal has answered', () => lab.front.answered > before);
    await lab.holds(0);
    lab.front.portal = false;
    await lab.arrived(rides(1, 3));
    includes(await lab.sync('status'), 'Ada Lindqvist');
  }),
  scenario('ipv6', 'a network with IPv6 only', async (lab) => {
    await lab.machine.root(`sed -i 's/^10.0.2.2 /fec0::2 /' /etc/hosts
      ip -4 address flush dev "$(ip -br link | sed -n 's/ .*00:02 .*//p')"`);
    await put(lab, rides(0, 2), 'rides');
    await lab.sync('upload rides');
    await lab.arrived(rides(0, 2));
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
    await put(lab, rides(0, 2));
    await lab.arrived(rides(0, 2));
  }),
  scenario(
    'disk-full',
    'the disk is full while recordings come, later there is room',
    async (lab) => {
      const { machine } = lab;
      await lab.sync('watch Garmin --daemon');
      await put(lab, rides(0, 1));
      await lab.arrived(rides(0, 1));
      await put(lab, rides(1, 5), 'waiting');
      await machine.ada('cat /dev/zero >full 2>/dev/null || true');
      await machine.ada('mv waiting/* Garmin/');
      const upload = await lab.sync(`upload Garmin/${rides(2, 3)[0].name}`).catch((error) => error);
      if (upload instanceof Error) includes(upload.message, 'space');
      await machine.ada('rm full');
      await lab.arrived(rides(0, 5));
      includes(await lab.sync('daemon status'), 'Running');
    },
  ),
  ...[
    ['clock-behind', 'a year behind', '2025-11-20T10:00:00'],
    ['clock-ahead', 'a year ahead', '2027-11-20T10:00:00'],
  ].map(([name, what, clock]) =>
    scenario(name, `the clock is ${what} at boot, then right`, async (lab) => {
      await service(lab, 'Garmin');
      await lab.machine.root('sync');
      await lab.powerCut({ clock });
      await put(lab, rides(0, 2));
      await logged(lab, 'clock');
      await lab.holds(0);
      await lab.machine.root(`date -s @${Math.round(Date.now() / 1000)}`);
      await lab.arrived(rides(0, 2));
    }),
  ),
  scenario('keyring', 'a keyring, locked at boot, unlocked by PAM with a password', async (lab) => {
    const { machine } = lab;
    const typed = machine.withPassword('ada');
    await machine.ada('athlete-sync logout; loginctl enable-linger');
    await machine.root('sed -i /TOKEN_STORE/d /etc/environment; loginctl terminate-user ada');
    const tokens = JSON.stringify(await lab.sandbox.post('tokens', {}));
    await typed(`echo '${tokens}' | athlete-sync login --with-token --store keychain`);
    includes(await typed('athlete-sync status'), 'keyring');
    await typed('athlete-sync daemon install Garmin');
    await put(lab, rides(0, 1));
    await lab.arrived(rides(0, 1));
    await machine.reboot();
    await putAsRoot(lab, rides(1, 2));
    const log = '/home/ada/.local/state/athlete-sync/watch/*/daemon.log';
    await lab.until('the keyring is locked', async () =>
      (await machine.root(`tail -n 20 ${log}`)).includes('locked'),
    );
    await lab.holds(1);
    const session = typed('sleep 100000').catch(() => undefined);
    await lab.arrived(rides(0, 2));
    await machine.root('loginctl terminate-user ada');
    await session;
  }),
  scenario('upgrade', 'the package is upgraded under a service that sends', async (lab) => {
    const { machine } = lab;
    await service(lab, '--devices');
    const image = stick(lab, 'vfat', rides(0, 30));
    const here = await plugIn(lab, image);
    await lab.until('some have arrived', async () => (await lab.count()) >= 3);
    await machine.put([newerPackage(lab)], '/tmp', 'root');
    await machine.root('apt-get install -y -q /tmp/newer.deb');
    includes(await machine.root('dpkg-query -W athlete-sync'), '+lab');
    await lab.arrived(rides(0, 30));
    await here.pull();
    await logged(lab, 'unplugged');
    fill(image, rides(30, 32));
    const again = await plugIn(lab, image);
    await lab.arrived(rides(0, 32));
    await again.pull();
  }),
  scenario(
    'purge',
    'apt purge under the service, a reboot, and a new installation',
    async (lab) => {
      const { root, ada, reboot } = lab.machine;
      await service(lab, 'Garmin');
      await put(lab, rides(0, 2));
      await lab.arrived(rides(0, 2));
      await root('apt-get purge -y -q athlete-sync');
      equal(await root("find /usr /etc -name '*athlete-sync*'"), '', 'files of the package');
      await reboot();
      await put(lab, rides(2, 4));
      lab.say(await ada('systemctl --user status athlete-sync 2>&1 | head -20; true'));
      await lab.holds(2);
      await lab.machine.put([lab.deb], '/tmp', 'root');
      await root('apt-get install -y -q --no-install-recommends /tmp/athlete-sync_*.deb');
      await ada('systemctl --user restart athlete-sync');
      await lab.arrived(rides(0, 4));
    },
  ),
  scenario('two-users', 'ada and ben watch devices: each has what belongs to them', async (lab) => {
    const ben = lab.machine.as('ben');
    const tokens = JSON.stringify(await lab.sandbox.post('tokens', { athlete: 'athlete-2' }));
    await ben(`echo '${tokens}' | athlete-sync login --with-token --store file`);
    await ben('loginctl enable-linger; athlete-sync daemon install --devices');
    await service(lab, '--devices');
    const image = stick(lab, 'vfat', rides(0, 5));
    const hers = await plugIn(lab, image, '/media/ada/GARMIN');
    await lab.arrived(rides(0, 5));
    await hers.pull();
    await lab.holds(0, 'athlete-2');
    const his = await plugIn(lab, image, '/media/ben/GARMIN', 'ben');
    await lab.arrived(rides(0, 5), 'athlete-2');
    await his.pull();
  }),
  scenario('windows', 'the archive for Windows under Wine', onWindows, { on: 'wine' }),
  scenario('arm64', 'the archive for arm64 under user emulation: the demo', onArm64, {
    on: 'arm64',
  }),
];

/** Installs the service, which runs without a session of ada. */
async function service(lab, args) {
  await lab.machine.ada('loginctl enable-linger');
  await lab.sync(`daemon install ${args}`);
}

async function put({ machine }, list, folder = 'Garmin') {
  await machine.put(files(list), folder);
}

/** Adds recordings without a session of ada. */
async function putAsRoot({ machine }, list) {
  await machine.put(files(list), '/home/ada/Garmin', 'root');
  await machine.root('chown -R ada: /home/ada/Garmin');
}

function files(list) {
  return list.map(({ file }) => file);
}

async function logged(lab, text) {
  await lab.until(`the watcher reports "${text}"`, async () =>
    (await lab.sync('daemon logs -n 500')).includes(text),
  );
}

/** Uploads one recording, which is not possible now, and says why. */
async function uploadFails(lab, text) {
  const list = rides(0, 1);
  await put(lab, list, 'single');
  const failure = await lab.sync(`upload single/${list[0].name}`).catch((error) => error);
  equal(failure.code, 5, `exit code of ${failure.message ?? failure}`);
  includes(failure.message, text);
  await lab.holds(0);
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
