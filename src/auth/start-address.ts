import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { type LandingPage, failedPage, nothingHerePage } from './landing-page.ts';

export type StartAddress = ReturnType<typeof createStartAddress>;

/**
 * Creates the address that the browser is started with. It becomes an argument of processes, which every
 * user of this machine can read. So it contains no secret: it redirects to the authorization URL, once.
 *
 * @param authorizationUrl contains the state
 * @param userId the user who runs this process; undefined on a system without user IDs
 */
export function createStartAddress(authorizationUrl: string, userId: number | undefined) {
  const misuse = new AbortController();
  let state: 'new' | 'opened' | 'ended' = 'new';
  const end = (why: string): LandingPage => {
    const error = new SyncError('AUTH_REFUSED', `The login was ended: ${why}.`, {
      hint: phrase`Nothing was stored. Run ${sync('login')} again; ${sync('login', '--no-browser')} shows the address in the terminal instead.`,
    });
    misuse.abort(error);
    return failedPage(error.message, error.hint);
  };
  return {
    path: `/start/${randomBytes(16).toString('base64url')}`,
    /**
     * Aborted if the address was opened twice, or by another user of this machine. The login then
     * ends: either of the two may have been the athlete's browser.
     */
    misused: misuse.signal,
    end: () => void (state = 'ended'),
    /** Returns the redirect for a request, or the page to show instead. */
    async open(request: IncomingMessage): Promise<{ readonly to: string } | LandingPage> {
      if (isPrefetch(request)) return nothingHerePage('This address is not for prefetching.', 403);
      if (state === 'ended') return nothingHerePage('This login is over.', 410);
      if (state === 'opened') {
        return end('its address was opened twice, perhaps by another program or user');
      }
      state = 'opened';
      const stranger = await strangerAt(request, userId);
      if (stranger !== undefined) {
        return end(`another user of this computer (UID ${stranger}) opened its address`);
      }
      return misuse.signal.aborted
        ? failedPage((misuse.signal.reason as SyncError).message, undefined)
        : { to: authorizationUrl };
    },
  };
}

/** Browsers mark requests ahead of a navigation (Fetch, `Sec-Purpose`, and older names). */
function isPrefetch({ headers }: IncomingMessage): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name])),
  );
}

/**
 * Returns the user at the other end of a loopback connection, if it is neither this user nor root.
 * Root is trusted: relays of WSL and of containers run as root. Always undefined on systems that do
 * not list sockets (all but Linux).
 */
async function strangerAt(
  { socket }: IncomingMessage,
  userId: number | undefined,
): Promise<number | undefined> {
  const { remotePort, localPort } = socket;
  return (await tcpSockets())
    .filter((other) => other.localPort === remotePort && other.remotePort === localPort)
    .map(({ uid }) => uid)
    .find((uid) => uid !== 0 && uid !== userId);
}

/** Lists the TCP sockets of all users of this machine (proc_net_tcp(5)). Empty without /proc. */
async function tcpSockets() {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((text) => text.split('\n').slice(1))
    .flatMap((line) => {
      const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
      if (uid === undefined) return [];
      // 0 also for a socket that its process has closed.
      return [{ localPort: portIn(local), remotePort: portIn(remote), uid: Number(uid) }];
    });
}

/** @param address `0100007F:22D5`: address and port, in hexadecimal digits */
function portIn(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16);
}
