import { html } from 'hono/html';
import type { DailyState } from '../resources/daily-records.ts';
import { counted, figure, linePath, percent, stretched, type Html } from './chart.ts';
import { dayName, section } from './parts.ts';
import type { PageView } from './view.ts';

/** How a field is shown. */
interface Measure {
  readonly field: string;
  readonly label: string;
  readonly unit: string;
  readonly digits: 0 | 1 | 2;
  /** Factor to the unit. */
  readonly factor?: number;
}

const HOURS = { unit: 'h', digits: 1, factor: 1 / 3600 } as const;
const KCAL = { unit: 'kcal', digits: 0 } as const;
const SCORE = { unit: '', digits: 0 } as const;

/** Measures that are always visible. */
const MAIN: readonly Measure[] = [
  { field: 'restingHr', label: 'Resting heart rate', unit: 'bpm', digits: 0 },
  { field: 'hrv', label: 'HRV', unit: 'ms', digits: 0 },
  { field: 'sleepSecs', label: 'Sleep', ...HOURS },
  { field: 'weight', label: 'Weight', unit: 'kg', digits: 1 },
  { field: 'vo2max', label: 'VO2max', unit: 'ml/kg/min', digits: 1 },
  { field: 'sleepScore', label: 'Sleep score', ...SCORE },
  { field: 'steps', label: 'Steps', unit: '', digits: 0 },
  { field: 'readiness', label: 'Readiness', ...SCORE },
  { field: 'stress', label: 'Stress', ...SCORE },
  { field: 'spO2', label: 'SpO2', unit: '%', digits: 0 },
];

const FURTHER: readonly Measure[] = [
  { field: 'respiration', label: 'Respiration', unit: '/min', digits: 1 },
  { field: 'bodyFat', label: 'Body fat', unit: '%', digits: 1 },
  { field: 'avgSleepingHr', label: 'Sleeping heart rate', unit: 'bpm', digits: 0 },
  { field: 'sleepDeepSecs', label: 'Deep sleep', ...HOURS },
  { field: 'sleepRemSecs', label: 'REM sleep', ...HOURS },
  { field: 'sleepLightSecs', label: 'Light sleep', ...HOURS },
  { field: 'sleepAwakeSecs', label: 'Awake', ...HOURS },
  { field: 'sleepHours', label: 'Sleep (sleepHours)', unit: 'h', digits: 1 },
  { field: 'exerciseMinutes', label: 'Exercise', unit: 'min', digits: 0 },
  { field: 'restingCaloriesBurned', label: 'Resting energy', ...KCAL },
  { field: 'activeCaloriesBurned', label: 'Active energy', ...KCAL },
  { field: 'totalCaloriesBurned', label: 'Total energy', ...KCAL },
  { field: 'mood', label: 'Mood', ...SCORE },
  { field: 'motivation', label: 'Motivation', ...SCORE },
  { field: 'fatigue', label: 'Fatigue', ...SCORE },
  { field: 'soreness', label: 'Soreness', ...SCORE },
];

/** Renders a trend of each wellness field with values, and the numbers as a table. */
export function wellnessSection({ wellness }: PageView): Html {
  const { main, further } = measuresOf(wellness);
  const first = wellness[0]?.date ?? '';
  const last = wellness.at(-1)?.date ?? '';
  return section(
    'wellness',
    'Wellness',
    wellness.length === 0
      ? html`<p class="empty">
          No wellness yet. To send some, type
          <code>sync push wellness morning.json</code>.
        </p>`
      : html`<p class="hint">${dayName(first)} to ${dayName(last)}</p>
          <div class="trends">${main.map((measure) => trend(measure, wellness))}</div>
          ${
            further.length > 0 &&
            html`<details id="wellness-further">
              <summary id="wellness-further-summary">
                ${counted(further.length, 'more field')}
              </summary>
              <div class="trends">${further.map((measure) => trend(measure, wellness))}</div>
            </details>`
          }
          <details id="wellness-numbers">
            <summary id="wellness-numbers-summary">All numbers as a table</summary>
            <div
              id="wellness-table"
              class="scroll"
              tabindex="0"
              role="region"
              aria-label="Wellness numbers"
            >
              ${table([...main, ...further], wellness)}
            </div>
          </details>`,
  );
}

