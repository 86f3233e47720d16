import { html } from 'hono/html';
import { PLATFORM_NAMES, PLATFORM_NOTES } from '../settings.ts';
import { describeScope, scopeWords } from '../oauth/scopes.ts';
import { counted, type ChartHtml } from './chart.ts';
import { actionButton, hidden, localTime, PAGE_PATH, section } from './parts.ts';
import type { ListedLogin, PageView } from './view.ts';

/** Faults that developers need most, one button each. */
const PRESETS: readonly { spec: string; label: string }[] = [
  { spec: 'upload-fit:503', label: 'Next upload fails' },
  { spec: 'upload-fit:reset-after', label: 'Next upload is stored, its answer lost' },
  { spec: 'any:429(retry-after=2)', label: 'Next request is throttled' },
  { spec: 'refresh:400(error=invalid_grant)', label: 'Next refresh is refused' },
  { spec: 'any:delay=500ms*inf', label: 'Every answer takes 0.5 s' },
  { spec: 'any:503*inf', label: 'Outage' },
];

/** Renders the faults that wait for requests. */
function activeFaults({ faults, token }: PageView): ChartHtml {
  return html`<div id="active-faults" data-part>
    ${
      faults.length === 0
        ? html`<p class="sub">No active fault: every request gets its normal answer.</p>`
        : html`<ul class="rows">
              ${faults.map(
                ({ spec, skipLeft, hitsLeft }, index) =>
                  html`<li>
                    <span class="main"><code>${spec}</code></span>
                    <span class="sub">
                      ${hitsLeft === null ? 'every request' : `${counted(hitsLeft, 'request')} left`}${
                        skipLeft > 0 && `, after ${counted(skipLeft, 'more request')}`
                      }
                    </span>
                    ${actionButton({
                      id: `remove-fault-${index}`,
                      action: 'remove-fault',
                      token,
                      fields: { spec },
                      label: 'Remove',
                      about: `the fault ${spec}`,
                    })}
                  </li>`,
              )}
            </ul>
            ${actionButton({ id: 'clear-faults', action: 'clear-faults', token, label: 'Remove all faults' })}`
    }
  </div>`;
}

/** Renders the faults with buttons to add some. Only the list of active faults is replaced. */
export function faultsSection(view: PageView): ChartHtml {
  const { token } = view;
  return html`<section id="faults" aria-labelledby="faults-title">
    <h2 id="faults-title" tabindex="-1">Faults</h2>
    ${activeFaults(view)}
    <div class="presets row">
      ${PRESETS.map(({ spec, label }, index) =>
        actionButton({
          id: `preset-${index}`,
          action: 'add-fault',
          token,
          fields: { spec },
          label,
        }),
      )}
    </div>
    <form method="post" action="${PAGE_PATH}/add-fault" class="inline">
      ${hidden({ token })}
      <label for="fault-spec">Another fault</label>
      <input
        id="fault-spec"
        name="spec"
        required
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        placeholder="ROUTE:KIND*COUNT+SKIP"
        aria-describedby="fault-help"
      />
      <button id="add-fault">Add</button>
      <p id="fault-help" class="sub">
        Such as <code>nutrition:504(after)</code> or <code>wellness:truncate+3</code>.
      </p>
    </form>
  </section>`;
}

/** Renders the logins of all athletes with buttons to end them. */
export function loginsSection(view: PageView): ChartHtml {
  const { logins } = view;
  return section(
    'logins',
    'Logins',
    logins.length === 0
      ? html`<p class="sub">No logins yet. To log in, type <code>sync login</code>.</p>`
      : html`<ul class="rows">
          ${logins.map((each) => loginRow(each, view))}
        </ul>`,
  );
}

function loginRow(
  { athlete, state, valid }: ListedLogin,
  { athlete: { timezone }, token }: PageView,
): ChartHtml {
  const scopes = scopeWords(state.scope);
  const time = localTime(Date.parse(state.createdAt), timezone);
  const whose = `of ${athlete}, ${time}`;
  const button = (action: string, label: string, about: string, fields: Record<string, string>) =>
    actionButton({
      id: `${action}-${fields['kind'] ?? 'login'}-${state.id}`,
      action,
      token,
      fields: { login: state.id, ...fields },
      label,
      about,
    });
  return html`<li>
    <span class="main"
      ><span class="outside">${athlete}</span> ${stateBadge(state.revoked, valid)}</span
    >
    <span class="sub">
      ${time} · ${state.clientId} ·
      <abbr title="${scopes.map(describeScope).join(', ')}"
        >${counted(scopes.length, 'scope')}</abbr
      >
    </span>
    ${
      !state.revoked &&
      html`<span class="row">
        ${valid.has('access') && button('expire', 'Expire access token', whose, { kind: 'access' })}
        ${valid.has('refresh') && button('expire', 'Expire refresh token', whose, { kind: 'refresh' })}
        ${button('revoke', 'Revoke', `the login ${whose}`, {})}
      </span>`
    }
  </li>`;
}

function stateBadge(revoked: boolean, valid: ReadonlySet<string>): ChartHtml {
  if (revoked) return html`<span class="badge bad">revoked</span>`;
  if (valid.has('access')) return html`<span class="badge good">active</span>`;
  return valid.has('refresh')
    ? html`<span class="badge warn">needs a refresh</span>`
    : html`<span class="badge bad">expired</span>`;
}

/** Renders the kinds of platform with a button to switch to each. */
export function platformSection({ settings, token }: PageView): ChartHtml {
  return section(
    'platform',
    'Kind of platform',
    html`<ul class="rows">
      ${PLATFORM_NAMES.map((name) => {
        const current = name === settings.platform;
        return html`<li ${current ? 'aria-current=true' : ''}>
          <span class="main">
            ${name} ${current && html`<span class="badge good">current</span>`}
          </span>
          <span class="sub">${PLATFORM_NOTES[name]}</span>
          ${
            !current &&
            actionButton({
              id: `platform-${name}`,
              action: 'platform',
              token,
              fields: { platform: name },
              label: 'Switch',
              about: `to ${name}`,
            })
          }
        </li>`;
      })}
    </ul>`,
  );
}
