import { deliveryOf } from '../api/http-failure.ts';
import { type Http, type HttpRequest, type HttpResponse, isSuccess } from '../api/http.ts';
import { isTemporary, readRetryAfter } from '../api/retry.ts';
import { refusalMessage } from '../api/wire.ts';
import type { Context } from '../base/context.ts';
import { SyncError, attempt } from '../base/errors.ts';
import { parseObject } from '../base/json.ts';
import { sanitize } from '../base/printable.ts';
import { Secret } from '../base/secret.ts';
import { serviceId } from '../config/endpoints.ts';
import { SETTINGS } from '../config/settings.ts';
import type { RegisteredClient } from '../credentials/clients.ts';
import { addressFailure } from './authorize-check.ts';
import { duration } from '../terminal/words.ts';

/** Time limit for the metadata, and for the registration (ms). */
const LIMIT_MS = 3_000;
/** Longest metadata, and longest answer to a registration (characters). */
const MOST_CHARACTERS = 65_536;

const CLIENT_URI = 'https://github.com/athlete-sync/athlete-sync';

declare const checked: unique symbol;

/**
 * Where a platform registers clients. Only {@link findRegistration} creates one: by its type, nothing is
 * registered at an address that was not compared with the platform's.
 */
export interface RegistrationEndpoint {
  readonly [checked]: true;
  readonly url: URL;
  /** The platform takes no client without a secret. */
  readonly givesSecret: boolean;
}

/** A client that the platform registered, with its secret if it is not public. */
export type NewClient = RegisteredClient & { readonly secret?: Secret | undefined };

/** Why there is no client. */
export interface NotRegistered {
  /** For people: it completes "PLATFORM ...". */
  readonly why: string;
  /** The platform may register one later. */
  readonly mayPass?: boolean;
}

/**
 * Reads from the platform's metadata where it registers clients, with a secret or without, and whether it supports PKCE.
 * Endpoints and scopes stay those of the interface and the settings. If the issuer is not the platform, the metadata is
 * ignored.
 *
 * @param addresses of the platform: that of the login first
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.1 - the address, also of an issuer with a path
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3 - the issuer must equal the address
 * @throws SyncError `NETWORK` if there is no connection to the platform; the signal's reason
 */
export async function findRegistration(
  context: Context,
  http: Http,
  addresses: readonly [URL, ...URL[]],
): Promise<RegistrationEndpoint | NotRegistered> {
  const [baseUrl] = addresses;
  const url = new URL(baseUrl.origin);
  url.pathname = `/.well-known/oauth-authorization-server${baseUrl.pathname.replace(/\/+$/, '')}`;
  const answer = await send(context, http, { method: 'GET', url });
  if ('why' in answer) return answer;
  if (isTemporary(answer)) return NOT_SAID;
  const metadata = isSuccess(answer) ? objectIn(answer) : undefined;
  if (metadata === undefined) return NO_REGISTRATION;
  const {
    issuer,
    registration_endpoint: endpoint,
    code_challenge_methods_supported: methods,
    token_endpoint_auth_methods_supported: authentication,
  } = metadata;
  const ids = addresses.map(serviceId);
  if (typeof issuer !== 'string' || !ids.includes(issuer.replace(/\/$/, ''))) {
    const named = sanitize(issuer, 100) || 'no issuer';
    return { why: `names another platform in its metadata (${named}), so that is not used` };
  }
  if (endpoint === undefined) return NO_REGISTRATION;
  // RFC 9700 section 2.1.1: only PKCE protects the login of a public client.
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    return { why: 'does not say that it knows PKCE with S256, so no application is registered' };
  }
  const found =
    typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (found === undefined || !addresses.some(({ origin }) => origin === found.origin)) {
    return { why: 'names a registration at another address, which is not used' };
  }
  const givesSecret = Array.isArray(authentication) && !authentication.includes('none');
  return { url: found, givesSecret } as RegistrationEndpoint;
}

/**
 * Registers this computer's application as a public client. A request without an answer is not repeated: the platform may
 * have acted on it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3.1 - client registration request
 * @see https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1 - the answer, which may differ from the request
 * @throws as {@link findRegistration}
 */