/** Returns the measures with a number; a field without a label is shown under its own name. */
function measuresOf(days: readonly DailyState[]) {
  const found = new Set(
    days.flatMap(({ record }) =>
      Object.keys(record).filter((field) => typeof record[field] === 'number'),
    ),
  );
  const isFound = ({ field }: Measure) => found.has(field);
  const labelled = [...MAIN, ...FURTHER];
  const others = [...found].filter((field) => !labelled.some((each) => each.field === field));
  return {
    main: MAIN.filter(isFound),
    further: [
      ...FURTHER.filter(isFound),
      ...others.map((field): Measure => ({ field, label: field, unit: '', digits: 1 })),
    ],
  };
}

function valueOf({ record }: DailyState, { field, factor = 1 }: Measure): number | null {
  const value = record[field];
  return typeof value === 'number' ? value * factor : null;
}

function trend(measure: Measure, days: readonly DailyState[]): Html {
  const { label, unit, digits } = measure;
  const values = calendar(days).map((day) => (day === null ? null : valueOf(day, measure)));
  const numbers = values.filter((value) => value !== null);
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const margin = (high - low || Math.abs(high) || 1) * 0.15;
  const range = { low: low - margin, high: high + margin };
  const latest = numbers.at(-1) ?? 0;
  const words = (value: number) => figure(value, digits);
  const last = values.length - 1;
  return html`<figure class="trend">
    <figcaption>
      <span class="sub">${label}</span>
      <span class="value">${words(latest)} <small>${unit}</small></span>
    </figcaption>
    <div
      class="drawing"
      role="img"
      aria-label="${label}: ${counted(numbers.length, 'day')}, lowest ${words(low)}, highest ${words(
        high,
      )}, latest ${words(latest)} ${unit}"
    >
      ${stretched(html`<path class="line" d="${linePath(values, range)}" />`)}
      <svg class="dots" width="100%" height="100%" aria-hidden="true">
        ${values.map(
          (value, index) =>
            value !== null &&
            html`<circle
              cx="${percent(last === 0 ? 0.5 : index / last)}"
              cy="${percent(1 - (value - range.low) / (range.high - range.low))}"
              r="2.5"
            >
              <title>${words(value)} ${unit}</title>
            </circle>`,
        )}
      </svg>
    </div>
    <p class="sub">${words(low)} to ${words(high)}</p>
  </figure>`;
}

const DAY_MS = 86_400_000;
/** Longest span that is drawn to scale (days). */
const SPAN = 60;

/** Returns the days in order with null for each missing one, if the span is short. */
function calendar(days: readonly DailyState[]): (DailyState | null)[] {
  const at = ({ date }: DailyState) => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const span = at(last) - at(first);
  if (!(span < SPAN)) return [...days];
  const slots = Array.from({ length: span + 1 }, (): DailyState | null => null);
  for (const day of days) slots[at(day) - at(first)] = day;
  return slots;
}

function table(measures: readonly Measure[], days: readonly DailyState[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Day</th>
        ${measures.map(
          ({ label, unit }) =>
            html`<th scope="col">${label}${unit !== '' && html` <small>${unit}</small>`}</th>`,
        )}
        <th scope="col">Received</th>
      </tr>
    </thead>
    <tbody>
      ${[...days].reverse().map(
        (day) =>
          html`<tr>
            <th scope="row">${day.date}</th>
            ${measures.map((measure) => {
              const value = valueOf(day, measure);
              return html`<td>${value === null ? '' : figure(value, measure.digits)}</td>`;
            })}
            <td>${day.receivedCount}×</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
