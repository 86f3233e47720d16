import { readFile } from 'node:fs/promises';

/** A TCP socket of this machine, as the kernel lists it (proc_net_tcp(5)). */
export interface TcpSocket {
  readonly localPort: number;
  readonly remotePort: number;
  readonly listening: boolean;
  /** The user who owns it; 0 also for a socket that its process has closed. */
  readonly uid: number;
  readonly inode: string;
}

/** The state of a listening socket. */
const LISTENING = '0A';

/** Lists the TCP sockets of this machine, those of all users. Empty without /proc. */
export async function tcpSockets(): Promise<readonly TcpSocket[]> {
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
