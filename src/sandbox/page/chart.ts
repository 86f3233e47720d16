import { html } from 'hono/html';
import type { Html } from '../oauth/consent-page.ts';
import { formatIn } from '../resources/dates.ts';

/** Values at equal distances, from `low` at the bottom to `high`; null interrupts the line. */
export interface Chart {
  readonly values: readonly (number | null)[];
  readonly low: number;
  readonly high: number;
  /** What a screen reader says. */
  readonly words: string;
}

/** Draws a chart that fills its parent, in the parent's colour. */
export function chart({ values, low, high, words }: Chart): Html {
  const runs: string[][] = [[]];
  values.forEach((value, index) => {
    const x = values.length === 1 ? 500 : (index / (values.length - 1)) * 1000;
    const y = 100 - ((Number(value) - low) / Math.max(high - low, 1e-9)) * 100;
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(`${x.toFixed(1)} ${y.toFixed(1)}`);
  });
  // A single value is a dot: a line of no length with a round cap.
  const line = runs.filter((run) => run.length > 0).map((run) => `M${run.join('L')}h0`);
  return html`<svg
    class="drawing"
    viewBox="0 0 1000 100"
    preserveAspectRatio="none"
    role="img"
    aria-label="${words}"
  >
    <path class="line" d="${line.join('')}" />
  </svg>`;
}

/** `1:05:00`, `45:00` */
export function clockTime(seconds: number): string {
  const text = new Date(Math.round(seconds) * 1000).toISOString().slice(14, 19);
  const hours = Math.floor(Math.round(seconds) / 3600);
  return hours === 0 ? text.replace(/^0/, '') : `${hours}:${text}`;
}

/** Formats a number with a comma between thousands. */
export function figure(value: number, digits: 0 | 1 | 2 = 0): string {
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** `1 item`, `2 items` */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** `Sat, 14 Nov 2026, 07:10`, in the athlete's time zone */
export function localTime(millis: number, timeZone: string): string {
  return formatIn(timeZone, { ...DAY, hour: '2-digit', minute: '2-digit' }).format(millis);
}

/** `Sat, 14 Nov 2026`, of a plain day */
export function dayName(date: string): string {
  return formatIn('UTC', DAY).format(Date.parse(date));
}
