import { html } from 'hono/html';

/** HTML whose values are escaped. */
export type ChartHtml = ReturnType<typeof html>;

/** A series of values at equal distances. */
export interface ChartLine {
  readonly unit: string;
  /** null without a value, which interrupts the line. */
  readonly values: readonly (number | null)[];
  readonly low: number;
  readonly high: number;
  /** Decimal places below the pointer. */
  readonly digits: 0 | 1;
  readonly words: string;
  /** A colour of page.css. */
  readonly colour: string;
}

/** Draws a line that fills its parent. The page's script shows the value below the pointer. */
export function drawing(
  { unit, values, low, high, digits, words, colour }: ChartLine,
  marks: 'area' | 'dots',
  data: Readonly<Record<'seconds' | 'days', string | null>>,
): ChartHtml {
  const runs = runsOf(values, low, high);
  const line = runs.map((run) => `M${run.join('L')}`).join('');
  return html`<div
    class="drawing"
    role="img"
    aria-label="${words}"
    data-values="${values.map((value) => value?.toFixed(digits) ?? '').join(',')}"
    data-unit="${unit}"
    data-seconds="${data.seconds ?? ''}"
    data-days="${data.days ?? ''}"
  >
    <svg
      viewBox="0 0 1000 100"
      preserveAspectRatio="none"
      width="100%"
      height="100%"
      color="var(--${colour})"
      aria-hidden="true"
    >
      ${marks === 'area' && html`<path class="area" d="${runs.map(areaOf).join('')}" />`}
      <path class="line" d="${line}" />
      ${
        marks === 'dots' &&
        html`<path
          class="dots"
          d="${runs
            .flat()
            .map((point) => `M${point}h0`)
            .join('')}"
        />`
      }
      <line class="cursor" visibility="hidden" y1="0" y2="100" />
    </svg>
  </div>`;
}

/** Returns the points of each stretch without a gap, in a box of 1000 by 100. */
function runsOf(values: ChartLine['values'], low: number, high: number): string[][] {
  const runs: string[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) {
      runs.push([]);
      return;
    }
    const x = values.length === 1 ? 500 : (index / (values.length - 1)) * 1000;
    const y = 100 - ((value - low) / Math.max(high - low, 1e-9)) * 100;
    runs.at(-1)?.push(`${x.toFixed(1)} ${y.toFixed(1)}`);
  });
  return runs.filter((run) => run.length > 0);
}

function areaOf(run: readonly string[]): string {
  const edge = (point = '') => `${point.split(' ', 1).join('')} 100`;
  return `M${edge(run[0])}L${run.join('L')}L${edge(run.at(-1))}Z`;
}

/** Steps of a time axis (s). */
const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400];

/** Draws the times below a chart, at most six. */
export function timeAxis(seconds: number): ChartHtml {
  const step = STEPS.find((each) => seconds / each <= 5.5) ?? Math.ceil(seconds / 5);
  const count = Math.ceil((seconds * 0.96) / step) || 1;
  const times = Array.from({ length: count }, (_, index) => index * step);
  return axis(times.map((time) => ({ part: time / seconds || 0, words: clockTime(time) })));
}

/** Draws words at parts of the width. */
export function axis(
  ticks: readonly { readonly part: number; readonly words: string }[],
): ChartHtml {
  const anchor = (part: number) => (part === 0 ? 'start' : part === 1 ? 'end' : 'middle');
  return html`<svg class="axis" width="100%" height="18" aria-hidden="true">
    ${ticks.map(
      ({ part, words }) =>
        html`<text x="${percent(part)}" y="13" text-anchor="${anchor(part)}">${words}</text>`,
    )}
  </svg>`;
}

/** `1:05:00`, `45:00` */
export function clockTime(seconds: number): string {
  const text = new Date(Math.round(seconds) * 1000).toISOString().slice(14, 19);
  const hours = Math.floor(Math.round(seconds) / 3600);
  return hours === 0 ? text.replace(/^0/, '') : `${hours}:${text}`;
}

export function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

const formats = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat('en', { maximumFractionDigits: digits }),
);

/** Formats a number with a comma between thousands. */
export function figure(value: number, digits: 0 | 1 | 2 = 0): string {
  return formats[digits]?.format(value) ?? String(value);
}

/** `1 item`, `2 items` */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}
