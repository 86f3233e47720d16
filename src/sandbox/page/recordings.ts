import { html } from 'hono/html';
import type { Html } from '../oauth/consent-page.ts';
import type { WorkoutFacts } from '../resources/workout.ts';
import type { AthleteProfile } from '../types.ts';
import { chart, clockTime, counted, figure, localTime } from './chart.ts';
import type { Series, Track } from './drawing.ts';
import type { ListedRecording, PageView } from './view.ts';

const PROCESSING = { queued: 'queued', none: 'no workout' } as const;

/** Renders the newest recordings, each with its track or a chart. */
export function recordingsPart({ recordings, further, athlete }: PageView): Html {
  if (recordings.length === 0) {
    return html`<p class="sub">
      No recordings yet. To send some, type <code>sync seed --days 14</code> or
      <code>sync upload ride.fit</code>.
    </p>`;
  }
  return html`<ul class="cards scroll">
    ${recordings.map((each) => card(each, athlete))}
    ${further > 0 && html`<li class="sub">and ${counted(further, 'older recording')}</li>`}
  </ul>`;
}

function card({ state, facts, drawing }: ListedRecording, athlete: AthleteProfile): Html {
  const { sha256, size, processing, receivedCount } = state;
  const words = facts === null ? ['not a recording of an activity'] : factWords(facts, athlete);
  return html`<li>
    <h3 class="outside">${state.name ?? state.fileName}</h3>
    <p class="sub outside">
      ${words.filter(Boolean).join(' · ')} ·
      <a
        id="recording-${sha256}"
        href="/_sandbox/recordings/${sha256}?athlete=${athlete.id}"
        download="${sha256.slice(0, 12)}.fit"
        >${figure(Math.ceil(size / 1024))} KiB</a
      >
      ${processing !== 'workout' && html`<span class="badge">${PROCESSING[processing]}</span>`}
      ${receivedCount > 1 && html`<span class="badge warn">received ${receivedCount} times</span>`}
    </p>
    ${drawing === null && html`<p class="sub">This file has no records to draw.</p>`}
    ${drawing !== null && ('points' in drawing ? trackMap(drawing) : seriesChart(drawing))}
  </li>`;
}

function factWords(facts: WorkoutFacts, { timezone }: AthleteProfile) {
  const { type, startedAt, durationSec, distanceMeters } = facts;
  return [
    type,
    localTime(startedAt, timezone),
    durationSec !== null && clockTime(durationSec),
    distanceMeters !== null && `${figure(distanceMeters / 1000, 1)} km`,
  ];
}

function seriesChart({ label, unit, values, average, lowest, highest }: Series): Html {
  const numbers = `average ${figure(average)}, highest ${figure(highest)} ${unit}`;
  const words = `${label}: lowest ${figure(lowest)}, ${numbers}`;
  return html`<figure>
    <figcaption>${label}, ${numbers}</figcaption>
    ${chart({ values, low: label === 'Power' ? 0 : lowest, high: highest, words })}
  </figure>`;
}

function trackMap({ points, width, height }: Track): Html {
  const [start = [0, 0]] = points;
  const size = `${figure(width, 1)} by ${figure(height, 1)} km`;
  const line = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');
  return html`<figure>
    <figcaption>${size}, north up</figcaption>
    <svg viewBox="-4 -4 108 108" role="img" aria-label="Track within ${size}">
      <path class="line" d="M${line}" />
      <circle cx="${start[0]}" cy="${start[1]}" r="3"><title>Start</title></circle>
    </svg>
  </figure>`;
}
