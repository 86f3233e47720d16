import { html } from 'hono/html';
import type { WorkoutFacts } from '../resources/workout.ts';
import { chart, clockTime, counted, figure, localTime, type ChartHtml } from './chart.ts';
import type { RecordedSeries, RecordedTrack } from './recording-view.ts';
import { addressOf, type ListedRecording, type PageView } from './view.ts';

const PROCESSING = { queued: 'queued', none: 'no workout' } as const;

/** Renders the newest recordings, and the map and the charts of the selected one. */
export function recordingsPart(view: PageView): ChartHtml {
  const { recordings, selected, further } = view;
  if (selected === null) {
    return html`<p class="sub">
      No recordings yet. To send some, type <code>sync seed --days 14</code> or
      <code>sync upload ride.fit</code>.
    </p>`;
  }
  return html`<div class="recordings stack">
    <ul class="list">
      ${recordings.map((each) => recordingLink(each, view))}
      ${further > 0 && html`<li class="sub">and ${counted(further, 'older recording')}</li>`}
    </ul>
    ${recordingView(selected, view)}
  </div>`;
}

function recordingLink({ state, facts }: ListedRecording, view: PageView): ChartHtml {
  const words =
    facts === null
      ? `${figure(state.size)} bytes, not a recording of an activity`
      : [facts.type, localTime(facts.startedAt, view.athlete.timezone)].join(' · ');
  return html`<li>
    <a
      id="recording-${state.sha256}"
      href="${addressOf(view, { recording: state.sha256 })}"
      ${state.sha256 === view.selected?.state.sha256 ? 'aria-current=true' : ''}
    >
      <span class="main outside">${state.name ?? state.fileName}</span>
      <span class="sub">${words}</span>
      ${
        state.processing !== 'workout' &&
        html`<span class="badge">${PROCESSING[state.processing]}</span>`
      }
      ${
        state.receivedCount > 1 &&
        html`<span class="badge warn">received ${state.receivedCount} times</span>`
      }
    </a>
  </li>`;
}

/** Returns the known facts of a workout. */
function factsOf({ durationSec, distanceMeters, averageWatts, averageHr, tss }: WorkoutFacts) {
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

function recordingView({ state, facts, view }: ListedRecording, { athlete }: PageView): ChartHtml {
  const drawn = view !== null && (view.series.length > 0 || view.track !== null);
  return html`<article aria-labelledby="recording-title">
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
    <dl class="facts row">
      ${(facts === null ? [] : factsOf(facts)).map(
        ({ label, value }) =>
          html`<div>
            <dt class="sub">${label}</dt>
            <dd class="value">${value}</dd>
          </div>`,
      )}
    </dl>
    ${!drawn && html`<p class="sub">This file has no records to draw.</p>`}
    <div class="drawings">
      ${view?.track && trackMap(view.track)}
      <div class="stack">${view?.series.map((each) => seriesChart(each, view.seconds))}</div>
    </div>
  </article>`;
}

function seriesChart(series: RecordedSeries, seconds: number): ChartHtml {
  const { kind, label, unit, values, average, lowest, highest } = series;
  const low = kind === 'power' ? 0 : lowest;
  const numbers = `average ${figure(average)}, highest ${figure(highest)} ${unit}`;
  const words = `${label} over ${clockTime(seconds)}: lowest ${figure(lowest)}, ${numbers}`;
  return html`<figure class="chart ${kind}">
    <figcaption><strong>${label}</strong> ${numbers}</figcaption>
    ${chart({ values, low, high: highest, words })}
  </figure>`;
}

function trackMap({ points, width, height }: RecordedTrack): ChartHtml {
  const [start = [0, 0]] = points;
  const size = `${figure(width, 1)} by ${figure(height, 1)} km`;
  const line = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');
  return html`<figure class="track">
    <figcaption><strong>Track</strong> ${size}, north up</figcaption>
    <svg viewBox="-4 -4 108 108" role="img" aria-label="Track within ${size}">
      <path class="line" d="M${line}" />
      <circle cx="${start[0]}" cy="${start[1]}" r="3"><title>Start</title></circle>
    </svg>
  </figure>`;
}
