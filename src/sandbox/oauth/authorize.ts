import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { parseAuthorizationRequest, type AuthorizationRequest } from './authorization-request.ts';
import { consentPage, messagePage, pageHeaders } from './consent-page.ts';
import { scopesOf } from './scopes.ts';
import { SECRET_PREFIXES } from './grants.ts';
import { randomToken } from '../random.ts';
import { ROUTES } from '../http/routes.ts';
import { ApiProblem } from '../http/problem.ts';
import { isStrict } from '../interface.ts';
import type { SandboxEnv, World } from '../world.ts';

interface Pending {
  readonly request: AuthorizationRequest;
  /** Cookie of the browser that was shown the page. */
  readonly browser: string;
  readonly expiresAt: number;
  /** The redirect of the first answer. A double click gets it again, with the same code. */
  decided: string | null;
}

const BROWSER_COOKIE = 'sandbox_browser';
/** Lifetime of a consent page (ms). */
const PENDING_MS = 10 * 60 * 1000;
/** Consent pages held at most; the oldest are dropped. */
const PENDING_MAX = 1000;

/**
 * `GET /api/oauth/authorize` and the form of its consent page. Holds the requests that await the
 * athlete's answer.
 */
export class Consent {
  readonly #world: World;
  readonly #pending = new Map<string, Pending>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Shows the consent page, or approves at once with the setting `autoApprove`. */
  show(c: Context<SandboxEnv>): Response | Promise<Response> {
    return orRefusal(c, () => this.#show(c));
  }

  #show(c: Context<SandboxEnv>): Response | Promise<Response> {
    const world = this.#world;
    const request = parseAuthorizationRequest(new URL(c.req.url).searchParams, world);
    const { autoApprove, autoApproveAthlete } = world.settings.current;
    if (isStrict(world.settings.current)) refuseUnknown(world, request);
    if (autoApprove) {
      const athleteId = autoApproveAthlete ?? world.athletes.first().id;
      return c.redirect(approve(world, request, athleteId), 302);
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
    const id = this.#remember(request, browser);
    const page = consentPage(nonce, id, request, world.athletes.all());
    return c.html(page, 200, pageHeaders(nonce, request.redirectUri));
  }

  /** Takes the posted form. Only the browser that was shown the page may post it. */
  decide(c: Context<SandboxEnv>): Response | Promise<Response> {
    const world = this.#world;
    const body = c.get('body');
    const form = body.kind === 'form' ? body.fields : new URLSearchParams();
    const pending = this.#pending.get(form.get('request') ?? '');
    if (pending === undefined || pending.expiresAt <= world.now()) {
      return refusePage(
        c,
        400,
        'This page has expired',
        'Start the login again in the application.',
      );
    }
    if (pending.browser !== getCookie(c, BROWSER_COOKIE)) {
      return refusePage(
        c,
        403,
        'This answer did not come from the page',
        'Only the browser that opened the page can answer it. Start the login again.',
      );
    }
    return orRefusal(c, () =>
      c.redirect((pending.decided ??= decision(world, pending.request, form)), 303),
    );
  }

  /** @returns the ID of the request in the form */
  #remember(request: AuthorizationRequest, browser: string): string {
    const now = this.#world.now();
    for (const [id, { expiresAt }] of this.#pending) {
      if (expiresAt <= now || this.#pending.size >= PENDING_MAX) this.#pending.delete(id);
    }
    const id = randomToken(SECRET_PREFIXES.consent);
    this.#pending.set(id, { request, browser, expiresAt: now + PENDING_MS, decided: null });
    return id;
  }
}

/**
 * Returns the redirect for a posted form.
 * @throws Problem 400 for an invalid form, or for unknown scopes
 */
function decision(world: World, request: AuthorizationRequest, form: URLSearchParams): string {
  if (form.get('decision') === 'deny') {
    return redirectWith(request.redirectUri, {
      error: 'access_denied',
      error_description: 'The user denied the request.',
      ...stateOf(request),
    });
  }
  const athleteId = form.get('athlete') ?? '';
  if (form.get('decision') !== 'approve' || !world.athletes.has(athleteId)) {
    throw new ApiProblem(400, 'Choose an account, or deny the request.');
  }
  return approve(world, request, athleteId);
}

/**
 * Grants all requested scopes that the platform knows: the athlete cannot choose among them.
 * @returns the redirect with the code
 * @throws Problem 400, without a redirect, for an unknown scope
 */
function approve(world: World, request: AuthorizationRequest, athleteId: string): string {
  const { current } = world.settings;
  const known: readonly string[] = scopesOf(current.platform);
  if (current.platform === 'coach-watts') refuseUnknown(world, request);
  const { client, redirectUri, challenge, challengeMethod } = request;
  const limit: readonly string[] = current.grantScopes ?? known;
  const scopes = request.scopes.filter((scope) => known.includes(scope) && limit.includes(scope));
  const code = world.grants.issueCode({
    clientId: client.id,
    athleteId,
    scopes,
    redirectUri,
    challenge,
    challengeMethod,
  });
  return redirectWith(redirectUri, { code, ...stateOf(request) });
}

/** @throws Problem 400, without a redirect */
function refuseUnknown({ settings }: World, { scopes }: AuthorizationRequest): void {
  const known: readonly string[] = scopesOf(settings.current.platform);
  const unknown = scopes.filter((scope) => !known.includes(scope));
  if (unknown.length > 0) throw new ApiProblem(400, `Invalid scope: ${unknown.join(' ')}`);
}

function stateOf({ state }: AuthorizationRequest): { state?: string } {
  return state === null ? {} : { state };
}

/** Answers a login, or refuses it: a page for browsers and JSON for others. */
function orRefusal(
  c: Context<SandboxEnv>,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  try {
    return answer();
  } catch (error) {
    const page = c.req.header('accept')?.includes('text/html') ?? false;
    if (!(page && error instanceof ApiProblem && error.status === 400)) throw error;
    return refusePage(c, 400, 'This login failed', error.message);
  }
}

function redirectWith(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url.href;
}

function refusePage(
  c: Context<SandboxEnv>,
  status: 400 | 403,
  title: string,
  text: string,
): Response | Promise<Response> {
  const nonce = randomToken('');
  return c.html(messagePage({ nonce, title, text }), status, pageHeaders(nonce, null));
}
