import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { type HttpRequest, MAX_ANSWER_BYTES } from './http.ts';

/** Whether the service may have acted on a request without a complete response. */
export type Delivery = 'not-sent' | 'unknown';

/** Hint for a response that may come from a proxy or a captive portal. */
export const IN_BETWEEN =
  'Is the base URL right, and is nothing (a proxy, a login page of the network) in between?';

/** Returns the `NETWORK` error for a request without a complete response. */
export function networkError(request: HttpRequest, cause: unknown, delivery: Delivery): SyncError {
  const host = request.url.host;
  return new SyncError('NETWORK', `${host}: ${sentence(explain(cause))}`, {
    cause,
    hint: 'Check the connection and the address; the same command again continues.',
    details: { delivery, host, cause: systemCode(cause) },
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

/** Returns the same error with further details. */
export function withDetails(error: SyncError, details: Record<string, unknown>): SyncError {
  return new SyncError(error.code, error.message, {
    hint: error.hint,
    cause: error.cause,
    details: { ...error.details, ...details },
  });
}

function explain(cause: unknown): string {
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
      return "the service's certificate has expired (or this machine's clock is wrong)";
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return "the service's certificate is not trusted here (NODE_EXTRA_CA_CERTS adds an authority)";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return "the service's certificate is for another name";
    case 'PROXY_AUTHENTICATION':
      return 'the proxy wants a user name and a password (they go into its address: http://USER:PASSWORD@HOST:PORT)';
    case 'PROXY_REFUSED':
      return `the proxy would not connect to it (${messageOf(cause)})`;
    default:
      return isTlsFailure(cause)
        ? 'the server does not speak TLS there (or none that is spoken here); is it http://?'
        : `the connection failed (${firstLine(messageOf(cause))})`;
  }
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** OpenSSL's messages name a file and a line of its sources, which helps no user. */
function isTlsFailure(cause: unknown): boolean {
  return /^(?:EPROTO$|ERR_SSL_)/.test(systemCode(cause) ?? '');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Returns a time-out in the form of a system error. */
export function timeoutCause(what: string): Error {
  return Object.assign(new Error(what), { code: 'ETIMEDOUT' });
}
