import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { tcpSockets } from './tcp-sockets.ts';

export interface PortOwner {
  readonly pid: number;
  readonly name: string;
}

/** How long lsof may take, in ms. */
const LSOF_LIMIT_MS = 2_000;

/**
 * The process that listens on a TCP port of this machine, where that can be known: on Linux from
 * /proc, else from lsof. Another user's process cannot. Never throws.
 */
export async function portOwner(
  port: number,
  platform: NodeJS.Platform,
): Promise<PortOwner | undefined> {
  try {
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
    // Processes of others, and those that end while we look, are passed over.
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
      ['-nP', `-iTCP:${String(port)}`, '-sTCP:LISTEN', '-Fpc'],
      { timeout: LSOF_LIMIT_MS },
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
