import { type Stats, accessSync, constants, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { SyncError, attempt, systemCode } from '../base/errors.ts';
import { shellWord } from '../base/printable.ts';
import { loadOs } from './this-process.ts';

/** Why other users could replace a file, or the content of a folder. */
export interface Distrust {
  /** The faulty file, folder or link: the checked one, or a folder above it. */
  readonly path: string;
  /** How many folders it is above the checked one; 0 for that itself. */
  readonly above: number;
  /** A clause that follows the path: "belongs to another user (uid 1001)". */
  readonly reason: string;
  /** The command that fixes it. Absent if others write there on purpose, as to `/tmp` and `/dev/null`. */
  readonly fix?: string;
  /** Another user owns it, and may have written its contents. */
  readonly foreign: boolean;
}

/** Says who can change the content of a folder. @param found what `findDistrust` returned for it */
export function distrustMessage({ path, reason }: Distrust, folder: string): string {
  return `${path} ${reason}: they can change what is in ${folder}.`;
}

/** The variable that names another folder in place of a distrusted one. */
type FolderVariable = 'SYNC_CONFIG_DIR' | 'SYNC_STATE_DIR';

/**
 * Refuses a file or folder that another user can change.
 *
 * @param message such as `FOLDER is not used`; the reason follows
 * @throws SyncError `CONFIG` if something was found
 */
export function refuseDistrusted(
  found: Distrust | undefined,
  message: string,
  variable: FolderVariable,
): void {
  if (found === undefined) return;
  throw new SyncError('CONFIG', `${message}: ${found.path} ${found.reason}.`, {
    hint: distrustHint(found, variable),
    details: { path: found.path },
  });
}

/** Says what to type. */
export function distrustHint({ fix, foreign }: Distrust, variable: FolderVariable): string {
  const other = `name another folder with ${variable}`;
  if (fix === undefined) return `Name a folder of your own with ${variable}.`;
  if (!foreign) return `Run \`${fix}\`, or ${other}.`;
  return fix.startsWith(AS_OWNER)
    ? `Run sync as that user, \`${fix}\`, or ${other}.`
    : `If you know what is in it and trust it, run \`${fix}\`. Otherwise ${other}.`;
}

const AS_OWNER = "sudo -u '#";

/** The accounts of this machine, in the form of `/etc/passwd` and `/etc/group`. */
export interface AccountFiles {
  readonly passwd: string;
  readonly group: string;
}

export interface TrustOptions {
  /** Absent on a system without user IDs: there, every folder is trusted. */
  readonly uid: number | undefined;
  readonly accounts: () => AccountFiles;
  /**
   * The user ID that stands for every owner outside this user namespace, such as root outside a
   * container. Undefined outside of namespaces.
   */
  readonly unmapped: () => number | undefined;
}

/** A chain of links that is longer than this is a loop. */
const MAX_LINKS = 40;
const STICKY = 0o1000;

/**
 * Checks that no other user than root can replace a file, or the content of a folder: it, every folder
 * above it, and every link on the way belong to this user or root and are not writable by others. In a
 * sticky folder such as `/tmp`, others cannot touch a folder that is this user's own. What does not
 * exist yet is judged by the folders above it.
 *
 * @returns the fault that is nearest to the root of the file system
 */
export function findDistrust(path: string, options = systemTrust()): Distrust | undefined {
  for (const found of distrusts(path, options)) return found;
  return undefined;
}

/**
 * Does the same as {@link findDistrust}, but disregards the folders above: an administrator may share
 * them.
 *
 * @param levels how many levels count: 1 for the file or folder itself, 2 for the folder around it too
 */
export function findOwnDistrust(path: string, levels: number): Distrust | undefined {
  return [...distrusts(path, systemTrust())].find(({ above }) => above < levels);
}

function* distrusts(folder: string, options: TrustOptions): Generator<Distrust> {
  const { uid } = options;
  if (uid === undefined) return;
  const isOurs = (stats: Stats) =>
    stats.uid === uid || stats.uid === 0 || stats.uid === options.unmapped();
  let at = '/';
  let links = 0;
  const pending = resolve(folder).split(sep).filter(Boolean);
  for (let name: string | undefined = ''; name !== undefined; name = pending.shift()) {
    const path = join(at, name);
    const stats = attempt(() => lstatSync(path));
    // Not there, or not to be looked into: then nothing is read or written there either.
    if (stats === undefined) return;
    const above = pending.length;
    if (!isOurs(stats)) {
      yield {
        path,
        above,
        foreign: true,
        reason: `belongs to another user (uid ${stats.uid})`,
        // Root is in a user's own folder, as with `sudo` that keeps HOME: the folder is as it should be.
        fix:
          uid === 0
            ? `${AS_OWNER}${stats.uid}' sync`
            : `sudo chown -h ${attempt(() => loadOs().userInfo().username) ?? uid} ${shellWord(path)}`,
      };
    }
    if (stats.isSymbolicLink()) {
      if (++links > MAX_LINKS) return;
      const target = resolve(dirname(path), readlinkSync(path));
      pending.unshift(...target.split(sep).filter(Boolean));
      at = '/';
      continue;
    }
    const sheltered = (stats.mode & STICKY) !== 0 && above > 0;
    if (!sheltered && othersMayWrite(stats, uid, options) && !isReadOnly(path)) {
      const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
      const isPublic = (stats.mode & STICKY) !== 0 || stats.isCharacterDevice();
      const command = `${stats.uid === uid ? '' : 'sudo '}chmod go-w ${shellWord(path)}`;
      yield {
        path,
        above,
        foreign: false,
        reason: `can be changed by other users (mode ${mode})`,
        ...(!isPublic && { fix: command }),
      };
    }
    at = path;
  }
}

/** Returns whether the mode of a file or folder allows other users than `uid` and root to write to it. */
export function othersMayWrite(
  { mode, gid }: Pick<Stats, 'mode' | 'gid'>,
  uid: number,
  { accounts }: Pick<TrustOptions, 'accounts'> = systemTrust(),
): boolean {
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isPrivateGroup(gid, uid, accounts());
}

/** Returns whether a file is on a file system that is mounted read-only, such as a volume of a container. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return systemCode(error) === 'EROFS';
  }
}

/**
 * Tells whether a group is the private one of a user: it has the user's name, no other member, and is
 * the primary group of no other user. With umask 002, such users' folders are writable by the group.
 */
export function isPrivateGroup(gid: number, uid: number, { passwd, group }: AccountFiles): boolean {
  const users = rows(passwd);
  const name = users.find(([, , id]) => Number(id) === uid)?.[0];
  const entry = rows(group).find(([, , id]) => Number(id) === gid);
  if (name === undefined || entry?.[0] !== name) return false;
  const members = (entry[3] ?? '').split(',').filter((member) => member !== '');
  return (
    members.every((member) => member === name) &&
    users.every(([user, , , primary]) => Number(primary) !== gid || user === name)
  );
}

function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'));
}

