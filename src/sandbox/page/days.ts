import { html } from 'hono/html';
import type { Html } from '../oauth/consent-page.ts';
import { instantOf, localTimeOf } from '../resources/dates.ts';
import { dayOf } from '../resources/nutrition.ts';
import { MEALS, type StoredItem } from '../resources/nutrition-day.ts';
import type { DailyState } from '../types.ts';
import { chart, counted, dayName, figure } from './chart.ts';
import type { PageView } from './view.ts';

/** Renders a trend of each wellness field that has numbers. */
export function wellnessPart({ wellness }: PageView): Html {
  if (wellness.length === 0) {
    return html`<p class="sub">
      No wellness yet. To send some, type <code>sync push wellness morning.json</code>.
    </p>`;
  }
  const numeric = ({ record }: DailyState) =>
    Object.keys(record).filter((field) => typeof record[field] === 'number');
  const fields = [...new Set(wellness.flatMap(numeric))].sort();
  return html`<p class="sub">
      ${dayName(wellness[0]?.date ?? '')} to ${dayName(wellness.at(-1)?.date ?? '')}
    </p>
    <div class="trends">${fields.map((field) => trend(field, wellness))}</div>`;
}

function trend(field: string, days: readonly DailyState[]): Html {
  const values = days.map(({ record }) => {
    const value = record[field];
    return typeof value === 'number' ? value : null;
  });
  const numbers = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const margin = (high - low || Math.abs(high) || 1) * 0.15;
  const latest = figure(numbers.at(-1) ?? 0, 1);
  const range = `${figure(low, 1)} to ${figure(high, 1)}`;
  const words = `${field}: ${counted(numbers.length, 'day')}, ${range}, latest ${latest}`;
  return html`<figure>
    <figcaption>${field} <b>${latest}</b> <small>${range}</small></figcaption>
    ${chart({ values, low: low - margin, high: high + margin, words })}
  </figure>`;
}

/** Renders the meals of each day, the newest first; a day opens to a table. */
export function nutritionPart({ nutrition, athlete }: PageView): Html {
  if (nutrition.length === 0) {
    return html`<p class="sub">
      No nutrition yet. To send some, type <code>sync push nutrition meals.json</code>.
    </p>`;
  }
  return html`<p class="sub">Times of ${athlete.timezone}</p>
    ${[...nutrition].reverse().map((day) => mealsOfDay(day, athlete.timezone))}`;
}

const COLUMNS = ['Time', 'Item', 'Meal', 'Absorption', 'Carbs (g)', 'Protein (g)', 'Fat (g)'];

function mealsOfDay(state: DailyState, timeZone: string): Html {
  const day = dayOf(state);
  const items = MEALS.flatMap((meal) =>
    day[meal].map((item) => ({ item, meal, time: timeOf(item, state.date, timeZone) })),
  ).sort((one, other) => one.time.localeCompare(other.time));
  const amount = (value: number | undefined) => (value === undefined ? '' : figure(value, 1));
  const rows = items.map(({ item, meal, time }) => [
    ...[time, item.name ?? '', meal, item.absorptionType?.toLowerCase() ?? ''],
    ...[item.carbs, item.protein, item.fat, item.calories].map(amount),
    item.source,
  ]);
  return html`<details id="nutrition-${state.date}" class="day">
    <summary id="nutrition-${state.date}-summary">
      ${dayName(state.date)}
      <span class="sub">
        ${counted(items.length, 'item')} · ${figure(day.calories)} kcal · ${figure(day.carbs)} g
        carbohydrate, ${figure(day.protein)} g protein, ${figure(day.fat)} g fat
      </span>
    </summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Items of ${state.date}">
      <table>
        <tr>
          ${[...COLUMNS, 'Energy (kcal)', 'Source'].map((label) => html`<th>${label}</th>`)}
        </tr>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td><bdi>${cell}</bdi></td>`)}
            </tr>`,
        )}
      </table>
    </div>
  </details>`;
}

/** `07:10`; with its day, if that is another one */
function timeOf(item: StoredItem, date: string, timeZone: string): string {
  const at = instantOf(item.logged_at) ?? Date.parse(`${date}T00:00:00Z`);
  const { day, time } = localTimeOf(at, timeZone);
  return day === date ? time : `${time} on ${day}`;
}
