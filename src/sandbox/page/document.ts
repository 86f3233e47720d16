import { html } from 'hono/html';
import { initials } from '../resources/athletes.ts';
import { PUBLIC_CLIENT_ID } from '../oauth/clients.ts';
import { ICON, pageHeaders } from '../oauth/consent-page.ts';
import { counted, figure, type ChartHtml } from './chart.ts';
import { faultsSection, loginsSection, platformSection } from './control-sections.ts';
import { nutritionSection } from './nutrition-section.ts';
import { addressOf, PAGE_PATH } from './parts.ts';
import { recordingsSection } from './recordings-section.ts';
import type { PageView } from './view.ts';
import { wellnessSection } from './wellness-section.ts';
import type { RequestRecord } from '../types.ts';

/** Name of the field of the page's forms that carries the token. */
export const TOKEN_FIELD = 'token';

/**
 * Returns the headers of the page: those of the consent page, and no way for its script to turn text into
 * HTML.
 */
export function documentHeaders(nonce: string): Record<string, string> {
  const headers = pageHeaders(nonce, null);
  return {
    ...headers,
    'content-security-policy': [
      headers['content-security-policy'],
      `script-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'accept',
  };
}

/** Renders the page. `html` escapes every value, so also those from outside. */
export function renderDocument(view: PageView, nonce: string): ChartHtml {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${view.athlete.name} · Sandbox platform</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${PAGE_PATH}/page.css" nonce="${nonce}" />
        <script src="${PAGE_PATH}/page.js" nonce="${nonce}" type="module"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the data</a>
        ${banner(view)} ${sectionsNav()} ${athletesNav(view)}
        <main id="main" class="stack" tabindex="-1">
          <div class="stack">
            ${recordingsSection(view)} ${wellnessSection(view)} ${nutritionSection(view)}
          </div>
          <div class="stack">
            ${requestsSection(view)} ${faultsSection(view)} ${loginsSection(view)}
            ${platformSection(view)}
          </div>
        </main>
        <footer>This is a sandbox on your own computer. No real account is involved.</footer>
        <p id="notice" role="status"></p>
      </body>
    </html>`;
}

function banner({ origin, settings, faults }: PageView): ChartHtml {
  return html`<header class="banner row">
    <h1 class="row"><span class="mark" aria-hidden="true"></span>Sandbox platform</h1>
    <p id="summary" class="row" data-part>
      <a id="to-platform" class="badge" href="#platform">${settings.platform}</a>
      ${
        faults.length > 0 &&
        html`<a id="to-faults" class="badge bad" href="#faults"
          >${counted(faults.length, 'active fault')}</a
        >`
      }
    </p>
    <p class="address row">
      <code id="exports" class="sub"
        >export SYNC_BASE_URL=${origin} SYNC_CLIENT_ID=${PUBLIC_CLIENT_ID}</code
      >
      <button type="button" id="copy" hidden>Copy</button>
    </p>
  </header>`;
}

/** Links to the sections, for windows in which they lie below each other. */
function sectionsNav(): ChartHtml {
  const titles = [
    'Recordings',
    'Wellness',
    'Nutrition',
    'Requests',
    'Faults',
    'Logins',
    'Platform',
  ];
  return html`<nav class="sections row" aria-label="Sections">
    ${titles.map((title) => html`<a href="#${title.toLowerCase()}">${title}</a>`)}
  </nav>`;
}

function athletesNav({ athletes, athlete }: PageView): ChartHtml {
  return html`<nav id="athletes" aria-label="Athletes" data-part>
    <ul class="stack">
      ${athletes.map(
        ({ athlete: each, recordings, wellness, nutrition }) =>
          html`<li>
            <a
              id="athlete-${each.id}"
              href="/?athlete=${each.id}"
              ${each.id === athlete.id ? 'aria-current=page' : ''}
            >
              <span class="initials" aria-hidden="true">${initials(each.name)}</span>
              <span>
                <span class="main outside">${each.name}</span>
                <span class="sub outside">
                  ${each.timezone} · ${figure(each.weight, 1)} kg · FTP ${each.ftp} W
                </span>
                <span class="sub">
                  ${counted(recordings, 'recording')}, ${counted(wellness, 'day')} of wellness,
                  ${counted(nutrition, 'day')} of nutrition
                </span>
              </span>
            </a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

/** Renders the newest requests; the selected one with all that the log has of it. */
function requestsSection(view: PageView): ChartHtml {
  const { requests, requestCount } = view;
  return html`<section id="requests" aria-labelledby="requests-title">
    <div class="heading row">
      <h2 id="requests-title" tabindex="-1">Requests</h2>
      <span id="live" class="badge">not live</span>
      <button type="button" id="pause" aria-pressed="false" hidden>Pause</button>
    </div>
    <ol id="request-list" class="requests" data-part data-count="${requestCount}">
      ${
        requests.length === 0 &&
        html`<li class="sub">No requests yet. They appear here as they arrive.</li>`
      }
      ${requests.map((each) => requestItem(each, view))}
    </ol>
    <p id="announcer" class="unseen" role="status"></p>
  </section>`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
/** Longest text of an opened request (characters). */
const SHOWN = 100_000;

function requestItem(
  { ordinal, method, path, status, durationMs, size, faults, ...record }: RequestRecord,
  view: PageView,
): ChartHtml {
  const { opened } = view;
  // The most interesting members are first.
  const { body, parts, answer } = opened ?? {};
  const isOpen = ordinal === opened?.ordinal;
  const state = status === null ? 'warn' : status >= 400 ? 'bad' : 'good';
  const notes = [
    record.athlete,
    durationMs !== null && `${durationMs.toFixed(0)} ms`,
    size > 0 && counted(size, 'byte'),
    ...faults.map((spec) => `fault ${spec}`),
  ];
  return html`<li>
    <a
      id="request-${ordinal}"
      href="${addressOf(view, { request: isOpen ? '' : String(ordinal) })}"
      aria-expanded="${isOpen}"
    >
      <span class="badge ${state}">${status ?? '…'}</span>
      <span class="path outside"><b>${method}</b> ${path}</span>
      <span class="when sub">${CLOCK.format(Date.parse(record.receivedAt))}</span>
      <span class="notes sub outside">${notes.filter(Boolean).join(' · ')}</span>
    </a>
    ${
      isOpen &&
      html`<pre id="request-${ordinal}-all" class="outside" tabindex="0">
${JSON.stringify(Object.assign({ body, parts, answer }, opened), null, 2).slice(0, SHOWN)}</pre>
        <a id="request-${ordinal}-json" href="/_sandbox/requests/${ordinal}">Open as JSON</a>`
    }
  </li>`;
}
