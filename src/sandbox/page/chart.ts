import { html } from 'hono/html';

/** HTML whose values are escaped. */
export type Html = ReturnType<typeof html>;

/** The limits of a chart's vertical axis. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Returns the data of an SVG path in a box of 1000 by 100; a null interrupts the line. */
export function linePath(values: readonly (number | null)[], range: Range): string {
  return runsOf(values, range)
    .map((run) => `M${run.map(([x, y]) => `${x} ${y}`).join('L')}`)
    .join('');
}

/** Like {@link linePath}, filled down to the lower edge. */
export function areaPath(values: readonly (number | null)[], range: Range): string {
  return runsOf(values, range)
    .map((run) => {
      const first = run[0]?.[0] ?? 0;
      const last = run.at(-1)?.[0] ?? 0;
      return `M${first} 100L${run.map(([x, y]) => `${x} ${y}`).join('L')}L${last} 100Z`;
    })
    .join('');
}

/** Returns the points of each stretch without a gap, with one decimal place. */
function runsOf(values: readonly (number | null)[], { low, high }: Range): [number, number][][] {
  const runs: [number, number][][] = [];
  let open = false;
  values.forEach((value, index) => {
    if (value === null) {
      open = false;
      return;
    }
    const point: [number, number] = [
      round((index / Math.max(1, values.length - 1)) * 1000),
      round(100 - ((value - low) / Math.max(high - low, 1e-9)) * 100),
    ];
    if (open) runs.at(-1)?.push(point);
    else runs.push([point]);
    open = true;
  });
  return runs;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Draws paths of the box that fill their parent, with lines of the same width in both directions. */
export function stretched(paths: Html): Html {
  return html`<svg
    viewBox="0 0 1000 100"
    preserveAspectRatio="none"
    width="100%"
    height="100%"
    aria-hidden="true"
  >
    ${paths}
  </svg>`;
}

/** Steps of a time axis (s). */
const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400];

/** Draws the times below a chart, at most six. */
export function timeAxis(seconds: number): Html {
  const step = STEPS.find((each) => seconds / each <= 5.5) ?? Math.ceil(seconds / 5);
  const times = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
  return html`<svg class="axis" width="100%" height="18" aria-hidden="true">
    ${times
      .filter((time) => time === 0 || time / seconds < 0.96)
      .map(
        (time) =>
          html`<text
            x="${percent(time / seconds)}"
            y="13"
            text-anchor="${time === 0 ? 'start' : 'middle'}"
          >
            ${tick(time)}
          </text>`,
      )}
  </svg>`;
}

/** `0`, `30 min`, `1:30 h` */
function tick(seconds: number): string {
  if (seconds === 0) return '0';
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')} h`;
}

/** `1:05:00`, `45:00` */
export function clockTime(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const two = (part: number) => String(part).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(rest)}` : `${hours}:${two(minutes)}:${two(rest)}`;
}

export function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

const formats = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat('en', { maximumFractionDigits: digits }),
);

/** Formats a number with a comma between thousands. */
export function figure(value: number, digits: 0 | 1 | 2 = 0): string {
  return (formats[digits] ?? new Intl.NumberFormat('en')).format(value);
}

/** `1 item`, `2 items` */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}