/** Returns the options that trust root alone: for a file that every user relies on. */
export function rootTrust(): TrustOptions {
  return { ...systemTrust(), uid: process.geteuid === undefined ? undefined : 0 };
}

function systemTrust(): TrustOptions {
  const uid = process.geteuid?.();
  return {
    uid,
    accounts: () => ({ passwd: read('/etc/passwd'), group: read('/etc/group') }),
    unmapped: () => unmappedOwner(read('/proc/self/uid_map'), read(OVERFLOW_UID)),
  };
}

const OVERFLOW_UID = '/proc/sys/kernel/overflowuid';
/** How many user IDs there are: the namespace of the system has them all. */
const ALL_USERS = 4_294_967_295;

/**
 * @param map the content of `/proc/self/uid_map`: first ID inside, first ID outside, number of IDs
 * @param overflow the content of `/proc/sys/kernel/overflowuid`
 * @see user_namespaces(7), "Unmapped user and group IDs"
 */
export function unmappedOwner(map: string, overflow: string): number | undefined {
  const counts = map
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Number(line.trim().split(/\s+/)[2]));
  const mapped = counts.reduce((sum, count) => sum + count, 0);
  return counts.length === 0 || mapped >= ALL_USERS ? undefined : Number(overflow);
}

/** Users of a directory service are not in these files: their groups count as shared. */
function read(path: string): string {
  return attempt(() => readFileSync(path, 'utf8')) ?? '';
}
