import { getCookie, setCookie } from 'hono/cookie';
import { ApiProblem, DEFAULT_MESSAGE } from '../http/problem.ts';
import { isObject } from '../http/request-body.ts';
import { ROUTES } from '../http/routes.ts';
import type { Call, Platform } from '../platform.ts';
import { randomToken } from '../random.ts';
import { type AuthorizationRequest, parseAuthorizationRequest } from './authorization-request.ts';
import { consentPage, messagePage, pageHeaders } from './consent-page.ts';
import { SECRET_PREFIXES } from './grants.ts';

const BROWSER_COOKIE = 'sandbox_browser';
/** Lifetime of a consent page (ms). */
const PENDING_MS = 10 * 60 * 1000;
/** Consent pages held at most; the oldest are dropped. */
const PENDING_MAX = 1000;

/** `GET /api/oauth/authorize`: the consent page, or approval at once with the setting `autoApprove`. */
export function authorize(c: Call) {
  return orPage(c, () => {
    const { world, platform } = c.var;
    const request = parseAuthorizationRequest(new URL(c.req.url).searchParams, world);
    if (platform.refusesScopes === 'when asked') refuseUnknown(platform, request);
    const { autoApprove, autoApproveAthlete } = world.settings.current;
    if (autoApprove) {
      const athleteId = autoApproveAthlete ?? world.athletes.first().id;
      return c.redirect(approve(c, request, athleteId), 302);
    }
    const known = getCookie(c, BROWSER_COOKIE);
    const browser = known ?? randomToken(SECRET_PREFIXES.browser);
    if (known === undefined) {
      setCookie(c, BROWSER_COOKIE, browser, {
        path: ROUTES.consent[1],
        httpOnly: true,
        sameSite: 'Strict',
      });
    }
    const nonce = randomToken('');
    const id = remember(c, request, browser);
    const page = consentPage(nonce, id, request, world.athletes.all());
    return c.html(page, 200, pageHeaders(nonce, request.redirectUri));
  });
}

/** `POST /api/oauth/authorize`: the page's form. Only the browser that was shown the page may post it. */
export function decide(c: Call) {
  return orPage(c, () => {
    const { value } = c.var.body;
    const form = isObject(value) ? value : {};
    const field = (name: string) => (typeof form[name] === 'string' ? form[name] : '');
    const { pendingLogins, now } = c.var.world;
    const pending = pendingLogins.get(field('request'));
    if (pending === undefined || pending.expiresAt <= now()) {
      throw new ApiProblem(400, 'Start the login again in the application.', {
        statusMessage: 'This page has expired',
      });
    }
    if (pending.browser !== getCookie(c, BROWSER_COOKIE)) {
      throw new ApiProblem(
        403,
        'Only the browser that opened the page can answer it. Start the login again.',
        { statusMessage: 'This answer did not come from the page' },
      );
    }
    pending.decided ??= decision(c, pending.request, field('decision'), field('athlete'));
    return c.redirect(pending.decided, 303);
  });
}

/** @returns the ID of the request in the form */
function remember(c: Call, request: AuthorizationRequest, browser: string): string {
  const { pendingLogins, now } = c.var.world;
  for (const [id, { expiresAt }] of pendingLogins) {
    if (expiresAt <= now() || pendingLogins.size >= PENDING_MAX) pendingLogins.delete(id);
  }
  const id = randomToken(SECRET_PREFIXES.consent);
  pendingLogins.set(id, { request, browser, expiresAt: now() + PENDING_MS, decided: null });
  return id;
}

/**
 * Returns the redirect for a posted form.
 * @throws Problem 400 for an invalid form, or for unknown scopes
 */
function decision(
  c: Call,
  request: AuthorizationRequest,
  given: string,
  athleteId: string,
): string {
  if (given === 'deny') {
    return redirectTo(request, {
      error: 'access_denied',
      error_description: 'The user denied the request.',
    });
  }
  if (given !== 'approve' || !c.var.world.athletes.has(athleteId)) {
    throw new ApiProblem(400, 'Choose an account, or deny the request.');
  }
  return approve(c, request, athleteId);
}

/**
 * Grants all requested scopes that the platform knows: the athlete cannot choose among them.
 * @returns the redirect with the code
 * @throws Problem 400, without a redirect, for an unknown scope
 */
function approve(c: Call, request: AuthorizationRequest, athleteId: string): string {
  const { world, platform } = c.var;
  if (platform.refusesScopes === 'when approved') refuseUnknown(platform, request);
  const { client, redirectUri, challenge, challengeMethod } = request;
  const known: readonly string[] = platform.scopes;
  const limit: readonly string[] = world.settings.current.grantScopes ?? known;
  const scopes = request.scopes.filter((scope) => known.includes(scope) && limit.includes(scope));
  const login = { clientId: client.id, athleteId, scopes };
  const code = world.grants.issueCode({ ...login, redirectUri, challenge, challengeMethod });
  return redirectTo(request, { code });
}

/** @throws Problem 400, without a redirect */
function refuseUnknown(platform: Platform, { scopes }: AuthorizationRequest): void {
  const known: readonly string[] = platform.scopes;
  const unknown = scopes.filter((scope) => !known.includes(scope));
  if (unknown.length > 0) throw new ApiProblem(400, `Invalid scope: ${unknown.join(' ')}`);
}

function redirectTo(
  { redirectUri, state }: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  if (state !== null) url.searchParams.append('state', state);
  return url.href;
}

function titleOf({ statusMessage }: ApiProblem): string {
  return statusMessage === DEFAULT_MESSAGE ? 'This login failed' : statusMessage;
}

/** Answers a login, or refuses it: a page for browsers and JSON for others. */
function orPage(c: Call, answer: () => Response | Promise<Response>): Response | Promise<Response> {
  try {
    return answer();
  } catch (error) {
    const isBrowser = c.req.header('accept')?.includes('text/html') ?? false;
    if (!isBrowser || !(error instanceof ApiProblem)) throw error;
    const nonce = randomToken('');
    const page = messagePage(nonce, titleOf(error), error.message);
    return c.html(page, error.status as 400 | 403, pageHeaders(nonce, null));
  }
}
