import { html } from 'hono/html';
import { instantOf, localTimeOf } from '../resources/dates.ts';
import { dayOf } from '../resources/nutrition.ts';
import { MEALS, type StoredItem } from '../resources/nutrition-day.ts';
import { axis, counted, figure, percent, type ChartHtml } from './chart.ts';
import { dayName, section, table } from './parts.ts';
import type { PageView } from './view.ts';
import type { DailyState } from '../types.ts';

/** Shape of each absorption type: they differ without colour too. */
const SHAPES = [
  { type: 'RAPID', label: 'Rapid', colour: 'red', path: 'M0-6 5.5 4.5H-5.5Z' },
  { type: 'FAST', label: 'Fast', colour: 'orange', path: 'M0-6 6 0 0 6-6 0Z' },
  {
    type: 'BALANCED',
    label: 'Balanced',
    colour: 'green',
    path: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z',
  },
  { type: 'DENSE', label: 'Dense', colour: 'blue', path: 'M-4.5-4.5H4.5V4.5H-4.5Z' },
  {
    type: 'HYPER_LOAD',
    label: 'Hyper load',
    colour: 'purple',
    path: 'M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z',
  },
];
const OTHER = { type: 'other', label: 'Other', colour: 'soft', path: 'M-5-1.5H5V1.5H-5Z' };

/** Renders each day on a timeline of 24 hours in the athlete's time zone; it opens to a table. */
export function nutritionSection({ nutrition, athlete }: PageView): ChartHtml {
  return section(
    'nutrition',
    'Nutrition',
    nutrition.length === 0
      ? html`<p class="sub">
          No nutrition yet. To send some, type
          <code>sync push nutrition meals.json</code>.
        </p>`
      : html`<div class="row">
            ${SHAPES.map(
              ({ label, colour, path }) =>
                html`<span class="row">
                  <svg viewBox="-8 -8 16 16" width="16" height="16" aria-hidden="true">
                    <path fill="var(--${colour})" d="${path}" />
                  </svg>
                  ${label}
                </span>`,
            )}
            <span class="sub">Larger marks: more carbohydrate. Times of ${athlete.timezone}.</span>
          </div>
          <div class="days">
            <div class="hours">
              ${axis(HOURS.map((hour) => ({ part: hour / 24, words: String(hour).padStart(2, '0') })))}
            </div>
            ${[...nutrition].reverse().map((day) => dayRow(day, athlete.timezone))}
          </div>`,
  );
}

const HOURS = [0, 6, 12, 18, 24];

interface Eaten {
  readonly item: StoredItem;
  readonly meal: string;
  /** Part of the day that has passed, 0 to 1. */
  readonly part: number;
  /** `07:10`; with its day, if that is another one. */
  readonly time: string;
}

/** Height of a lane of marks (px). */
const LANE = 17;
const MAX_LANES = 4;
/** Distance of two marks in a lane, as a part of the day. */
const APART = 0.03;

/** Returns a lane for each item, so that marks of the same time lie side by side. */
function lanesOf(items: readonly Eaten[]): number[] {
  const ends: number[] = [];
  return items.map(({ part }) => {
    const free = ends.findIndex((end) => part - end >= APART);
    const lane = free === -1 ? Math.min(ends.length, MAX_LANES - 1) : free;
    ends[lane] = part;
    return lane;
  });
}

function dayRow(state: DailyState, timeZone: string): ChartHtml {
  const day = dayOf(state);
  const items = MEALS.flatMap((meal) =>
    day[meal].map((item) => eaten(item, meal, state.date, timeZone)),
  ).sort((a, b) => a.part - b.part);
  const lanes = lanesOf(items);
  const height = (Math.max(0, ...lanes) + 1) * LANE + 9;
  const macros = html`${macro(day.carbs, 'C', 'carbohydrate')} ${macro(day.protein, 'P', 'protein')}
  ${macro(day.fat, 'F', 'fat')}`;
  return html`<details id="nutrition-${state.date}" class="day">
    <summary id="nutrition-${state.date}-summary">
      <span class="name">${dayName(state.date)}</span>
      <svg
        class="timeline"
        width="100%"
        height="${height}"
        role="img"
        aria-label="${counted(items.length, 'item')}"
      >
        ${HOURS.map(
          (hour) =>
            html`<line
              class="hour"
              x1="${percent(hour / 24)}"
              x2="${percent(hour / 24)}"
              y1="0"
              y2="100%"
            />`,
        )}
        ${items.map((each, index) => mark(each, lanes[index] ?? 0))}
      </svg>
      <span class="totals">
        <strong>${figure(day.calories)} kcal</strong>
        <span class="sub">${macros}</span>
      </span>
    </summary>
    ${table(
      `nutrition-${state.date}-items`,
      `Items of ${state.date}`,
      [
        ...['Time', 'Item', 'Meal', 'Absorption'].map((label) => ({ label })),
        ...['Carbs', 'Protein', 'Fat'].map((label) => ({ label, unit: 'g' })),
        { label: 'Energy', unit: 'kcal' },
        { label: 'Source' },
      ],
      items.map(cellsOf),
    )}
  </details>`;
}

function macro(grams: number, letter: string, name: string): ChartHtml {
  return html`<span>${figure(grams)} g <abbr title="${name}">${letter}</abbr></span>`;
}

function eaten(item: StoredItem, meal: string, date: string, timeZone: string): Eaten {
  const at = instantOf(item.logged_at);
  const { day, minutes, time } = localTimeOf(at ?? Date.parse(`${date}T00:00:00Z`), timeZone);
  const part = day < date ? 0 : day > date ? 1 : minutes / 1440;
  return { item, meal, part, time: day === date ? time : `${time} on ${day}` };
}

function mark({ item, part, time }: Eaten, lane: number): ChartHtml {
  const shape = SHAPES.find(({ type }) => type === item.absorptionType) ?? OTHER;
  const size = 0.75 + Math.min(1, Math.sqrt((item.carbs ?? 0) / 100)) * 0.75;
  return html`<svg
    x="${percent(0.01 + part * 0.98)}"
    y="${(lane + 0.5) * LANE + 4.5}"
    overflow="visible"
  >
    <path
      fill="var(--${shape.colour})"
      stroke="var(--card)"
      transform="scale(${size.toFixed(2)})"
      d="${shape.path}"
    >
      <title>
        ${time} ${item.name ?? ''}: ${figure(item.carbs ?? 0)} g carbohydrate, ${shape.label}
      </title>
    </path>
  </svg>`;
}

function cellsOf({ item, meal, time }: Eaten): string[] {
  const absorption = SHAPES.find(({ type }) => type === item.absorptionType)?.label ?? '';
  const amounts = [item.carbs, item.protein, item.fat, item.calories].map((value) =>
    value === undefined ? '' : figure(value, 1),
  );
  return [time, item.name ?? '', meal, absorption, ...amounts, item.source];
}
