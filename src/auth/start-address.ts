import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SyncError } from '../base/errors.ts';
import { type LandingPage, failedPage, nothingHerePage } from './landing-page.ts';
import { tcpSockets } from './tcp-sockets.ts';

/**
 * The address that the browser is started with. It becomes an argument of processes, which every user
 * of this machine may read. So it holds no secret: it redirects to the authorization URL, and does
 * so once.
 */
export interface StartAddress {
  readonly path: string;
  /**
   * Aborted if the address was opened twice, or by another user of this machine. Which of the two
   * was the athlete's browser cannot be known, so the login has to end.
   */
  readonly misused: AbortSignal;
  /** Where a request is sent, or the page that it gets instead. */
  open(request: IncomingMessage): Promise<{ readonly to: string } | LandingPage>;
  /** From now on the address leads nowhere. */
  end(): void;
}

/** @param authorizationUrl holds the state */
export function createStartAddress(authorizationUrl: string): StartAddress {
  const misuse = new AbortController();
  let state: 'new' | 'opened' | 'ended' = 'new';
  const end = (why: string): LandingPage => {
    const error = new SyncError('AUTH_REFUSED', `The login was ended: ${why}.`, {
      hint:
        'Nothing was stored. Run `sync login` again; ' +
        '`sync login --no-browser` shows the address in the terminal instead.',
    });
    misuse.abort(error);
    return failedPage(error.message, error.hint);
  };
  return {
    path: `/start/${randomBytes(16).toString('base64url')}`,
    misused: misuse.signal,
    end: () => void (state = 'ended'),
    async open(request) {
      if (isPrefetch(request)) return nothingHerePage('This address is not for prefetching.', 403);
      if (state === 'ended') return nothingHerePage('This login is over.', 410);
      if (state === 'opened') {
        return end('its address was opened twice, perhaps by another program or user');
      }
      state = 'opened';
      const uid = await peerUid(request);
      if (isForeign(uid)) {
        return end(`another user of this computer (UID ${String(uid)}) opened its address`);
      }
      return misuse.signal.aborted
        ? failedPage((misuse.signal.reason as SyncError).message, undefined)
        : { to: authorizationUrl };
    },
  };
}

/** Browsers mark what they fetch ahead of a navigation (Fetch, `Sec-Purpose`; older names too). */
function isPrefetch({ headers }: IncomingMessage): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name])),
  );
}

/**
 * Returns the user at the other end of a loopback connection: of its sockets, the one that is not
 * this user's. Undefined if the kernel does not list it (other systems than Linux).
 */
async function peerUid({ socket }: IncomingMessage): Promise<number | undefined> {
  const { remotePort, localPort } = socket;
  const uids = (await tcpSockets())
    .filter((other) => other.localPort === remotePort && other.remotePort === localPort)
    .map(({ uid }) => uid);
  return uids.find(isForeign) ?? uids[0];
}

/** Root is nobody to hide from, and relays run as root: those of WSL and of containers. */
function isForeign(uid: number | undefined): boolean {
  return uid !== undefined && uid !== 0 && uid !== process.getuid?.();
}
