import { html } from 'hono/html';
import {
  areaPath,
  clockTime,
  counted,
  figure,
  linePath,
  stretched,
  timeAxis,
  type Html,
} from './chart.ts';
import { localTime, section } from './parts.ts';
import type { Series, Track } from './recording-view.ts';
import type { ListedRecording, PageView } from './view.ts';

/** Renders the recordings of the athlete, and charts of the selected one. */
export function recordingsSection(view: PageView): Html {
  const { recordings, selected, further } = view;
  return section(
    'recordings',
    'Recordings',
    selected === null
      ? html`<p class="empty">
          No recordings yet. To send some, type <code>sync seed --days 14</code> or
          <code>sync upload ride.fit</code>.
        </p>`
      : html`<div class="recordings">
          <ul class="list">
            ${recordings.map((each) => recordingLink(each, view))}
            ${
              further > 0 &&
              html`<li class="hint">
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

function recordingLink({ state, facts }: ListedRecording, view: PageView): Html {
  const { id, timezone } = view.athlete;
  const current = state.sha256 === view.selected?.state.sha256;
  return html`<li>
    <a
      id="recording-${state.sha256}"
      href="/?athlete=${id}&amp;recording=${state.sha256}"
      ${current ? 'aria-current=true' : ''}
    >
      <span class="title">
        <span class="main outside">${state.name ?? state.fileName}</span>
        ${
          state.processing !== 'workout' &&
          html`<span class="badge">${PROCESSING[state.processing]}</span>`
        }
      </span>
      <span class="sub">
        ${
          facts === null
            ? `${figure(state.size)} bytes, not a recording of an activity`
            : [
                facts.type,
                localTime(facts.startedAt, timezone),
                facts.durationSec !== null && clockTime(facts.durationSec),
                facts.distanceMeters !== null && `${figure(facts.distanceMeters / 1000, 1)} km`,
              ]
                .filter((part) => part !== false)
                .join(' · ')
        }
      </span>
      ${
        state.receivedCount > 1 &&
        html`<span class="badge warn">received ${state.receivedCount} times</span>`
      }
    </a>
  </li>`;
}

const PROCESSING = { queued: 'queued', none: 'no workout' } as const;

function recordingCharts({ state, facts, view }: ListedRecording, page: PageView): Html {
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
      html`<dl class="facts">
        ${fact('Moving time', facts.durationSec, (value) => clockTime(value))}
        ${fact('Distance', facts.distanceMeters, (value) => `${figure(value / 1000, 2)} km`)}
        ${fact('Power', facts.averageWatts, (value) => `${figure(value)} W`)}
        ${fact('Heart rate', facts.averageHr, (value) => `${figure(value)} bpm`)}
        ${fact('TSS', facts.tss, (value) => figure(value))}
      </dl>`
    }
    ${
      view === null || (view.series.length === 0 && view.track === null)
        ? html`<p class="empty">This file has no records to draw.</p>`
        : html`<div class="drawings">
            <div class="series">
              ${view.series.map((each) => seriesChart(each, view.seconds))}
              ${view.series.length > 0 && html`<div class="plot">${timeAxis(view.seconds)}</div>`}
            </div>
            ${view.track !== null && trackChart(view.track)}
          </div>`
    }
  </article>`;
}

function fact(label: string, value: number | null, words: (value: number) => string): Html | false {
  return (
    value !== null &&
    html`<div>
      <dt>${label}</dt>
      <dd>${words(value)}</dd>
    </div>`
  );
}

function seriesChart(series: Series, seconds: number): Html {
  const { kind, label, unit, values, average, lowest, highest } = series;
  const drawn = values.filter((value) => value !== null);
  const range = { low: kind === 'power' ? 0 : Math.min(...drawn), high: Math.max(...drawn) };
  const numbers = `average ${figure(average)}, highest ${figure(highest)} ${unit}`;
  return html`<figure class="chart ${kind}">
    <figcaption>
      <strong>${label}</strong> <span>${numbers}</span>
      <span class="readout" aria-hidden="true"></span>
    </figcaption>
    <div class="plot">
      <div
        class="drawing"
        role="img"
        aria-label="${label} over ${clockTime(seconds)}: lowest ${figure(lowest)}, ${numbers}"
        data-values="${values.map((value) => (value === null ? '' : Math.round(value))).join(',')}"
        data-unit="${unit}"
        data-seconds="${seconds}"
      >
        ${stretched(
          html`<path class="area" d="${areaPath(values, range)}" />
            <path class="line" d="${linePath(values, range)}" />
            <line class="cursor" visibility="hidden" y1="0" y2="100" />`,
        )}
      </div>
      <div class="scale" aria-hidden="true">
        <span>${figure(range.high)}</span><span>${figure(range.low)}</span>
      </div>
    </div>
  </figure>`;
}

function trackChart({ points, width, height }: Track): Html {
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
