import { CONTINUES, type ErrorCode, SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { sanitize } from '../base/printable.ts';
import type { EndpointName } from '../config/endpoints.ts';
import { parseObject } from '../base/json.ts';
import { capital, sentence } from '../terminal/words.ts';
import { IN_BETWEEN } from './http-failure.ts';
import type { HttpResponse } from './http.ts';
import { isOfCoachWatts } from './platform-kind.ts';
import { givesReason, isJsonObject, isPage, refusalMessage, statedReason } from './wire.ts';

interface Declined {
  readonly attempts: number;
  readonly url: URL;
  /** URL of the platform, if `url` is the endpoint's own. */
  readonly base?: URL | undefined;
  /** The scope that this request needs. */
  readonly required?: string | undefined;
  /** The scopes of the login; undefined: unknown. */
  readonly granted?: readonly string[] | undefined;
}

/** Meaning of a status. Without `message`, the service's own reason is shown. */
interface Meaning {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly hint?: Text;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Longest path of a redirect in a message (characters). */
const LONGEST_PATH = 200;

/**
 * Returns the error for a final response other than a success (a status that `retry.ts` does not
 * retry). {@link isAboutTheItem} tells which of these errors refuse one item; the others fail for now.
 */
export function refusal(name: EndpointName, response: HttpResponse, refused: Declined): SyncError {
  const isRefusal = FOR_CONTENT.includes(response.status);
  const page = isRefusal ? isPage(response) : !isJsonObject(response);
  const unexplained = isRefusal && !page && !givesReason(response);
  const { code, message, hint, details } = meaningOf(name, response, page, refused);
  const { attempts } = refused;
  return new SyncError(code, message ?? refusalMessage(response), {
    hint,
    details: {
      status: response.status,
      attempts,
      ...(page ? { page } : {}),
      ...(unexplained ? { unexplained } : {}),
      ...(isOfCoachWatts(response) ? { coachWatts: true } : {}),
      ...(isOfLogin(response) ? { ofLogin: true } : {}),
      ...details,
    },
  });
}

function meaningOf(
  name: EndpointName,
  response: HttpResponse,
  page: boolean,
  { url, base, required, granted }: Declined,
): Meaning {
  const { status, headers } = response;
  const path = url.pathname;
  const reason = statedReason(response);
  const inFull = sentence(
    reason === undefined
      ? capital(refusalMessage(response))
      : `The platform refused it (${status}): ${reason}`,
  );
  switch (status) {
    case 401:
      if (asksForScope(response)) return forbidden(inFull, missingScope(response, required));
      return {
        code: 'AUTH_EXPIRED',
        message: 'The platform does not accept this login any more.',
        hint: phrase`Run ${sync('login')}.`,
      };
    case 403: {
      const isUngranted = required !== undefined && granted?.includes(required) === false;
      const scope = isUngranted ? required : missingScope(response, required);
      return page && scope === undefined
        ? { code: 'REJECTED', message: inFull, hint: IN_BETWEEN }
        : forbidden(inFull, scope);
    }
    case 404:
      return {
        code: 'REJECTED',
        message: `The platform has nothing at ${path} (404).`,
        hint: phrase`Check the address (${sync('config', 'get', 'baseUrl')}); if the platform keeps it elsewhere: ${sync('config', 'set', `endpoint.${name}`, 'PATH')}.`,
        details: { endpoint: name },
      };
    case 413:
      return { code: 'REJECTED', message: tooLargeMessage(name, reason) };
    case 501:
    case 505:
      return {
        code: 'SERVICE_UNAVAILABLE',
        message: `The platform, or what stands in front of it, does not know this request (${status}).`,
        hint: IN_BETWEEN,
      };
    default:
      if (status < 400) {
        const moved = movedTo(headers['location'], name, url, base);
        const mayHaveActed = MAY_HAVE_ACTED.includes(status);
        const taken = mayHaveActed && HAS_ITEMS.includes(name) ? ' It may have taken it.' : '';
        return {
          code: 'SERVICE_ANSWER',
          message:
            moved === undefined
              ? `The platform answers ${path} with a status that means nothing here (${status}).`
              : `The platform sends ${path} ${moved.where} (${status}); a login never follows.${taken}`,
          hint:
            moved === undefined || mayHaveActed
              ? IN_BETWEEN
              : phrase`Set the address that it moved to: ${moved.fix}.`,
          details: { delivery: mayHaveActed ? 'unknown' : 'not-sent' },
        };
      }
      if (page) return { code: 'REJECTED', message: inFull, hint: IN_BETWEEN };
      if (!ABOUT_THE_ITEM.includes(status)) {
        return { code: 'REJECTED', message: inFull, hint: CONTINUES };
      }
      // The report of an item names the service; elsewhere, its words must not look like the program's.
      return HAS_ITEMS.includes(name)
        ? { code: 'REJECTED' }
        : { code: 'REJECTED', message: inFull };
  }
}

/** Returns where a redirect leads, and what to set; undefined if it leads nowhere. */
function movedTo(location: string | undefined, name: EndpointName, from: URL, base?: URL) {
  if (location === undefined) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isHere = to?.origin === from.origin && to.pathname !== from.pathname;
  if (!isHere) return { where: 'elsewhere', fix: sync('config', 'set', 'baseUrl', 'URL') };
  const where = `to ${sanitize(to.pathname, LONGEST_PATH)}`;
  // The setting is a path below the platform's.
  const below = base?.pathname.replace(/\/*$/, '/') ?? '';
  const isBelow = to.pathname.startsWith(below) && to.pathname.length <= LONGEST_PATH;
  const path = base && isBelow ? to.pathname.slice(below.length - 1) : 'PATH';
  return { where, fix: sync('config', 'set', `endpoint.${name}`, path) };
}

/** @param scope that the login lacks; undefined: the service refuses the account */
function forbidden(message: string, scope: string | undefined): Meaning {
  if (scope === undefined) {
    const hint =
      "Is this account active, and may it be used from here? Look at it on the platform's website, then run the same command again.";
    return { code: 'REJECTED', message, hint };
  }
  return {
    code: 'SCOPE_MISSING',
    message: `This login may not do that: it lacks ${scope}.`,
    hint: phrase`Run ${sync('login')} again and grant it.`,
    details: { scope },
  };
}

/** The tries of a request so far. */
export interface Tries {
  readonly attempts: number;
  /** `unknown`: the service may have acted on one of them. */
  readonly delivery: 'not-sent' | 'unknown';
}

export const NO_TRIES: Tries = { attempts: 0, delivery: 'not-sent' };

/**
 * Returns the error for a token that the service refuses although the login is fine. The service did not act
 * on the last try, and a later request may succeed.
 *
 * @param why the end of a sentence about the token
 */
export function notTakenNow(tries: Tries, why: string): SyncError {
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    `The platform refused a token of this login (401) that ${why}.`,
    {
      hint: phrase`${CONTINUES} If that lasts, run ${sync('login')}.`,
      details: { status: 401, ...tries },
    },
  );
}

/**
 * Returns whether the service refused a request for its content: then the item is `rejected`. Every
 * other refusal would hit every item, so that the items are `failed` until the user fixes it: 404 (a
 * wrong address), 403 (a closed account), or a web page (not the service).
 */
export function isAboutTheItem({ code, details: { status, page } }: SyncError): boolean {
  if (code !== 'REJECTED' || typeof status !== 'number') return false;
  // A proxy's size limit counts as well.
  return status === 413 || (page !== true && ABOUT_THE_ITEM.includes(status));
}

/**
 * Returns whether a refusal of an item gives no reason, or a text alone. Something in front of the service may
 * refuse all items so: the item is given up only if the service takes others meanwhile.
 */
export function isUnexplained({ details }: SyncError): boolean {
  return details['unexplained'] === true;
}

/** Returns whether a platform may have refused a record for a field that the interface does not name. */
export function mayConcernFields({ code, details }: SyncError): boolean {
  const { status, page, coachWatts, ofLogin } = details;
  const isRefusal = code === 'REJECTED' && (status === 400 || status === 422);
  return isRefusal && page !== true && coachWatts !== true && ofLogin !== true;
}

/** Errors of OAuth that are about the login, with any status (RFC 6749 section 5.2, RFC 6750 section 3.1). */
const OF_LOGIN = ['invalid_token', 'invalid_grant', 'invalid_client', 'insufficient_scope'];

function isOfLogin(response: HttpResponse): boolean {
  return OF_LOGIN.some((code) => code === oauthError(response));
}

/** Returns whether a refusal, of any status, accepts the token and asks for a further scope. */
export function asksForScope(response: HttpResponse): boolean {
  return oauthError(response) === 'insufficient_scope';
}

/** Returns the error of OAuth in the `Bearer` challenge of a refusal (RFC 6750 section 3), or in its body. */
function oauthError(response: HttpResponse): unknown {
  const stated = /\berror="?([a-z_]+)/i.exec(bearerChallenge(response))?.[1];
  return stated ?? parseObject(response.text)?.['error'];
}

/** Returns the parameters of the `Bearer` challenge, which a proxy's `Basic` may precede; '' without one. */
function bearerChallenge({ headers }: HttpResponse): string {
  return /(?:^|,)\s*bearer\s(.*)$/is.exec(headers['www-authenticate'] ?? '')?.[1] ?? '';
}

/**
 * Redirects that a service may answer after it acted: 303 by definition, 302 by custom.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.4
 */
const MAY_HAVE_ACTED = [302, 303];

/** Statuses that are about one item; 200 comes with `success: false`. */
const ABOUT_THE_ITEM = [200, 400, 409, 411, 414, 415, 422];

/** Refusals of what a request holds, in any body but a page. */
const FOR_CONTENT: readonly number[] = [400, 415, 422];

/** The endpoints that get items of a batch. */
const HAS_ITEMS: readonly EndpointName[] = ['uploadFit', 'wellness', 'nutrition'];

/**
 * Number of runs in which the service responds to one item with 500, or with a refusal without a reason, and accepts
 * others, after which the item is `rejected`: it no longer looks like an outage.
 */
export const ENOUGH_FAULTS = 3;

/** Returns whether the service itself failed (500). A gateway's 502 to 504 do not concern the item. */
export function isServiceFault({ code, details }: SyncError): boolean {
  return code === 'SERVICE_UNAVAILABLE' && details['status'] === 500;
}

/** Returns the reason as a sentence. @param item such as "this recording", "this day" */
export function faultMessage(item: string, count: number, error?: SyncError): string {
  const what =
    error !== undefined && isUnexplained(error)
      ? `refused ${item} without a reason in ${count} runs (${String(error.details['status'])})`
      : `failed on ${item} in ${count} runs (500)`;
  return `the platform ${what}, and took others meanwhile; what is in it may be more than it can store.`;
}

/** The report of a rejected item shows no hint, so that the message has the next step. */
function tooLargeMessage(name: EndpointName, reason: string | undefined): string {
  const status = reason === undefined ? '413' : `413, ${reason}`;
  return name === 'uploadFit'
    ? `The recording is too large for the platform (${status}): upload it on the platform's website, or ask its support to raise the limit.`
    : `The record is too large for the platform (${status}): send fewer fields.`;
}

/** Returns the scope that a refusal names. If it mentions scopes and names none, returns `required`. */
export function missingScope(
  response: HttpResponse,
  required: string | undefined,
): string | undefined {
  const body = isJsonObject(response) ? refusalMessage(response) : '';
  const reason = asksForScope(response) ? `scope ${bearerChallenge(response)} ${body}` : body;
  return (
    /[a-z_]+:(?:read|write)/.exec(reason)?.[0] ?? (/scope/i.test(reason) ? required : undefined)
  );
}
