import { sep } from 'node:path';
import type { MountReader } from './mount-reader.ts';
import type { Device } from './types.ts';

/**
 * Returns each device once, in the order of their folders. `GARMIN/Garmin`, which has a folder `Activity`
 * too, is no other device than `GARMIN`. A device with two storages has the folders of both. One that is mounted twice has those of one mount:
 * of the disk, if it is both a disk and an MTP device.
 *
 * @throws NoAnswer
 */
export async function mergeDevices(
  reader: MountReader,
  devices: readonly Device[],
): Promise<readonly Device[]> {
  const outer = devices.filter((device) => !devices.some((other) => isPartOf(device, other)));
  const merged = new Map<string, Device>();
  for (const device of outer.toSorted(disksFirst)) {
    const same = merged.get(device.key);
    merged.set(device.key, same === undefined ? device : await joined(reader, same, device));
  }
  return [...merged.values()].sort(byRoot);
}

function isPartOf(device: Device, other: Device): boolean {
  const isInside = device.root.startsWith(other.root.endsWith(sep) ? other.root : other.root + sep);
  const folders = new Set([...other.recordings, ...other.wellness]);
  return isInside && [...device.recordings, ...device.wellness].every((each) => folders.has(each));
}

function disksFirst(a: Device, b: Device): number {
  if (a.access !== b.access) return a.access === 'disk' ? -1 : 1;
  return byRoot(a, b);
}

function byRoot(a: Device, b: Device): number {
  return a.root < b.root ? -1 : a.root > b.root ? 1 : 0;
}

async function joined(reader: MountReader, device: Device, other: Device): Promise<Device> {
  return {
    ...device,
    recordings: await withOthers(reader, device.recordings, other.recordings),
    wellness: await withOthers(reader, device.wellness, other.wellness),
  };
}

/** Adds folders with files that none of the first ones has. */
async function withOthers(
  reader: MountReader,
  folders: readonly string[],
  others: readonly string[],
): Promise<readonly string[]> {
  const known = new Set<string>();
  for (const folder of folders) {
    for (const name of (await reader.names(folder)) ?? []) known.add(name.toLowerCase());
  }
  const more: string[] = [];
  for (const folder of others) {
    const names = (await reader.names(folder)) ?? [];
    if (names.some((name) => !known.has(name.toLowerCase()))) more.push(folder);
  }
  return [...folders, ...more];
}
