import style from '../page/page.css?raw';
import { html, raw } from 'hono/html';
import type { AuthorizationRequest } from './authorization-request.ts';
import { ROUTES } from '../http/routes.ts';
import { describeScope } from './scopes.ts';
import type { AthleteProfile } from '../types.ts';

/** HTML whose values are escaped. */
export type Html = ReturnType<typeof html>;

/** Icon of the sandbox's pages: a green dot. Without one, browsers request `/favicon.ico`. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='%230b6b4b'/%3E%3C/svg%3E";

/**
 * Returns the headers of a consent page: no external resources, no framing, no caching.
 * `form-action` must include the redirect URI, since browsers apply it to redirects too.
 */
export function pageHeaders(nonce: string, redirectUri: string | null) {
  const target = redirectUri === null ? '' : ` ${formTarget(redirectUri)}`;
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      'img-src data:',
      `form-action 'self'${target}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // With no-referrer, browsers would also hide the origin of the page's own forms.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}

/** CSP has no syntax for IPv6 literals, so these are allowed by scheme. */
function formTarget(redirectUri: string): string {
  const { origin, protocol, hostname } = new URL(redirectUri);
  return hostname.startsWith('[') ? protocol : origin;
}

/** Renders client, accounts and permissions, to approve or deny. No script. */
export function consentPage(
  nonce: string,
  requestId: string,
  { client, redirectUri, scopes }: AuthorizationRequest,
  athletes: readonly AthleteProfile[],
): Html {
  return document(
    nonce,
    `${client.name} asks for access`,
    html`
      <h1>Allow <strong>${client.name}</strong> to use your account?</h1>
      <p class="lead">
        ${client.isRegistered === true ? 'This is a Dynamically registered MCP client. ' : ''}Its
        client ID is <code>${client.id}</code>. Your answer goes to
        <code>${new URL(redirectUri).host}</code>.
      </p>
      <form method="post" action="${ROUTES.consent[1]}">
        <input type="hidden" name="request" value="${requestId}" />
        <div class="columns">
          <fieldset>
            <legend>Account</legend>
            ${athletes.map((athlete, index) => athleteChoice(athlete, index === 0))}
          </fieldset>
          <fieldset>
            <legend>Permissions</legend>
            ${scopes.map(scopeLine)}
            <p class="sub">You grant all of them or none.</p>
          </fieldset>
        </div>
        <div class="actions">
          <button class="approve" name="decision" value="approve">Approve</button>
          <button class="deny" name="decision" value="deny">Deny</button>
        </div>
      </form>
    `,
  );
}

/** Renders a page that explains why a login failed. */
export function messagePage(nonce: string, title: string, text: string): Html {
  const content = html`<h1>${title}</h1>
    <p class="lead">${text}</p>
    <p class="sub">Nothing was granted. You can close this page.</p>`;
  return document(nonce, title, content);
}

function athleteChoice(athlete: AthleteProfile, checked: boolean): Html {
  const id = `account-${athlete.id}`;
  return html`<label class="choice" for="${id}">
    <input
      type="radio"
      name="athlete"
      id="${id}"
      value="${athlete.id}"
      ${checked ? 'checked' : ''}
    />
    <span>
      <span class="main">${athlete.name}</span>
      <span class="sub">${athlete.email}</span>
    </span>
  </label>`;
}

function scopeLine(scope: string): Html {
  return html`<div class="choice">
    <span>
      <span class="main">${describeScope(scope)}</span>
      <code class="sub">${scope}</code>
    </span>
  </div>`;
}

function document(nonce: string, title: string, content: Html): Html {
  const head = html`<style nonce="${nonce}">
    ${raw(style + STYLE)}
  </style>`;
  const body = html`<main>
    <p class="brand">Sandbox platform</p>
    ${content}
  </main>`;
  return sandboxDocument(`${title} · sandbox`, head, body);
}

/** Renders a whole document of the sandbox. */
export function sandboxDocument(title: string, head: Html, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${ICON}" />
        ${head}
      </head>
      <body>
        ${body}
        <footer>This is a sandbox on your own computer. No real account is involved.</footer>
      </body>
    </html>`;
}

/**
 * Rules beside those of the sandbox's page. The buttons stay at the lower edge of the window, and the
 * focus never scrolls behind them (WCAG 2.2, 2.4.11).
 */
const STYLE = `
html { scroll-padding-bottom: 5rem; }
body { display: grid; align-content: start; justify-items: center; gap: .75rem; }
main {
  display: block; width: 100%; max-width: 32rem; padding: clamp(1rem, 3vh, 2rem) clamp(1rem, 5vw, 2rem);
  border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
}
main:has(.columns) { max-width: 46rem; padding-bottom: 0; }
.brand { margin-bottom: .75rem; color: var(--soft); font-weight: 600; }
h1 { display: block; margin-bottom: .25rem; font-weight: 500; text-wrap: balance; }
.lead, legend, .brand { font-size: .9375rem; }
.lead { margin-bottom: 1rem; color: var(--soft); overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem 1.5rem; }
fieldset { padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.choice {
  display: flex; align-items: center; gap: .75rem; padding: .3125rem .75rem; min-height: 2.75rem;
  border: 1px solid var(--line);
}
.choice + .choice { border-top: 0; }
label.choice { cursor: pointer; }
label.choice:hover, .choice:has([type="radio"]:checked) { background: var(--tint); }
.choice > span { min-width: 0; line-height: 1.35; }
.choice input { flex: none; min-height: 0; width: 1.125rem; height: 1.125rem; accent-color: var(--accent); }
.sub { display: block; overflow-wrap: anywhere; }
p.sub { margin-top: .5rem; }
.actions { position: sticky; bottom: 0; display: flex; gap: .75rem; padding: .75rem 0; background: var(--card); }
.actions button { flex: 1 1 0; min-height: 2.75rem; font-size: 1rem; }
.actions .approve { background: var(--accent); color: var(--on-accent); }
`;
