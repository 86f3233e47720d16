import { html } from 'hono/html';
import { clockTime, counted, drawing, figure, timeAxis, type ChartHtml } from './chart.ts';
import type { WorkoutFacts } from '../resources/workout.ts';
import { addressOf, localTime, section } from './parts.ts';
import type { RecordedSeries, RecordedTrack } from './recording-view.ts';
import type { ListedRecording, PageView } from './view.ts';

export function recordingsSection(view: PageView): ChartHtml {
  const { recordings, selected, further } = view;
  return section(
    'recordings',
    'Recordings',
    selected === null
      ? html`<p class="sub">
          No recordings yet. To send some, type <code>sync seed --days 14</code> or
          <code>sync upload ride.fit</code>.
        </p>`
      : html`<div class="recordings stack">
          <ul class="list">
            ${recordings.map((each) => recordingLink(each, view))}
            ${
              further > 0 &&
              html`<li class="sub">
                ${counted(further, 'older recording')} in
                <a id="all-recordings" href="/_sandbox/state?athlete=${view.athlete.id}"
                  >the state</a
                >
              </li>`
            }
          </ul>
          ${recordingCharts(selected, view)}
        </div>`,
  );
}

function recordingLink({ state, facts }: ListedRecording, view: PageView): ChartHtml {
  const { athlete, selected } = view;
  const words =
    facts === null
      ? [`${figure(state.size)} bytes, not a recording of an activity`]
      : [facts.type, localTime(facts.startedAt, athlete.timezone), ...factsOf(facts).slice(0, 2)];
  return html`<li>
    <a
      id="recording-${state.sha256}"
      href="${addressOf(view, { recording: state.sha256 })}"
      ${state.sha256 === selected?.state.sha256 ? 'aria-current=true' : ''}
    >
      <span class="title">
        <span class="main outside">${state.name ?? state.fileName}</span>
        ${
          state.processing !== 'workout' &&
          html`<span class="badge">${PROCESSING[state.processing]}</span>`
        }
      </span>
      <span class="sub">
        ${words.map((each) => (typeof each === 'string' ? each : each.value)).join(' · ')}
      </span>
      ${
        state.receivedCount > 1 &&
        html`<span class="badge warn">received ${state.receivedCount} times</span>`
      }
    </a>
  </li>`;
}

/** Returns the known facts of a workout: time and distance first. */
function factsOf(facts: WorkoutFacts): { label: string; value: string }[] {
  const { durationSec, distanceMeters, averageWatts, averageHr, tss } = facts;
  const fact = (label: string, value: number | null, words: (value: number) => string) =>
    value === null ? [] : [{ label, value: words(value) }];
  return [
    ...fact('Moving time', durationSec, clockTime),
    ...fact('Distance', distanceMeters, (value) => `${figure(value / 1000, 2)} km`),
    ...fact('Power', averageWatts, (value) => `${figure(value)} W`),
    ...fact('Heart rate', averageHr, (value) => `${figure(value)} bpm`),
    ...fact('TSS', tss, (value) => figure(value)),
  ];
}

const PROCESSING = { queued: 'queued', none: 'no workout' } as const;

function recordingCharts({ state, facts, view }: ListedRecording, page: PageView): ChartHtml {
  const { athlete } = page;
  return html`<article class="charts" aria-labelledby="recording-title">
    <header>
      <h3 id="recording-title" class="outside">${state.name ?? state.fileName}</h3>
      <p class="sub outside">
        ${facts !== null && `${localTime(facts.startedAt, athlete.timezone)} · `}${state.fileName} ·
        <a
          id="recording-bytes"
          href="/_sandbox/recordings/${state.sha256}?athlete=${athlete.id}"
          download="${state.sha256.slice(0, 12)}.fit"
          >${figure(Math.ceil(state.size / 1024))} KiB</a
        >
      </p>
    </header>
    ${
      facts !== null &&
      html`<dl class="facts row">
        ${factsOf(facts).map(
          ({ label, value }) =>
            html`<div>
              <dt class="sub">${label}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>`
    }
    ${
      view === null || (view.series.length === 0 && view.track === null)
        ? html`<p class="sub">This file has no records to draw.</p>`
        : html`<div class="drawings stack">
            <div class="series stack">
              ${view.series.map((each) => seriesChart(each, view.seconds))}
              ${view.series.length > 0 && html`<div class="plot">${timeAxis(view.seconds)}</div>`}
            </div>
            ${view.track !== null && trackChart(view.track)}
          </div>`
    }
  </article>`;
}

const COLOURS = { power: 'orange', 'heart-rate': 'red', altitude: 'blue' } as const;

function seriesChart(series: RecordedSeries, seconds: number): ChartHtml {
  const { kind, label, unit, values, average, lowest, highest } = series;
  const numbers = `average ${figure(average)}, highest ${figure(highest)} ${unit}`;
  const words = `${label} over ${clockTime(seconds)}: lowest ${figure(lowest)}, ${numbers}`;
  const low = kind === 'power' ? 0 : lowest;
  const colour = COLOURS[kind];
  const line = { unit, values, low, high: highest, digits: 0, words, colour } as const;
  return html`<figure class="chart ${kind}">
    <figcaption class="row">
      <strong>${label}</strong> <span>${numbers}</span>
      <span class="readout" aria-hidden="true"></span>
    </figcaption>
    <div class="plot">
      ${drawing(line, 'area', { seconds: String(seconds), days: null })}
      <div class="scale" aria-hidden="true">
        <span>${figure(highest)}</span><span>${figure(low)}</span>
      </div>
    </div>
  </figure>`;
}

function trackChart({ points, width, height }: RecordedTrack): ChartHtml {
  const [start = [0, 0]] = points;
  const end = points.at(-1) ?? start;
  const size = `${figure(width, 1)} by ${figure(height, 1)} km`;
  return html`<figure class="track">
    <figcaption><strong>Track</strong> <span>${size}, north up</span></figcaption>
    <svg viewBox="-4 -4 108 108" role="img" aria-label="Track within ${size}">
      <path
        class="line"
        d="M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}"
      />
      <circle class="end" cx="${end[0]}" cy="${end[1]}" r="3"><title>Finish</title></circle>
      <circle class="start" cx="${start[0]}" cy="${start[1]}" r="3"><title>Start</title></circle>
    </svg>
  </figure>`;
}
