import { groupBy } from '../base/group-by.ts';
import { inParallel } from '../base/parallel.ts';
import { findApps } from './apps.ts';
import { mtpMountOf } from '../system/mtp-path.ts';
import { type DeviceIdentity, identify } from './identify.ts';
import { MountReader, NoAnswer } from './mount-reader.ts';
import type { SearchAnswer, SearchRequest } from './protocol.ts';
import { expandPattern } from './places.ts';
import { ownersAt } from './owners.ts';
import { recognise } from './recognise.ts';
import { survey } from './survey.ts';
import type { Device, MountPattern } from './types.ts';
import { type Mount, isBelow, listMounts, placeOf } from '../system/mounts.ts';
import { volumeId } from './volume.ts';

/** Folders that are looked at at once. */
const AT_ONCE = 32;

/** Searches for devices and apps, as the child process does. */
export async function search(
  request: SearchRequest,
  tell: (answer: SearchAnswer) => void,
  reader = new MountReader(request.limitMs),
): Promise<void> {
  const silent = new Set<string>();
  /** Runs a task on a folder; undefined if the folder is silent. */
  const on = async <T>(folder: string, task: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      silent.add(folder);
      return undefined;
    }
  };
  const expand = async (pattern: MountPattern) =>
    await expandPattern(
      pattern,
      async (folder) => (await on(folder, async () => await reader.names(folder))) ?? [],
    );

  const roots = await Promise.all(request.mounts.map(expand));
  const mounts = listMounts();
  const devices: Device[] = [];
  // The storages of an MTP device take turns: it refuses a second reader.
  const byDevice = groupBy(new Set(roots.flat()), (root) => mtpMountOf(root)?.root ?? root);
  await inParallel([...byDevice.values()], AT_ONCE, async (storages) => {
    for (const root of storages) {
      const device = await on(root, async () => await deviceAt(reader, root, mounts, request));
      if (device !== undefined) devices.push(device);
    }
  });
  const apps = request.apps ? await findApps(reader, request, expand) : [];
  for (const device of [...(await mergeDevices(reader, devices)), ...apps]) {
    const found = request.survey
      ? await on(device.root, async () => await survey(reader, device))
      : device;
    if (found !== undefined) tell({ state: 'found', device: found });
  }
  for (const folder of silent) {
    if (![...silent].some((other) => isBelow(folder, other))) tell({ state: 'silent', folder });
  }
}

/** @throws NoAnswer */
async function deviceAt(
  reader: MountReader,
  root: string,
  mounts: readonly Mount[],
  { platform, known = [], owners: allowed }: SearchRequest,
): Promise<Device | undefined> {
  const owners = allowed && (await ownersAt(reader, root, mounts, allowed));
  if (owners === 'none') return undefined;
  const found = await recognise(reader, root);
  if (found === undefined) return undefined;
  const access = placeOf(root, mounts).kind === 'mtp' ? 'mtp' : 'disk';
  const deviceNumber = platform === 'win32' ? (await reader.stats(root))?.dev : undefined;
  const volume = volumeId(root, mounts, deviceNumber);
  const identity =
    identifiedBefore(root, known) ?? (await identify(reader, root, found, access, volume));
  const { recordings, wellness } = found;
  const [folder = root] = [...recordings, ...wellness];
  // A device that was unplugged meanwhile may lack its serial number, and look like another one.
  if ((await reader.stats(folder)) === undefined) return undefined;
  return { ...identity, kind: 'device', root, recordings, wellness, access, owners };
}

/** Returns a device with the identity of this one: another storage of it has that, too. */
function identifiedBefore(root: string, known: readonly Device[]): DeviceIdentity | undefined {
  const mount = mtpMountOf(root)?.root;
  return (
    known.find((device) => device.root === root) ??
    known.find((device) => mount !== undefined && mtpMountOf(device.root)?.root === mount)
  );
}

/**
 * Returns each device once, in the order of their folders. `GARMIN/Garmin`, which has a folder `Activity`
 * too, is no other device than `GARMIN`. A device with two storages has the folders of
 * both. One that is mounted twice has those of one mount: of the disk, if it is both a disk and an MTP device.
 *
 * @throws NoAnswer
 */
async function mergeDevices(
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
  const isInside = isBelow(device.root, other.root);
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
    owners: device.owners ?? other.owners,
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
