// Devices that are plugged into the machine: sticks with FAT or exFAT, and players over MTP.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DEVICE_FILE = (id) => `<?xml version="1.0" encoding="UTF-8"?>
<Device xmlns="http://www.garmin.com/xmlschemas/GarminDevice/v2">
  <Model><PartNumber>006-B4062-00</PartNumber><Description>Edge 840</Description></Model>
  <Id>${id}</Id>
</Device>
`;
let plugged = 0;

/** Makes the image of a stick, with recordings where a Garmin keeps them (FAT only: mtools knows no exFAT). */
export function stick({ scratch }, fileSystem, rides = []) {
  const image = join(scratch, `${fileSystem}.img`);
  rmSync(image, { force: true });
  execFileSync('truncate', ['-s', '300M', image]);
  const label = fileSystem === 'vfat' ? ['-F', '32', '-n', 'GARMIN'] : ['-L', 'GARMIN'];
  execFileSync(`mkfs.${fileSystem}`, [...label, image], { stdio: 'ignore', env: withSbin() });
  if (fileSystem !== 'vfat') return image;
  const file = join(scratch, 'GarminDevice.xml');
  writeFileSync(file, DEVICE_FILE('3970672555'));
  mtools('mmd', image, ['::Garmin', '::Garmin/Activity']);
  mtools('mcopy', image, [file, '::Garmin/']);
  fill(image, rides);
  return image;
}

/** Adds recordings to a stick that is not plugged in. */
export function fill(image, rides) {
  if (rides.length > 0)
    mtools('mcopy', image, [...rides.map(({ file }) => file), '::Garmin/Activity/']);
}

function mtools(command, image, args) {
  execFileSync(command, ['-i', image, ...args], {
    env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
  });
}

function withSbin() {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
}

/** Plugs a stick in, as udisks mounts it for ada, or at another place. @returns its folder, and how it leaves */
export async function plugIn(lab, image, at, owner = 'ada') {
  const { machine } = lab;
  const id = `stick${++plugged}`;
  await machine.qmp('blockdev-add', {
    driver: 'raw',
    'node-name': id,
    file: { driver: 'file', filename: image },
  });
  await machine.qmp('device_add', {
    driver: 'usb-storage',
    id: `usb-${id}`,
    bus: 'xhci.0',
    drive: id,
  });
  const device = await lab.until(
    'the machine has the disk',
    async () => await machine.root('lsblk -nro PATH,TRAN,FSTYPE | sed -n "s/ usb .*fat$//p"'),
  );
  if (at !== undefined)
    await machine.root(`mkdir -p '${at}' && mount -o uid=${owner},gid=${owner} ${device} '${at}'`);
  const folder = at ?? (await mounted(machine, device));
  return {
    folder,
    pull: async () => {
      await machine.qmp('device_del', { id: `usb-${id}` });
      await lab.until(
        'the disk is gone',
        async () => !(await machine.root('lsblk -nro PATH')).includes(device),
      );
      // As a desktop does when the disk of a mount is gone.
      await machine.root(`umount -l '${folder}' 2>/dev/null || true`);
      await lab.until('QEMU lets go of it', async () => {
        await machine.qmp('blockdev-del', { 'node-name': id });
        return true;
      });
    },
  };
}

async function mounted(machine, device) {
  const said = await machine.ada(`udisksctl mount -b ${device}`);
  return said.replace(/^Mounted \S+ at /, '').replace(/\.$/, '');
}

/** Plugs a device over MTP in, and mounts it as a file manager does. */
export async function plugInMtp(lab, name, rides) {
  const rootdir = join(lab.scratch, name.replaceAll(' ', '-'));
  const activity = join(rootdir, 'GARMIN', 'Activity');
  rmSync(rootdir, { recursive: true, force: true });
  mkdirSync(activity, { recursive: true });
  writeFileSync(
    join(rootdir, 'GARMIN', 'GarminDevice.xml'),
    DEVICE_FILE(`39706${name.length}${rides.length}`),
  );
  for (const ride of rides) copyFileSync(ride.file, join(activity, ride.name));
  const player = {};
  player.again = async () => {
    const id = `mtp${++plugged}`;
    await lab.machine.qmp('device_add', {
      driver: 'usb-mtp',
      id,
      bus: 'xhci.0',
      rootdir,
      desc: name,
    });
    await lab.machine.ada('systemctl --user start gvfs-daemon gvfs-mtp-volume-monitor');
    await lab.until(`gvfs has mounted ${name}`, async () => {
      const roots = await lab.machine.ada(
        'gio mount -li | sed -n "s/.*activation_root=//p" | sort -u',
      );
      for (const root of roots.split('\n')) await lab.machine.ada(`gio mount '${root}' || true`);
      return (
        (await lab.machine.ada('ls "$XDG_RUNTIME_DIR/gvfs" | wc -l')) >= roots.split('\n').length
      );
    });
    player.pull = async () => await lab.machine.qmp('device_del', { id });
  };
  await player.again();
  return player;
}
