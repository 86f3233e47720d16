import { html } from 'hono/html';
import { counted, drawing, figure, type ChartHtml } from './chart.ts';
import { dayName, section, table } from './parts.ts';
import type { PageView } from './view.ts';
import type { DailyState } from '../types.ts';

/** How a field is shown; `factor` converts it to the unit. */
type Measure = readonly [
  field: string,
  label: string,
  unit: string,
  digits: 0 | 1,
  factor?: number,
];

const HOURS = ['h', 1, 1 / 3600] as const;

const MAIN: readonly Measure[] = [
  ['restingHr', 'Resting heart rate', 'bpm', 0],
  ['hrv', 'HRV', 'ms', 0],
  ['sleepSecs', 'Sleep', ...HOURS],
  ['weight', 'Weight', 'kg', 1],
  ['vo2max', 'VO2max', 'ml/kg/min', 1],
  ['sleepScore', 'Sleep score', '', 0],
  ['steps', 'Steps', '', 0],
  ['readiness', 'Readiness', '', 0],
  ['stress', 'Stress', '/10', 0],
  ['spO2', 'SpO2', '%', 0],
];

const FURTHER: readonly Measure[] = [
  ['respiration', 'Respiration', '/min', 1],
  ['bodyFat', 'Body fat', '%', 1],
  ['avgSleepingHr', 'Sleeping heart rate', 'bpm', 0],
  ['sleepDeepSecs', 'Deep sleep', ...HOURS],
  ['sleepRemSecs', 'REM sleep', ...HOURS],
  ['sleepLightSecs', 'Light sleep', ...HOURS],
  ['sleepAwakeSecs', 'Awake', ...HOURS],
  ['sleepHours', 'Sleep (sleepHours)', 'h', 1],
  ['exerciseMinutes', 'Exercise', 'min', 0],
  ['restingCaloriesBurned', 'Resting energy', 'kcal', 0],
  ['activeCaloriesBurned', 'Active energy', 'kcal', 0],
  ['totalCaloriesBurned', 'Total energy', 'kcal', 0],
  ['mood', 'Mood', '/10', 0],
  ['motivation', 'Motivation', '/10', 0],
  ['fatigue', 'Fatigue', '/10', 0],
  ['soreness', 'Soreness', '/10', 0],
  ['sleepQuality', 'Sleep quality', '/10', 0],
  ['skinTemp', 'Skin temperature, from the own', '°C', 1],
];

/** Renders a trend of each wellness field with values, and the numbers as a table. */
export function wellnessSection({ wellness }: PageView): ChartHtml {
  const { main, further } = measuresOf(wellness);
  const trends = (measures: readonly Measure[]) =>
    html`<div class="trends">${measures.map((measure) => trend(measure, wellness))}</div>`;
  return section(
    'wellness',
    'Wellness',
    wellness.length === 0
      ? html`<p class="sub">
          No wellness yet. To send some, type
          <code>sync push wellness morning.json</code>.
        </p>`
      : html`<p class="sub">
            ${dayName(wellness[0]?.date ?? '')} to ${dayName(wellness.at(-1)?.date ?? '')}
          </p>
          ${trends(main)}
          ${
            further.length > 0 &&
            html`<details id="wellness-further">
              <summary id="wellness-further-summary">
                ${counted(further.length, 'more field')}
              </summary>
              ${trends(further)}
            </details>`
          }
          <details id="wellness-numbers">
            <summary id="wellness-numbers-summary">All numbers as a table</summary>
            ${numbers([...main, ...further], wellness)}
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
  const known = (measures: readonly Measure[]) => measures.filter(([field]) => found.delete(field));
  return {
    main: known(MAIN),
    further: [...known(FURTHER), ...[...found].map((field): Measure => [field, field, '', 1])],
  };
}

function valueOf(day: DailyState | null, [field, , , , factor = 1]: Measure): number | null {
  const value = day?.record[field];
  return typeof value === 'number' ? value * factor : null;
}

function trend(measure: Measure, days: readonly DailyState[]): ChartHtml {
  const [, label, unit, digits] = measure;
  const slots = calendar(days);
  const values = slots.map((day) => valueOf(day, measure));
  const found = values.filter((value) => value !== null);
  const low = Math.min(...found);
  const high = Math.max(...found);
  const margin = (high - low || Math.abs(high) || 1) * 0.15;
  const [lowest, highest, latest] = [low, high, found.at(-1) ?? 0].map((value) =>
    figure(value, digits),
  );
  const words = `${label}: ${counted(found.length, 'day')}, lowest ${lowest ?? ''}, highest ${highest ?? ''}, latest ${latest ?? ''} ${unit}`;
  const line = {
    unit,
    values,
    digits,
    words,
    colour: 'accent',
    low: low - margin,
    high: high + margin,
  };
  const names = slots.map((day) => (day === null ? '' : dayName(day.date))).join(',');
  return html`<figure class="chart trend">
    <figcaption>
      <span class="sub">${label}</span>
      <span class="value">${latest} <small>${unit}</small></span>
    </figcaption>
    ${drawing(line, 'dots', { seconds: null, days: names })}
    <p class="sub">
      <span class="readout" aria-hidden="true"></span> <span>${lowest} to ${highest}</span>
    </p>
  </figure>`;
}

const DAY_MS = 86_400_000;
/** Longest span that is drawn to scale (days). */
const SPAN = 60;

/** Returns the days in order with null for each missing one, if the span is short. */
function calendar(days: readonly DailyState[]): (DailyState | null)[] {
  const at = (day?: DailyState) => Date.parse(`${day?.date ?? ''}T00:00:00Z`) / DAY_MS;
  const span = at(days.at(-1)) - at(days[0]);
  if (!(span < SPAN)) return [...days];
  const slots = Array.from({ length: span + 1 }, (): DailyState | null => null);
  for (const day of days) slots[at(day) - at(days[0])] = day;
  return slots;
}

function numbers(measures: readonly Measure[], days: readonly DailyState[]): ChartHtml {
  const cell = (day: DailyState, measure: Measure) => {
    const value = valueOf(day, measure);
    return value === null ? '' : figure(value, measure[3]);
  };
  return table(
    'wellness-table',
    'Wellness numbers',
    [
      { label: 'Day' },
      ...measures.map(([, label, unit]) => ({ label, unit })),
      { label: 'Received' },
    ],
    [...days]
      .reverse()
      .map((day) => [
        day.date,
        ...measures.map((measure) => cell(day, measure)),
        `${day.receivedCount}×`,
      ]),
  );
}
