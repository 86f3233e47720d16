import { html } from 'hono/html';
import type { RequestRecord } from '../types.ts';
import { counted, type ChartHtml } from './chart.ts';
import { addressOf, type PageView } from './view.ts';

export const PAGE_PATH = '/_sandbox/page';
/** Name of the field of the page's forms that carries the token. */
export const TOKEN_FIELD = 'token';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
/** Longest text of an opened request (characters). */
const SHOWN = 100_000;

/** Renders the newest requests; the selected one with all that the log has of it. */
export function requestsPart(view: PageView): ChartHtml {
  const { requests } = view;
  return html`<p><span id="live" class="badge">not live</span></p>
    <ol id="request-list" class="requests scroll">
      ${
        requests.length === 0 &&
        html`<li class="sub">No requests yet. They appear here as they arrive.</li>`
      }
      ${requests.map((each) => requestItem(each, view))}
    </ol>`;
}

function requestItem(request: RequestRecord, view: PageView): ChartHtml {
  const { ordinal, method, path, status, durationMs, athlete, faults, receivedAt } = request;
  const { opened } = view;
  // The most interesting members are first.
  const { body, parts, answer } = opened ?? {};
  const isOpen = ordinal === opened?.ordinal;
  const state = status === null ? 'warn' : status >= 400 ? 'bad' : 'good';
  const notes = [
    CLOCK.format(Date.parse(receivedAt)),
    athlete,
    durationMs !== null && `${durationMs.toFixed(0)} ms`,
    ...faults.map((spec) => `fault ${spec}`),
  ];
  return html`<li>
    <a
      id="request-${ordinal}"
      href="${addressOf(view, isOpen ? undefined : ordinal)}"
      aria-expanded="${isOpen}"
    >
      <span class="badge ${state}">${status ?? '…'}</span>
      <span class="path outside"><b>${method}</b> ${path}</span>
      <span class="notes sub outside">${notes.filter(Boolean).join(' · ')}</span>
    </a>
    ${
      isOpen &&
      html`<pre id="request-${ordinal}-all" class="outside" tabindex="0">
${JSON.stringify(Object.assign({ body, parts, answer }, opened), null, 2).slice(0, SHOWN)}</pre>`
    }
  </li>`;
}

/** Faults that developers need most, a switch each. */
const PRESETS: readonly { spec: string; label: string }[] = [
  { spec: 'upload-fit:503', label: 'Next upload fails' },
  { spec: 'upload-fit:reset-after', label: 'Next upload is stored, its answer lost' },
  { spec: 'any:429(retry-after=2)', label: 'Next request is throttled' },
  { spec: 'refresh:400(error=invalid_grant)', label: 'Next refresh is refused' },
  { spec: 'any:delay=500ms*inf', label: 'Every answer takes 0.5 s' },
  { spec: 'any:503*inf', label: 'Outage' },
];

/** Renders the active faults, each with a button to remove it, and buttons to add one. */
export function faultsPart({ faults, token }: PageView): ChartHtml {
  const active = new Set(faults.map(({ spec }) => spec));
  return html`${faults.length === 0 && html`<p class="sub">No active fault.</p>`}
    <ul class="rows">
      ${faults.map(
        ({ spec, skipLeft, hitsLeft }) =>
          html`<li class="row">
            <code class="outside">${spec}</code>
            <span class="sub">
              ${hitsLeft === null ? 'every request' : `${counted(hitsLeft, 'request')} left`}${
                skipLeft > 0 && `, after ${counted(skipLeft, 'more request')}`
              }
            </span>
            ${faultButton('remove-fault', spec, token, html`Remove<span class="unseen"> the fault ${spec}</span>`)}
          </li>`,
      )}
    </ul>
    <div class="row">
      ${PRESETS.filter(({ spec }) => !active.has(spec)).map(({ spec, label }) =>
        faultButton('add-fault', spec, token, label),
      )}
    </div>`;
}

/** Renders a field for any fault. The script does not replace it: a typed text stays. */
export function faultForm(token: string): ChartHtml {
  return html`<form method="post" action="${PAGE_PATH}/add-fault" class="row">
    <input type="hidden" name="${TOKEN_FIELD}" value="${token}" />
    <label for="fault-spec">Another fault</label>
    <input
      id="fault-spec"
      name="spec"
      required
      autocomplete="off"
      spellcheck="false"
      placeholder="ROUTE:KIND*COUNT+SKIP"
    />
    <button id="add-fault">Add</button>
  </form>`;
}

function faultButton(action: string, spec: string, token: string, label: string | ChartHtml) {
  return html`<form method="post" action="${PAGE_PATH}/${action}">
    <input type="hidden" name="${TOKEN_FIELD}" value="${token}" />
    <input type="hidden" name="spec" value="${spec}" />
    <button id="${action}-${spec}">${label}</button>
  </form>`;
}
