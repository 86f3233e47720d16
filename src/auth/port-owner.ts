import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { SYSTEM_PATH, childEnv } from '../system/environment.ts';

export interface PortOwner {
  readonly pid: number;
  readonly name: string;
}

/** Time limit for lsof (ms). */
const LSOF_LIMIT_MS = 2_000;

/**
 * Returns the process that listens on a TCP port of this machine: on Linux from /proc, else from
 * lsof. Undefined if it cannot be found, as for a process of another user, and on Windows. Never
 * throws.
 */
export async function portOwner(
  port: number,
  platform: NodeJS.Platform,
): Promise<PortOwner | undefined> {
  try {
    if (platform === 'win32') return undefined;
    return (platform === 'linux' ? await fromProc(port) : undefined) ?? (await fromLsof(port));
  } catch {
    return undefined;
  }
}

async function fromProc(port: number): Promise<PortOwner | undefined> {
  const sockets = new Set(
    (await tcpSockets())
      .filter(({ localPort, listening }) => listening && localPort === port)
      .map(({ inode }) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Skip processes of other users, and processes that end meanwhile.
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const handle of handles) {
      const target = await readlink(`/proc/${pid}/fd/${handle}`).catch(() => '');
      if (!sockets.has(target)) continue;
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
      return { pid: Number(pid), name };
    }
  }
  return undefined;
}

function fromLsof(port: number): Promise<PortOwner | undefined> {
  return new Promise((resolve) => {
    execFile(
      'lsof',
      ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'],
      { env: childEnv({ PATH: SYSTEM_PATH }, 'session'), timeout: LSOF_LIMIT_MS },
      (error, stdout) => {
        const pid = /^p(\d+)$/m.exec(stdout)?.[1];
        const name = /^c(.+)$/m.exec(stdout)?.[1];
        resolve(
          error !== null || pid === undefined || name === undefined
            ? undefined
            : { pid: Number(pid), name },
        );
      },
    );
  });
}

const LISTENING = '0A';

/** Lists the TCP sockets of all users of this machine (proc_net_tcp(5)). Empty without /proc. */
export async function tcpSockets() {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((text) => text.split('\n').slice(1))
    .flatMap((line) => {
      const columns = line.trim().split(/\s+/);
      const [, local = '', remote = '', state, , , , uid, , inode] = columns;
      if (inode === undefined) return [];
      return [
        {
          localPort: portIn(local),
          remotePort: portIn(remote),
          listening: state === LISTENING,
          /** The user who owns it; 0 also for a socket that its process has closed. */
          uid: Number(uid),
          inode,
        },
      ];
    });
}

/** @param address `0100007F:22D5`: address and port, in hexadecimal digits */
function portIn(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}
