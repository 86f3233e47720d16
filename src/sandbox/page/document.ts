import { html } from 'hono/html';
import { exportLine } from '../export-line.ts';
import { PUBLIC_CLIENT_ID } from '../oauth/clients.ts';
import { type Html, pageHeaders, sandboxDocument } from '../oauth/consent-page.ts';
import { counted } from './chart.ts';
import { FAULT_FORM, faultsPart, PAGE_PATH, requestsPart } from './controls.ts';
import { nutritionPart, wellnessPart } from './days.ts';
import { recordingsPart } from './recordings.ts';
import type { PageView } from './view.ts';

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
export function renderDocument(view: PageView, nonce: string): Html {
  const { origin, settings, athlete, faults } = view;
  const head = html`<link rel="stylesheet" href="${PAGE_PATH}/page.css" nonce="${nonce}" />
    <script src="${PAGE_PATH}/page.js" nonce="${nonce}" type="module"></script>`;
  const body = html`<header class="row">
      <h1>Sandbox platform</h1>
      <p id="summary" class="row" data-part>
        <span class="badge">${settings.platform}</span>
        ${
          faults.length > 0 &&
          html`<a id="to-faults" class="badge bad" href="#faults"
            >${counted(faults.length, 'active fault')}</a
          >`
        }
      </p>
      <code class="sub">${exportLine(origin, PUBLIC_CLIENT_ID)}</code>
    </header>
    ${athletesNav(view)}
    <main class="stack">
      <div class="stack">
        ${section('Recordings', recordingsPart(view))} ${section('Wellness', wellnessPart(view))}
        ${section('Nutrition', nutritionPart(view))}
      </div>
      <div class="stack">
        ${section('Requests', requestsPart(view))}
        ${section('Faults', faultsPart(view), FAULT_FORM)}
      </div>
    </main>`;
  return sandboxDocument(`${athlete.name} · Sandbox platform`, head, body);
}

/** Renders a section. The script replaces its part when the data changes, and keeps the rest. */
function section(title: string, part: Html, rest?: Html): Html {
  const id = title.toLowerCase();
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    <div id="${id}-part" data-part>${part}</div>
    ${rest}
  </section>`;
}

function athletesNav({ athletes, athlete }: PageView): Html {
  return html`<nav id="athletes" aria-label="Athletes" data-part>
    ${athletes.map(
      ({ athlete: each, recordings, wellness, nutrition }) =>
        html`<a
          id="athlete-${each.id}"
          href="/?athlete=${each.id}"
          ${each.id === athlete.id ? 'aria-current=page' : ''}
        >
          <span class="main outside">${each.name}</span>
          <span class="sub outside">
            ${each.timezone}: ${counted(recordings, 'recording')}, ${counted(wellness, 'day')} of
            wellness, ${counted(nutrition, 'day')} of nutrition
          </span>
        </a>`,
    )}
  </nav>`;
}
