import type { Context, Handler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import {
  parseAuthorizationRequest,
  RequestError,
  UnsafeRequest,
  type AuthorizationRequest,
} from './authorization-request.ts';
import { consentPage, messagePage, pageHeaders } from './consent-page.ts';
import { randomToken } from './random.ts';
import { pathOf } from './routes.ts';
import type { Scope } from './scopes.ts';
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
      return c.redirect(approve(world, request, athleteId, request.scopes), 302);
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
    return showPage(c, world, id, request, null);
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
    pending.decided ??= decision(world, pending.request, form);
    if (pending.decided !== null) return c.redirect(pending.decided, 303);
    return showPage(
      c,
      world,
      id,
      pending.request,
      'Choose an account and at least one permission, or deny the request.',
    );
  };

  return { show, decide };
}

/** Where the answer leads; null when the form is not a full answer. */
function decision(
  world: World,
  request: AuthorizationRequest,
  form: URLSearchParams,
): string | null {
  if (form.get('decision') === 'deny') {
    return redirectWith(request.redirectUri, {
      error: 'access_denied',
      error_description: 'The athlete denied the request',
      state: request.state,
    });
  }
  const chosen = request.scopes.filter((scope) => form.getAll('scope').includes(scope));
  const athleteId = form.get('athlete') ?? '';
  if (form.get('decision') !== 'approve' || chosen.length === 0 || !world.athletes.has(athleteId)) {
    return null;
  }
  return approve(world, request, athleteId, chosen);
}

function approve(
  world: World,
  request: AuthorizationRequest,
  athleteId: string,
  chosen: readonly Scope[],
): string {
  const { client, redirectUri, state, challenge } = request;
  const settings = world.settings.current;
  const scopes = chosen.filter((scope) => settings.grantScopes?.includes(scope) ?? true);
  const code = world.grants.issueCode(
    {
      clientId: client.id,
      athleteId,
      scopes,
      redirectUri,
      challenge,
      challengeMethod: 'S256',
    },
    settings,
  );
  return redirectWith(redirectUri, { code, state });
}

/** A page where nobody can be told, a redirect where the client can. */
function refuse(c: Context<SandboxEnv>, error: unknown): Response | Promise<Response> {
  if (error instanceof UnsafeRequest) {
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
  problem: string | null,
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
    problem,
  });
  return c.html(page, problem === null ? 200 : 400, pageHeaders(nonce, redirectUri));
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
