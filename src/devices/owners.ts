import { othersMayWrite } from '../system/folder-trust.ts';
import { type Mount, placeOf } from '../system/mounts.ts';
import type { MountReader } from './mount-reader.ts';

/** File systems whose files have the owner and the mode that the mount chose. NTFS-3G is `fuseblk`. */
const WITHOUT_OWNERS = /^(vfat|msdos|exfat|ntfs3?|fuseblk|drvfs)$/;

/**
 * Returns whose files count on what may be a device: those of `allowed`, or of everyone (undefined) on a file
 * system without owners. It is no device (`none`) if another user owns it, mounted it, or can write to it.
 *
 * @param allowed root and this user
 * @throws NoAnswer
 */
export async function ownersAt(
  reader: MountReader,
  root: string,
  mounts: readonly Mount[],
  allowed: readonly number[],
): Promise<readonly number[] | undefined | 'none'> {
  const userId = Math.max(...allowed);
  const { path, kind, mount } = placeOf(root, mounts);
  const found = await reader.stats(path);
  const link = await reader.stats(root);
  if (found === undefined || link === undefined) return 'none';
  const { type = '', source = '', options = '' } = mount ?? {};
  // A file system in user space invents the owners that it shows: mount.fuse3(8), "user_id".
  const mounter = /(?:^|,)user_id=(\d+)/.exec(options)?.[1];
  const owners = [found.uid, link.uid, Number(mounter ?? userId)];
  if (!owners.every((owner) => allowed.includes(owner))) return 'none';
  // Drives of Windows in WSL 2.
  const isDrive = /^(9p|virtiofs)$/.test(type) && `${source},${options}`.includes('drvfs');
  const isOwn = mounter === String(userId);
  if (kind === 'mtp' || isOwn || isDrive || WITHOUT_OWNERS.test(type)) return undefined;
  return othersMayWrite(found, userId) ? 'none' : allowed;
}
