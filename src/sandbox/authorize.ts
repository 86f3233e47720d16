import type { Context, Handler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import {
  parseAuthorizationRequest,
  RequestError,
  unknownScopesOf,
  type AuthorizationRequest,
} from './authorization-request.ts';
import { consentPage, messagePage, pageHeaders } from './consent-page.ts';
import { randomToken } from './random.ts';
import { pathOf } from './routes.ts';
import { Problem } from './problem.ts';
import type { SandboxEnv, World } from './world.ts';

interface Pending {
  readonly request: AuthorizationRequest;
  /** The cookie of the browser that was shown the page: no other may answer it. */
  readonly browser: string;
  readonly expiresAt: number;
  /** Where the answer led. A double click is sent there again, with the same code. */
  decided: string | null;
}

const BROWSER_COOKIE = 'sandbox_browser';
const PENDING_MS = 10 * 60 * 1000;
const PENDING_MAX = 1000;

/** `GET /api/oauth/authorize` and the form of its page, which remembers requests between the two. */
export function authorization(world: World): {
  show: Handler<SandboxEnv>;
  decide: Handler<SandboxEnv>;
} {
  const waiting = new Map<string, Pending>();

  const show: Handler<SandboxEnv> = (c) => {
    let request: AuthorizationRequest;
    try {
      request = parseAuthorizationRequest(new URL(c.req.url).searchParams, world);
    } catch (error) {
      return refuse(c, error);
    }
    const { autoApprove, autoApproveAthlete } = world.settings.current;
    if (autoApprove) {
      const athleteId = autoApproveAthlete ?? world.athletes.first().id;
      return answer(c, () => approve(world, request, athleteId), 302);
    }
    const id = randomToken('consent_');
    const known = getCookie(c, BROWSER_COOKIE);
    const browser = known ?? randomToken('');
    if (known === undefined) {
      setCookie(c, BROWSER_COOKIE, browser, {
        path: pathOf('consent'),
        httpOnly: true,
        sameSite: 'Strict',
      });
    }
    forgetOld(waiting, world.now());
    waiting.set(id, { request, browser, expiresAt: world.now() + PENDING_MS, decided: null });
    return showPage(c, world, id, request);
  };

  const decide: Handler<SandboxEnv> = (c) => {
    const body = c.get('body');
    const form = body.kind === 'form' ? body.fields : new URLSearchParams();
    const id = form.get('request') ?? '';
    const pending = waiting.get(id);
    if (pending === undefined || pending.expiresAt <= world.now()) {
      return refusePage(
        c,
        400,
        'This page is out of date',
        'Start the login again in the application.',
      );
    }
    if (pending.browser !== getCookie(c, BROWSER_COOKIE) || isForeign(c)) {
      return refusePage(
        c,
        403,
        'This answer did not come from the page',
        'Only the browser that was shown the question can answer it. Start the login again.',
      );
    }
    return answer(c, () => (pending.decided ??= decision(world, pending.request, form)), 303);
  };

  return { show, decide };
}

/**
 * Where the answer leads.
 * @throws Problem 400 for a form that is no answer, or whose scopes the service does not know
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
    throw new Problem(400, 'Choose an account, or deny the request.');
  }
  return approve(world, request, athleteId);
}

/**
 * Grants all that was asked for: scopes cannot be chosen one by one.
 * @throws Problem 400, without a redirect, for a scope that this service does not know
 */
function approve(world: World, request: AuthorizationRequest, athleteId: string): string {
  const unknown = unknownScopesOf(request, world);
  if (unknown.length > 0) throw new Problem(400, `Invalid scope: ${unknown.join(' ')}`);
  const { client, redirectUri, challenge, challengeMethod } = request;
  const settings = world.settings.current;
  const limit: readonly string[] | null = settings.grantScopes;
  const scopes = request.scopes.filter((scope) => limit?.includes(scope) ?? true);
  const code = world.grants.issueCode(
    {
      clientId: client.id,
      athleteId,
      scopes,
      redirectUri,
      challenge,
      challengeMethod,
    },
    settings,
  );
  return redirectWith(redirectUri, { code, ...stateOf(request) });
}

function stateOf({ state }: AuthorizationRequest): { state?: string } {
  return state === null ? {} : { state };
}

/** Redirects to where the answer leads. */
function answer(
  c: Context<SandboxEnv>,
  decide: () => string,
  status: 302 | 303,
): Response | Promise<Response> {
  try {
    return c.redirect(decide(), status);
  } catch (error) {
    return refuse(c, error);
  }
}

/** Without a redirect: a page for browsers, JSON for others. */
function refuse(c: Context<SandboxEnv>, error: unknown): Response | Promise<Response> {
  if (error instanceof Problem && error.status === 400) {
    const page = c.req.header('accept')?.includes('text/html') ?? false;
    if (!page) throw error;
    return refusePage(c, 400, 'This login cannot go on', error.message);
  }
  if (!(error instanceof RequestError)) throw error;
  const parameters = {
    error: error.code,
    error_description: error.message,
    ...(error.state === null ? {} : { state: error.state }),
  };
  return c.redirect(redirectWith(error.redirectUri, parameters), 302);
}

function redirectWith(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  return url.href;
}

function showPage(
  c: Context<SandboxEnv>,
  world: World,
  id: string,
  { client, redirectUri, scopes }: AuthorizationRequest,
): Response | Promise<Response> {
  const nonce = randomToken('');
  const page = consentPage({
    nonce,
    action: pathOf('consent'),
    requestId: id,
    client,
    redirectUri,
    scopes,
    athletes: world.athletes.all(),
  });
  return c.html(page, 200, pageHeaders(nonce, redirectUri));
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

/** Browsers say where a form was: a form of another site may not answer for the athlete. */
function isForeign(c: Context<SandboxEnv>): boolean {
  const origin = c.req.header('origin');
  return origin !== undefined && origin !== new URL(c.req.url).origin;
}

function forgetOld(waiting: Map<string, Pending>, now: number): void {
  for (const [id, pending] of waiting) {
    if (pending.expiresAt <= now || waiting.size >= PENDING_MAX) waiting.delete(id);
  }
}
