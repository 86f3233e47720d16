import { connect } from 'node:net';
import type { Http } from '../../api/http.ts';
import { type Proxy, causeText, timeoutCause, proxyName } from '../../api/http-failure.ts';
import { proxyFor, proxySettings } from '../../api/open-http.ts';
import type { AppContext } from '../../app/context.ts';
import { type Config, requireBaseUrl } from '../../config/config.ts';
import { endpointUrl } from '../../config/endpoints.ts';
import { isLoopback } from '../../config/settings.ts';
import { duration } from '../../terminal/words.ts';
import { type CheckResult, bad, good, odd } from './finding.ts';

/** Time limit for a connection to the proxy (ms). */
const PROXY_LIMIT_MS = 5_000;
/** Time limit for the service's answer (ms). */
const ANSWER_LIMIT_MS = 10_000;
/** Largest harmless clock error (ms): beyond it, token lifetimes and certificates fail. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Names the proxy for the service, if there is one, and connects to it. */
export async function checkProxy(
  { env, signal }: AppContext,
  config: Config,
): Promise<CheckResult> {
  const settings = proxySettings(env);
  const { proxy: any } = settings;
  if (any === undefined) return good('No proxy is set.');
  const baseUrl = config.get('baseUrl');
  const proxy = baseUrl === undefined ? any : proxyFor(baseUrl, settings);
  if (proxy === undefined) {
    const here = baseUrl !== undefined && isLoopback(baseUrl);
    const why = here ? 'requests to this machine never use it' : 'NO_PROXY excepts the platform';
    return good(`The proxy ${proxyName(any)} is set; ${why}.`);
  }
  const cause = await connectionFailure(proxy, signal);
  if (cause === undefined) return good(`Requests go through the proxy ${proxyName(proxy)}.`);
  return bad(
    `The proxy ${proxyName(proxy)} is not reachable: ${causeText(cause)}.`,
    `Check ${proxy.variable}, or unset it; NO_PROXY lists hosts to reach without it.`,
  );
}

/** Opens a connection to a proxy and closes it. @returns why that fails, if it does */
async function connectionFailure({ address }: Proxy, signal: AbortSignal): Promise<unknown> {
  const { hostname, port, protocol } = new URL(address);
  const usual = protocol === 'https:' ? 443 : 80;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const cause = await new Promise<unknown>((resolve) => {
    const socket = connect({ host, port: port === '' ? usual : Number(port), signal });
    socket.setTimeout(PROXY_LIMIT_MS, () => socket.destroy(timeoutCause('no connection')));
    socket.once('connect', () => socket.destroy());
    socket.once('error', resolve);
    socket.once('close', () => resolve(undefined));
  });
  signal.throwIfAborted();
  return cause;
}

/** Sends a request without a login: any answer shows that the service is up, and its clock. */
export async function checkService(
  { clock, platform, signal }: AppContext,
  config: Config,
  http: Http,
): Promise<CheckResult[]> {
  const url = endpointUrl(requireBaseUrl(config), config.endpoints.userinfo);
  const request = { method: 'GET', url, answerTimeoutMs: ANSWER_LIMIT_MS, signal } as const;
  const { status, headers } = await http.send(request);
  const reached =
    status >= 500
      ? bad(`${url.host} answers with ${status}.`, 'Try again later.')
      : good(`${url.host} answers.`);
  const theirs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(theirs)) return [reached];
  return [reached, { check: 'clock', ...clockFinding(clock.now() - theirs, platform) }];
}

/** How the system sets its clock from the network. */
const SET_CLOCK: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Set it from the network: `sudo timedatectl set-ntp true`.',
  darwin: 'Set it from the network: System Settings, General, Date & Time.',
  win32: 'Set it from the network: `w32tm /resync`.',
};

/** @param offMs how far this machine's clock is ahead of the service's */
function clockFinding(offMs: number, platform: NodeJS.Platform): CheckResult {
  if (Math.abs(offMs) <= CLOCK_TOLERANCE_MS) {
    return good("This machine's clock agrees with the platform's.");
  }
  const off = `${duration(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'}`;
  const effect =
    offMs > 0 ? 'the login looks expired too early' : 'the login looks valid after it has expired';
  return odd(
    `This machine's clock is ${off} the platform's: ${effect}, and days may be wrong.`,
    SET_CLOCK[platform] ?? 'Let the system set its clock from the network.',
  );
}
