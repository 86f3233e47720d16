import { html } from 'hono/html';
import { formatIn } from '../resources/dates.ts';
import type { ChartHtml } from './chart.ts';
import type { PageView } from './view.ts';

export const PAGE_PATH = '/_sandbox/page';

/** Renders a part of the page that the script replaces when its data changes. */
export function section(id: string, title: string, content: ChartHtml): ChartHtml {
  return html`<section id="${id}" aria-labelledby="${id}-title" data-part>
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    ${content}
  </section>`;
}

/** Renders a table that the keyboard can scroll. Names from outside occur in its cells. */
export function table(
  id: string,
  label: string,
  columns: readonly { readonly label: string; readonly unit?: string }[],
  rows: readonly (readonly string[])[],
): ChartHtml {
  return html`<div id="${id}" class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map(
            (each) => html`<th scope="col">${each.label} <small>${each.unit ?? ''}</small></th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = '', ...cells]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${cells.map((cell) => html`<td><bdi>${cell}</bdi></td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Renders a button that changes the sandbox's state. */
export function actionButton(options: {
  /** Unique in the page: the focus returns to it when its part is replaced. */
  readonly id: string;
  readonly action: string;
  readonly token: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly label: string;
  /** Text for screen readers, if the label alone is ambiguous. */
  readonly about?: string;
}): ChartHtml {
  const { id, action, token, fields = {}, label, about } = options;
  return html`<form method="post" action="${PAGE_PATH}/${action}">
    ${hidden({ token, ...fields })}
    <button id="${id}">
      ${label}${about !== undefined && html`<span class="unseen"> ${about}</span>`}
    </button>
  </form>`;
}

export function hidden(fields: Readonly<Record<string, string>>): ChartHtml[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** `Sat 14 Nov, 07:10`, in the athlete's time zone */
export function localTime(millis: number, timeZone: string): string {
  return formatIn(timeZone, { ...DAY, hour: '2-digit', minute: '2-digit' }).format(millis);
}

/** `Sat 14 Nov`, of a plain day */
export function dayName(date: string): string {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(midnight) ? date : formatIn('UTC', DAY).format(midnight);
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

export function addressOf(
  { athlete, selected, opened }: PageView,
  change: { readonly recording?: string; readonly request?: string },
): string {
  const query = new URLSearchParams({
    athlete: athlete.id,
    recording: selected?.state.sha256 ?? '',
    request: String(opened?.ordinal ?? ''),
    ...change,
  });
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  return `/?${query.toString()}`;
}
