import { type Stats, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { shellWord } from '../base/printable.ts';

/** Why other users could replace the content of a folder. */
export interface Distrust {
  /** The faulty folder or link: the checked one, or one above it. */
  readonly path: string;
  /** A clause that follows the path: "belongs to another user (uid 1001)". */
  readonly reason: string;
  /** The command that fixes it. */
  readonly fix: string;
}

/** Says who can change the content of a folder. @param found what `findDistrust` returned for it */
export function distrustMessage({ path, reason }: Distrust, folder: string): string {
  return `${path} ${reason}: they can change what is in ${folder}.`;
}

/** The accounts of this machine, in the form of `/etc/passwd` and `/etc/group`. */
export interface AccountFiles {
  readonly passwd: string;
  readonly group: string;
}

export interface TrustOptions {
  /** Absent on a system without user IDs: there, every folder is trusted. */
  readonly uid: number | undefined;
  readonly accounts: () => AccountFiles;
}

/** A chain of links that is longer than this is a loop. */
const MAX_LINKS = 40;
const STICKY = 0o1000;

/**
 * Checks that no other user than root can replace the content of a folder: the folder, every folder above
 * it, and every link on the way belong to this user or root and are not writable by others. In a
 * sticky folder such as `/tmp`, others cannot touch a folder that is this user's own. A folder that
 * does not exist yet is judged by those above it.
 */
export function findDistrust(folder: string, options = systemTrust()): Distrust | undefined {
  const { uid } = options;
  if (uid === undefined) return undefined;
  const isOurs = (stats: Stats) => stats.uid === uid || stats.uid === 0;
  let at = '/';
  let links = 0;
  const pending = resolve(folder).split(sep).filter(Boolean);
  for (let name: string | undefined = ''; name !== undefined; name = pending.shift()) {
    const path = join(at, name);
    const stats = statsOf(path);
    // Not there, or not to be looked into: then nothing is read or written there either.
    if (stats === undefined) return undefined;
    if (!isOurs(stats)) {
      return {
        path,
        reason: `belongs to another user (uid ${stats.uid})`,
        // Root is in a user's own folder, as with `sudo` that keeps HOME: the folder is as it should be.
        fix:
          uid === 0
            ? `sudo -u '#${stats.uid}' sync`
            : `sudo chown -h ${ownName() ?? uid} ${shellWord(path)}`,
      };
    }
    if (stats.isSymbolicLink()) {
      if (++links > MAX_LINKS) return undefined;
      const target = resolve(dirname(path), readlinkSync(path));
      pending.unshift(...target.split(sep).filter(Boolean));
      at = '/';
      continue;
    }
    const sheltered = (stats.mode & STICKY) !== 0 && pending.length > 0;
    const byGroup =
      (stats.mode & 0o020) !== 0 && !isPrivateGroup(stats.gid, uid, options.accounts());
    if (!sheltered && ((stats.mode & 0o002) !== 0 || byGroup)) {
      const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
      return {
        path,
        reason: `can be changed by other users (mode ${mode})`,
        fix: `${stats.uid === uid ? '' : 'sudo '}chmod go-w ${shellWord(path)}`,
      };
    }
    at = path;
  }
  return undefined;
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

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
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
  };
}

/** Users of a directory service are not in these files: their groups count as shared. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function ownName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
