import { printable } from '../base/printable.ts';
import type { Glyphs } from './features.ts';
import { cutToWidth, widthOf } from './wrap.ts';
import { bytes, plural } from './words.ts';

export interface ProgressState {
  /** An item, in the singular: `recording`, `day`. */
  readonly noun: string;
  /** Finished items; undefined if the command counts none. */
  readonly done?: number | undefined;
  /** All items; undefined if their number is not known yet. */
  readonly total?: number | undefined;
  readonly sentBytes?: number | undefined;
  /** Share of the time that the finished items took, from 0 to 1; undefined: that of the items. */
  readonly share?: number | undefined;
  /** Name of the item in work, or what the command does. */
  readonly current?: string | undefined;
}

/** Time before a rate and the time left are shown (ms). */
const SETTLED_MS = 2000;
/** Bounds for the width of the bar (columns). */
const LEAST_BAR = 6;
const GREATEST_BAR = 30;
const BAR_SHARE = 1 / 4;
/** Least room for the name of the item in work (columns). */
const LEAST_NAME = 10;
const GAP = '  ';

/**
 * Formats progress as one line: bar, count, bytes, rate, time left, name. In a narrow terminal, parts
 * are left out, the least important ones first.
 *
 * @param elapsedMs since counting began
 * @param width of the line (columns)
 */
export function progressLine(
  state: ProgressState,
  elapsedMs: number,
  width: number,
  glyphs: Glyphs,
): string {
  const { done, total, current } = state;
  const { sent, rate, left } = figures(state, elapsedMs);
  const count = countText(state);
  const hasBar = done !== undefined && total !== undefined && total > 0;
  const barWidth = Math.min(GREATEST_BAR, Math.max(LEAST_BAR, Math.floor(width * BAR_SHARE)));
  const bar = hasBar ? barText(done / total, barWidth, glyphs) : '';
  let room = width;
  const fits = (part: string) => {
    if (part === '' || widthOf(part) > room) return false;
    room -= widthOf(part) + GAP.length;
    return true;
  };
  // In order of importance.
  const chosen = new Set([count, bar, left, sent, rate].filter(fits));
  const parts = [bar, count, sent, rate, left].filter((part) => chosen.has(part));
  const name = printable(current ?? '');
  if (name !== '' && (room >= LEAST_NAME || parts.length === 0)) {
    parts.push(cutToWidth(name, room, glyphs.ellipsis));
  }
  return parts.join(GAP);
}

/** Formats progress for a log: `52 of 270 recordings, 6.6 MB, 1.8 MB/s, 2 min left`. */
export function progressText(state: ProgressState, elapsedMs: number): string {
  const { sent, rate, left } = figures(state, elapsedMs);
  const { noun, done, total, current = '' } = state;
  if (done === undefined) return printable(current);
  const count = total === undefined ? plural(done, noun) : `${done} of ${plural(total, noun)}`;
  return [count, sent, rate, left].filter((part) => part !== '').join(', ');
}

function countText({ noun, done, total }: ProgressState): string {
  if (done === undefined) return '';
  return total === undefined ? plural(done, noun) : `${done} of ${total}`;
}

function figures(state: ProgressState, elapsedMs: number) {
  const { done, total, sentBytes = 0 } = state;
  const isSettled = elapsedMs >= SETTLED_MS;
  const hasRate = isSettled && sentBytes > 0;
  const hasTotal = total !== undefined && done !== undefined && done > 0 && done < total;
  const share = hasTotal ? (state.share ?? done / total) : 0;
  return {
    sent: sentBytes > 0 ? bytes(sentBytes) : '',
    rate: hasRate ? `${bytes((sentBytes / elapsedMs) * 1000)}/s` : '',
    left: isSettled && share > 0 ? `${shortTime(elapsedMs / share - elapsedMs)} left` : '',
  };
}

function barText(share: number, width: number, { bar }: Glyphs): string {
  const full = Math.floor(Math.min(1, share) * width);
  return bar.full.repeat(full) + bar.empty.repeat(width - full);
}

/** Formats a time span: `45 s`, `12 min`, `1 h 5 min`. */
function shortTime(ms: number): string {
  const secs = Math.ceil(ms / 1000);
  if (secs < 60) return `${secs} s`;
  const minutes = Math.ceil(secs / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
