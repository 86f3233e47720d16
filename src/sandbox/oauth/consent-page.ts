import { html, raw } from 'hono/html';
import { type AthleteProfile, initials } from '../resources/athletes.ts';
import type { RegisteredClient } from './clients.ts';
import { ICON } from '../icon.ts';
import { describeScope } from './scopes.ts';

type Html = ReturnType<typeof html>;

export interface ConsentPageOptions {
  readonly nonce: string;
  readonly action: string;
  readonly requestId: string;
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly athletes: readonly AthleteProfile[];
}

/**
 * Returns the headers of a consent page: no external resources, no framing, no caching.
 * `form-action` must include the redirect URI, since browsers apply it to redirects too.
 */
export function pageHeaders(nonce: string, redirectUri: string | null): Record<string, string> {
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
    // With no-referrer, browsers would also hide the origin of the page's own form.
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
export function consentPage(options: ConsentPageOptions): Html {
  const { client, redirectUri, athletes, scopes } = options;
  return document(
    options.nonce,
    `${client.name} asks for access`,
    html`
      <h1>Allow <strong>${client.name}</strong> to use your account?</h1>
      <p class="lead">
        Its client ID is <code>${client.id}</code>. Your answer goes to
        <code>${new URL(redirectUri).host}</code>.
      </p>
      <form method="post" action="${options.action}">
        <input type="hidden" name="request" value="${options.requestId}" />
        <div class="columns">
          <fieldset>
            <legend>Account</legend>
            ${athletes.map((athlete, index) => athleteChoice(athlete, index === 0))}
          </fieldset>
          <fieldset>
            <legend>Permissions</legend>
            ${scopes.map(scopeLine)}
            <p class="hint">You grant all of them or none.</p>
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
export function messagePage(options: { nonce: string; title: string; text: string }): Html {
  return document(
    options.nonce,
    options.title,
    html`<h1>${options.title}</h1>
      <p class="lead">${options.text}</p>
      <p class="hint">Nothing was granted. You can close this page.</p>`,
  );
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
    <span class="initials" aria-hidden="true">${initials(athlete.name)}</span>
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
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · sandbox</title>
        <link rel="icon" href="${ICON}" />
        <style nonce="${nonce}">
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <main>
          <p class="brand"><span class="mark" aria-hidden="true"></span>Sandbox platform</p>
          ${content}
        </main>
        <footer>This is a sandbox on your own computer. No real account is involved.</footer>
      </body>
    </html>`;
}

/**
 * Text keeps a contrast of at least 4.5:1 in both colour schemes (WCAG 2.2, 1.4.3). The buttons stay
 * at the lower edge of the window, and the focus never scrolls behind them (2.4.11).
 */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f0; --card: #ffffff; --line: #d3dad7; --text: #17211d; --soft: #55635d;
  --accent: #0b6b4b; --accent-strong: #085339; --on-accent: #ffffff; --tint: #e6f2ed;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1513; --card: #18201d; --line: #33403a; --text: #e8efec; --soft: #a2b2ab;
    --accent: #5fd0a3; --accent-strong: #86e0bc; --on-accent: #06251a; --tint: #1d2d27;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-bottom: 5rem; }
body {
  margin: 0; min-height: 100vh; padding: clamp(.5rem, 3vh, 3rem) 1rem .75rem; display: grid; align-content: start;
  justify-items: center; gap: .75rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main {
  width: 100%; max-width: 32rem; padding: clamp(1rem, 3vh, 2rem) clamp(1rem, 5vw, 2rem); background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem;
}
main:has(.columns) { max-width: 46rem; padding-bottom: 0; }
.brand {
  margin: 0 0 .75rem; display: flex; align-items: center; gap: .5rem;
  color: var(--soft); font-size: .875rem; font-weight: 600;
}
.mark { width: .75rem; height: .75rem; border-radius: 50%; background: var(--accent); }
h1 { margin: 0 0 .25rem; font-size: 1.375rem; line-height: 1.25; font-weight: 500; text-wrap: balance; }
h1 strong { font-weight: 700; }
.lead { margin: 0 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
code { font: .875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem 1.5rem; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.choice {
  display: flex; align-items: center; gap: .75rem; padding: .3125rem .75rem; min-height: 2.75rem;
  border: 1px solid var(--line); border-bottom-width: 0;
}
legend + .choice { border-radius: .625rem .625rem 0 0; }
.choice:not(:has(+ .choice)) { border-bottom-width: 1px; border-radius: 0 0 .625rem .625rem; }
legend + .choice:not(:has(+ .choice)) { border-radius: .625rem; }
label.choice { cursor: pointer; }
label.choice:hover, .choice:has([type="radio"]:checked) { background: var(--tint); }
.choice > span { min-width: 0; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.initials {
  flex: none; width: 2.25rem; height: 2.25rem; display: grid; place-items: center; border-radius: 50%;
  background: var(--accent); color: var(--on-accent); font-size: .8125rem; font-weight: 700;
}
.main { display: block; }
.main, .sub { line-height: 1.35; }
.sub { display: block; color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
.hint { margin: .5rem 0 0; color: var(--soft); font-size: .875rem; }
.actions {
  position: sticky; bottom: 0; display: flex; gap: .75rem; margin-top: .25rem; padding: .75rem 0;
  background: var(--card);
}
button {
  flex: 1 1 0; min-height: 2.75rem; padding: .5rem; border-radius: .625rem;
  border: 1px solid var(--line); background: transparent; color: var(--text);
  font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--tint); }
.approve { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.approve:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { color: var(--soft); font-size: .8125rem; text-align: center; }
@media (forced-colors: active) { .initials, .mark { border: 1px solid; } }
`;