export async function registerClient(
  context: Context,
  http: Http,
  { url }: RegistrationEndpoint,
  { clientName, redirectUri }: Pick<NewClient, 'clientName' | 'redirectUri'>,
): Promise<NewClient | NotRegistered> {
  const metadata = {
    client_name: clientName,
    client_uri: CLIENT_URI,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const body = [Buffer.from(JSON.stringify(metadata))];
  const request = { method: 'POST', url, contentType: 'application/json', body } as const;
  const answer = await send(context, http, request);
  if ('why' in answer) return answer;
  if (!isSuccess(answer)) {
    return { why: refusal(answer, context.clock.now()), mayPass: isTemporary(answer) };
  }
  const registeredAt = new Date(context.clock.now()).toISOString();
  const asked = { clientName, redirectUri, registeredAt };
  return decodeClient(objectIn(answer) ?? {}, asked);
}

/** A member that the answer lacks counts as requested. */
function decodeClient(
  answer: Readonly<Record<string, unknown>>,
  asked: Pick<NewClient, 'clientName' | 'redirectUri' | 'registeredAt'>,
): NewClient | NotRegistered {
  const { client_id: clientId, client_secret: secret } = answer;
  const { client_name: clientName = asked.clientName } = answer;
  const { redirect_uris: uris = [asked.redirectUri] } = answer;
  const { token_endpoint_auth_method: method = secret === undefined ? 'none' : undefined } = answer;
  if (typeof clientId !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(clientId))
    return unusable('client_id');
  if (clientName !== asked.clientName) return unusable('client_name');
  const redirectUri = Array.isArray(uris)
    ? uris.find((uri) => isSameUri(uri, asked.redirectUri))
    : undefined;
  if (redirectUri === undefined) return unusable('redirect_uris');
  const client = { ...asked, clientId, redirectUri };
  if (method === 'none') return { ...client, isPublic: true };
  const isSecret = typeof secret === 'string' && /^[\x20-\x7e]+$/.test(secret);
  return method === 'client_secret_post' && isSecret
    ? { ...client, isPublic: false, secret: new Secret(secret) }
    : unusable(method === 'client_secret_post' ? 'client_secret' : 'token_endpoint_auth_method');
}

function unusable(member: string): NotRegistered {
  return { why: `answered the registration without the ${member} that a login needs` };
}

/** Returns whether a text is a redirect URI that can be listened on, and the same one but for its spelling. */
export function isSameUri(text: unknown, redirectUri: string): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const uri = attempt(() => SETTINGS.redirectUri.parse(text));
  return uri !== undefined && new URL(uri).href === new URL(redirectUri).href;
}

const NO_REGISTRATION = { why: 'registers no applications by itself' };
const NOT_SAID = { why: 'did not say whether it registers applications', mayPass: true };

function refusal(answer: HttpResponse, now: number): string {
  switch (answer.status) {
    case 404:
      return NO_REGISTRATION.why;
    case 429:
      return `takes no more registrations now: try again in ${waitText(answer, now)}, or type a client ID`;
    case 400:
      return `refused to register an application: ${refusalMessage(answer)}`;
    default:
      return `cannot register an application now (${answer.status})`;
  }
}

function waitText({ headers }: HttpResponse, now: number): string {
  const waitMs = readRetryAfter(headers, now);
  return waitMs ? duration(waitMs) : 'an hour';
}

async function send(
  { signal }: Context,
  http: Http,
  request: Omit<HttpRequest, 'signal'>,
): Promise<HttpResponse | NotRegistered> {
  const limits = { answerTimeoutMs: LIMIT_MS, totalTimeoutMs: LIMIT_MS, signal };
  try {
    return await http.send({ ...request, ...limits });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SyncError)) throw error;
    if (deliveryOf(error) === 'not-sent') throw addressFailure(error, request.url);
    return NOT_SAID;
  }
}

function objectIn({ text }: HttpResponse) {
  return text.length > MOST_CHARACTERS ? undefined : parseObject(text);
}
