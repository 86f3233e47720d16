import { html } from 'hono/html';
import type { Html } from '../oauth/consent-page.ts';
import type { ActiveFault, RequestRecord } from '../types.ts';
import { counted } from './chart.ts';
import type { PageView } from './view.ts';

export const PAGE_PATH = '/_sandbox/page';

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Renders the newest requests; each leads to all that the log has of it. */
export function requestsPart({ requests }: PageView): Html {
  return html`<p><span id="live" class="badge">not live</span></p>
    <ol id="request-list" class="requests scroll">
      ${
        requests.length === 0 &&
        html`<li class="sub">No requests yet. They appear here as they arrive.</li>`
      }
      ${requests.map(requestItem)}
    </ol>`;
}

function requestItem(request: RequestRecord): Html {
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

/** Faults that developers need most, and what each does. */
const COMMON_FAULTS: Readonly<Record<string, string>> = {
  'upload-fit:503': 'the next upload fails',
  'upload-fit:reset-after': 'the next upload is stored, its answer lost',
  'any:429(retry-after=2)': 'the next request is throttled',
  'refresh:400(error=invalid_grant)': 'the next refresh is refused',
  'any:delay=500ms*inf': 'every answer takes 0.5 s',
  'any:503*inf': 'outage',
};

/** Renders a switch for each active fault, and for each common one. */
export function faultsPart({ faults }: PageView): Html {
  const idle = Object.keys(COMMON_FAULTS)
    .filter((spec) => !faults.some((fault) => fault.spec === spec))
    .map((spec) => ({ spec, skipLeft: 0, hitsLeft: 0 }));
  return html`<ul class="cards">
    ${[...faults, ...idle].map(faultSwitch)}
  </ul>`;
}

function faultSwitch({ spec, skipLeft, hitsLeft }: ActiveFault): Html {
  const words = [
    COMMON_FAULTS[spec],
    hitsLeft !== 0 &&
      (hitsLeft === null ? 'every request' : `${counted(hitsLeft, 'request')} left`),
    skipLeft > 0 && `after ${counted(skipLeft, 'more request')}`,
  ];
  return html`<li class="row">
    <button id="fault-${spec}" role="switch" aria-checked="${String(hitsLeft !== 0)}">
      ${spec}
    </button>
    <span class="sub">${words.filter(Boolean).join(', ')}</span>
  </li>`;
}

/** A field for any fault. The script does not replace it: a typed text stays. */
export const FAULT_FORM = html`<form class="row">
    <label for="fault-spec">Another fault</label>
    <input id="fault-spec" required spellcheck="false" placeholder="ROUTE:KIND*COUNT+SKIP" />
    <button>Add</button>
  </form>
  <p id="notice" role="status"></p>`;
