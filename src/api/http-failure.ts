import { CONTINUES, SyncError, messageOf, systemCode } from '../base/errors.ts';
import { sentence } from '../terminal/words.ts';
import { type HttpRequest, MAX_ANSWER_BYTES } from './http.ts';

/** Whether the service may have acted on a request without a complete response. */
export type Delivery = 'not-sent' | 'unknown';

/** Hint for a response that may come from a proxy or a captive portal. */
export const IN_BETWEEN =
  "Is the platform's address right, and is nothing (a proxy, a login page of the network) in between?";

export interface Proxy {
  /** The variable that names it, such as `https_proxy`. */
  readonly variable: string;
  /** Its address, perhaps with a user name and a password: never show it. */
  readonly address: string;
}

export class ProxyFailure extends Error {
  readonly proxy: Proxy;
  /** Its answer to CONNECT; undefined if it cannot be reached. */
  readonly status: number | undefined;

  constructor(proxy: Proxy, status: number | undefined, cause: unknown) {
    super(messageOf(cause), { cause });
    this.proxy = proxy;
    this.status = status;
  }
}

/** Returns the `NETWORK` error for a request without a complete response. */
export function networkError(request: HttpRequest, cause: unknown, delivery: Delivery): SyncError {
  const host = request.url.host;
  if (cause instanceof ProxyFailure) return proxyError(host, cause, delivery);
  return new SyncError('NETWORK', `${host}: ${sentence(causeText(cause))}`, {
    cause,
    hint: `Check the connection and the address. ${CONTINUES}`,
    details: { delivery, host, cause: systemCode(cause) },
  });
}

function proxyError(host: string, failure: ProxyFailure, delivery: Delivery): SyncError {
  const { proxy, status } = failure;
  const { variable } = proxy;
  const hasName = new URL(proxy.address).username !== '';
  const { message, hint } =
    status === undefined
      ? {
          message: `is not reachable: ${causeText(failure.cause)}`,
          hint: `Check ${variable}, or unset it. NO_PROXY=${host.replace(/:\d+$/, '')} bypasses the proxy.`,
        }
      : status === 407
        ? {
            message: hasName
              ? 'does not accept its user name and its password'
              : 'wants a user name and a password',
            hint: `${hasName ? 'Correct them in' : 'Put them into'} ${variable}: http://USER:PASSWORD@HOST:PORT.`,
          }
        : {
            message: `did not connect to ${host} (${status})`,
            hint: `Check the address; if it is right, check ${variable}.`,
          };
  return new SyncError('NETWORK', sentence(`The proxy ${proxyName(proxy)} ${message}`), {
    cause: failure,
    hint: `${hint} ${CONTINUES}`,
    details: { delivery, host, proxy: variable, cause: systemCode(failure.cause) },
  });
}

export function deliveryOf(error: SyncError): Delivery {
  return error.details['delivery'] === 'not-sent' ? 'not-sent' : 'unknown';
}

export function answerTooLarge(request: HttpRequest): SyncError {
  return new SyncError(
    'SERVICE_ANSWER',
    `${request.url.host} sent a response larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MB.`,
    {
      hint: IN_BETWEEN,
      details: { limitBytes: MAX_ANSWER_BYTES },
    },
  );
}

/**
 * Returns the error for a response that cannot be unpacked. The service may have acted on the request.
 *
 * @param coding its `Content-Encoding`
 * @param cause undefined: the coding is unknown
 */
export function answerUnreadable(request: HttpRequest, coding: string, cause?: unknown): SyncError {
  const { host } = request.url;
  const delivery: Delivery = 'unknown';
  const why = cause === undefined ? '' : `: ${firstLine(messageOf(cause))}`;
  return new SyncError(
    'NETWORK',
    `${host} sent a response that cannot be unpacked (${coding}${why}).`,
    { cause, hint: IN_BETWEEN, details: { delivery, host } },
  );
}

/** Returns why a request got no complete response, as a clause. */
export function causeText(cause: unknown): string {
  switch (systemCode(cause)) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the address cannot be found (no network, or a typing error)';
    case 'ECONNREFUSED':
      return 'nothing answers there (connection refused)';
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return 'the connection broke off';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'no answer in time';
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'ENETDOWN':
      return 'the network is down';
    case 'CERT_HAS_EXPIRED':
      return "the platform's certificate has expired (or this machine's clock is wrong)";
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return "the platform's certificate is not trusted here (NODE_EXTRA_CA_CERTS adds an authority)";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return "the platform's certificate is for another name";
    case 'CERT_NOT_YET_VALID':
      return "the platform's certificate is not valid yet (is this machine's clock wrong?)";
    default:
      // OpenSSL's messages name a line of its sources, which helps no user.
      return /^(?:EPROTO$|ERR_SSL_)/.test(systemCode(cause) ?? '')
        ? 'the server does not speak TLS there, or only a version that Node.js refuses; is it http://?'
        : `the connection failed (${firstLine(messageOf(cause))})`;
  }
}

/** Does this code come from a TLS handshake or a certificate? */
export function isTlsFailure(code: string | undefined): boolean {
  return /^(?:EPROTO$|ERR_SSL_|ERR_TLS_|UNABLE_TO_)|CERT/.test(code ?? '');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Returns a time-out in the form of a system error. */
export function timeoutCause(what: string): Error {
  return Object.assign(new Error(what), { code: 'ETIMEDOUT' });
}

/** Names a proxy for people: its address without password, and its variable. */
export function proxyName({ address, variable }: Proxy): string {
  return `${new URL(address).origin} (${variable})`;
}
