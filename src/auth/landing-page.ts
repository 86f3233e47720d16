import { createHash } from 'node:crypto';
import { type CommandLine, type Text, renderText, sync, withHint } from '../base/phrase.ts';

/**
 * The content of a page of the callback server. No field may contain a token, a code or a state.
 */
export interface LandingPage {
  readonly mood: 'good' | 'bad' | 'neutral';
  readonly title: string;
  /** Paragraphs; commands to type are in backticks. */
  readonly text: readonly Text[];
  readonly command?: CommandLine | undefined;
  readonly status: number;
}

export function loggedInPage(who: string | undefined, missing: readonly string[]): LandingPage {
  return {
    mood: 'good',
    title: who === undefined ? 'You are logged in' : `You are logged in as ${who}`,
    text: [
      'The login is stored on your computer. You can close this window and go back to the terminal.',
      ...(missing.length === 0
        ? []
        : [`You did not grant all scopes, so this will not work: ${missing.join(', ')}.`]),
    ],
    status: 200,
  };
}

export function deniedPage(): LandingPage {
  return {
    mood: 'neutral',
    title: 'You denied the login',
    text: [
      'Nothing was changed on your computer. To approve the login after all, type in the terminal:',
    ],
    command: sync('login'),
    status: 200,
  };
}

/** @param message the error message that the terminal shows. */
export function failedPage(message: string, hint: Text | undefined): LandingPage {
  return {
    mood: 'bad',
    title: 'The login failed',
    text: [...withHint({ message, hint }), 'To try again, type in the terminal:'],
    command: sync('login'),
    status: 400,
  };
}

export function refusedPage(why: string): LandingPage {
  return {
    mood: 'bad',
    title: 'This is not the answer to your login',
    text: [
      why,
      'It was ignored. If a login is still waiting in the terminal, ' +
        'complete it in the browser window that it opened.',
    ],
    status: 400,
  };
}

export function alreadyAnsweredPage(): LandingPage {
  return {
    mood: 'neutral',
    title: 'This login already has an answer',
    text: ['Nothing was changed. The terminal shows the outcome.'],
    status: 409,
  };
}

export function stillWorkingPage(): LandingPage {
  return {
    mood: 'neutral',
    title: 'Still working on it',
    text: ['The platform is slow to answer. The terminal will show the outcome.'],
    status: 200,
  };
}

export function nothingHerePage(what: string, status: number): LandingPage {
  return { mood: 'neutral', title: 'Nothing here', text: [what], status };
}

const STYLE = `
:root { color-scheme: light dark; --paper: #f6f5f2; --card: #fff; --ink: #1c1e21; --soft: #5c626b;
  --line: #e4e2dc; --good: #1f7a4d; --bad: #b3372f; --neutral: #6b6f76; --code: #f0eee9; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --card: #1d2025; --ink: #eceef1; --soft: #a4abb5; --line: #2e323a;
    --good: #55c28a; --bad: #f0837a; --neutral: #a4abb5; --code: #282c33; }
}
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2.5rem 2.25rem 2.25rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; }
svg { width: 2.75rem; height: 2.75rem; display: block; margin-bottom: 1.25rem; }
.good svg { color: var(--good); } .bad svg { color: var(--bad); } .neutral svg { color: var(--neutral); }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere; }
p { margin-top: .875rem; color: var(--soft); overflow-wrap: anywhere; }
code { padding: .1em .35em; border-radius: .35rem; background: var(--code); color: var(--ink);
  font: .92em/1.4 ui-monospace, Menlo, Consolas, monospace; }
main > code { display: block; margin-top: .75rem; padding: .7rem .9rem; border-radius: .5rem; }
footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .85rem;
  color: var(--soft); }
`;

/** Removes the used code and state from the address bar and the history. */
const SCRIPT = "history.replaceState(null, '', location.pathname)";

const ICONS: Record<LandingPage['mood'], string> = {
  good: '<path d="m14.5 24.5 6.5 6.5 13-14"/>',
  bad: '<path d="m17 17 14 14M31 17 17 31"/>',
  neutral: '<path d="M24 15v11M24 32v.5"/>',
};

/**
 * The headers of each page. It loads nothing, runs only its own script, must not be framed or
 * cached, and sends no referrer: the address contains the code until it is used.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src '${cspHash(STYLE)}'; script-src '${cspHash(SCRIPT)}'; ` +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
};

/** @param profile the profile that the page's commands name */
export function renderPage(page: LandingPage, profile: string | undefined): string {
  const title = escape(page.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main class="${page.mood}">
<svg viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" \
stroke-linejoin="round" aria-hidden="true"><circle cx="24" cy="24" r="21"/>${ICONS[page.mood]}</svg>
<h1>${title}</h1>
${page.text.map((paragraph) => `<p>${withCode(escape(renderText(paragraph, profile)))}</p>`).join('\n')}
${page.command === undefined ? '' : withCode(escape(page.command.render(profile)))}
<footer>athlete-sync on this computer</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function withCode(html: string): string {
  return html.replace(/`([^`]+)`/g, '<code>$1</code>');
}

function cspHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
