import { html } from 'hono/html';
import type { RequestRecord } from '../types.ts';
import { counted, type ChartHtml } from './chart.ts';
import type { PageView } from './view.ts';

export const PAGE_PATH = '/_sandbox/page';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Renders the newest requests; each leads to all that the log has of it. */
export function requestsPart({ requests }: PageView): ChartHtml {
  return html`<p><span id="live" class="badge">not live</span></p>
    <ol id="request-list" class="requests scroll">
      ${
        requests.length === 0 &&
        html`<li class="sub">No requests yet. They appear here as they arrive.</li>`
      }
      ${requests.map(requestItem)}
    </ol>`;
}

function requestItem(request: RequestRecord): ChartHtml {
  const { ordinal, method, path, status, durationMs, athlete, faults, receivedAt } = request;
  const state = status === null ? 'warn' : status >= 400 ? 'bad' : 'good';
  const notes = [
    CLOCK.format(Date.parse(receivedAt)),
    athlete,
    durationMs !== null && `${durationMs.toFixed(0)} ms`,
    ...faults.map((spec) => `fault ${spec}`),
  ];
  return html`<li>
    <a id="request-${ordinal}" href="/_sandbox/requests/${ordinal}?pretty">
      <span class="badge ${state}">${status ?? '…'}</span>
      <span class="path outside"><b>${method}</b> ${path}</span>
      <span class="notes sub outside">${notes.filter(Boolean).join(' · ')}</span>
    </a>
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
export function faultsPart({ faults }: PageView): ChartHtml {
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
            <button id="remove-${spec}" data-remove="${spec}">
              Remove<span class="unseen"> the fault ${spec}</span>
            </button>
          </li>`,
      )}
    </ul>
    <div class="row">
      ${PRESETS.filter(({ spec }) => !active.has(spec)).map(
        ({ spec, label }) => html`<button id="add-${spec}" data-add="${spec}">${label}</button>`,
      )}
    </div>`;
}

/** A field for any fault. The script does not replace it: a typed text stays. */
export const FAULT_FORM = html`<form class="row">
  <label for="fault-spec">Another fault</label>
  <input
    id="fault-spec"
    required
    autocomplete="off"
    spellcheck="false"
    placeholder="ROUTE:KIND*COUNT+SKIP"
  />
  <button>Add</button>
</form>`;
