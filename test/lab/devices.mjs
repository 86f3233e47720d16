// Devices that are plugged into the machine: sticks with FAT, exFAT or ext4, and players over MTP.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from '../../scripts/standalone/project.mjs';

const DEVICE_FILE = (id) => `<?xml version="1.0" encoding="UTF-8"?>
<Device xmlns="http://www.garmin.com/xmlschemas/GarminDevice/v2">
  <Model><PartNumber>006-B4062-00</PartNumber><Description>Edge 840</Description></Model>
  <Id>${id}</Id>
</Device>
`;
/** A day of a device: resting heart rate, HRV, weight, VO2max. */
const MONITORING = fromRoot('test/records/sources/samples/fit-monitoring.fit');
const SBIN = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
let plugged = 0;

/** Makes the folders of a Garmin on the host. @returns their parent */
function garmin({ scratch }, name, rides) {
  const root = join(scratch, name.replaceAll(' ', '-'));
  rmSync(root, { recursive: true, force: true });
  for (const folder of ['Activity', 'Monitor'])
    mkdirSync(join(root, 'Garmin', folder), { recursive: true });
  const id = `39706${name.length}${rides.length}`;
  writeFileSync(join(root, 'Garmin', 'GarminDevice.xml'), DEVICE_FILE(id));
  copyFileSync(MONITORING, join(root, 'Garmin', 'Monitor', 'M2F00000.FIT'));
  for (const ride of rides) copyFileSync(ride.file, join(root, 'Garmin', 'Activity', ride.name));
  return root;
}

/** Makes the image of a stick, with the folders of a Garmin (FAT only: mtools knows no other). */
export function stick(lab, fileSystem, rides = []) {
  const image = join(lab.scratch, `${fileSystem}.img`);
  rmSync(image, { force: true });
  execFileSync('truncate', ['-s', '300M', image]);
  const label = fileSystem === 'vfat' ? ['-F', '32', '-n', 'GARMIN'] : ['-L', 'GARMIN'];
  execFileSync(`mkfs.${fileSystem}`, [...label, image], { stdio: 'ignore', env: SBIN });
  if (fileSystem === 'vfat')
    mcopy(image, ['-s', join(garmin(lab, 'stick', rides), 'Garmin'), '::']);
  return image;
}

/** Adds recordings to a stick that is not plugged in. */
export function fill(image, rides) {
  mcopy(image, [...rides.map(({ file }) => file), '::Garmin/Activity/']);
}

function mcopy(image, args) {
  const env = { ...process.env, MTOOLS_SKIP_CHECK: '1' };
  execFileSync('mcopy', ['-i', image, ...args], { env });
}

/**
 * Plugs a stick in, as udisks mounts it for ada.
 *
 * @param at another place, where root mounts it with `options`
 * @returns its folder, how it leaves, and how it comes elsewhere
 */
export async function plugIn(lab, image, at, options = 'uid=ada,gid=ada') {
  const { qmp, root, ada } = lab.machine;
  const id = `stick${++plugged}`;
  const file = { driver: 'file', filename: image };
  await qmp('blockdev-add', { driver: 'raw', 'node-name': id, file });
  await addDevice(lab, 'usb-storage', `usb-${id}`, { drive: id });
  const device = await lab.until(
    'the machine has the disk',
    async () => await root('lsblk -nro PATH,TRAN,FSTYPE | sed -n "s/ usb [a-z].*//p"'),
  );
  let folder = at;
  if (at === undefined)
    folder = /at (.*?)\.?$/.exec(await ada(`udisksctl mount -b ${device}`))?.[1] ?? '';
  else await root(`mkdir -p '${at}' && mount -o ${options} ${device} '${at}'`);
  return {
    folder,
    again: async (options) => await plugIn(lab, image, '/media/ada/ELSEWHERE', options),
    pull: async () => {
      await qmp('device_del', { id: `usb-${id}` });
      await lab.until(
        'the disk is gone',
        async () => !(await root('lsblk -nro PATH')).includes(device),
      );
      // As a desktop does when the disk of a mount is gone.
      await root(`umount -l '${folder}' 2>/dev/null || true`);
      await lab.until('QEMU lets go of it', async () => {
        await qmp('blockdev-del', { 'node-name': id });
        return true;
      });
    },
  };
}

/** Plugs a device over MTP in, and mounts it as a file manager does. */
export async function plugInMtp(lab, name, rides) {
  const rootdir = garmin(lab, name, rides);
  const { qmp, ada } = lab.machine;
  const player = {
    again: async () => {
      const id = `mtp${++plugged}`;
      await addDevice(lab, 'usb-mtp', id, { rootdir, desc: name });
      await ada('systemctl --user start gvfs-daemon gvfs-mtp-volume-monitor');
      await lab.until(`gvfs has mounted ${name}`, async () => {
        const list = await ada('gio mount -li | sed -n "s/.*activation_root=//p" | sort -u');
        const roots = list.split('\n');
        for (const root of roots) await ada(`gio mount '${root}' || true`);
        return (await ada('ls "$XDG_RUNTIME_DIR/gvfs" | wc -l')) >= roots.length;
      });
      player.pull = async () => await qmp('device_del', { id });
    },
  };
  await player.again();
  return player;
}

async function addDevice({ machine }, driver, id, options) {
  await machine.qmp('device_add', { driver, id, bus: 'xhci.0', ...options });
}
