import type { Activity } from '../../fit/activity.ts';
import { localStart, zoneRules } from '../../records/days/zone.ts';
import { printable } from '../../base/printable.ts';
import { isoTime } from '../../base/time.ts';
import type { Io } from '../../terminal/io.ts';
import { widthOf } from '../../terminal/wrap.ts';
import { clockTime, distance } from '../../terminal/words.ts';

export interface ActivityView {
  /** The zone of activities without their own offset. */
  readonly zone: string;
  /** Milliseconds since the epoch. A day of another year is shown with its year. */
  readonly now: number;
  readonly aligned: boolean;
}

/** Width from which a terminal has room for aligned lines (columns). */
const WIDE = 80;
/** Widths in aligned lines (columns). */
const NAME_WIDTH = 20;
const TIME_WIDTH = 7;
const DISTANCE_WIDTH = 8;

export function activityView(io: Io, now: number, zone: string): ActivityView {
  return { zone, now, aligned: io.stdoutColumns >= WIDE };
}

/**
 * Formats an activity as `Sat 21 Nov 08:00  Morning ride  2:36:36  87.9 km`, without what the recording
 * does not state.
 *
 * @param fallback shown instead of a name, such as the name of the file
 */
export function activityText(activity: Activity, fallback: string, view: ActivityView): string {
  const { name, movingSecs, distanceMeters } = activity;
  const start = localStart(activity, view.zone);
  const fit = (text: string, width: number) => {
    const gap = ' '.repeat(view.aligned ? Math.max(0, width - widthOf(text)) : 0);
    return { before: gap + text, after: text + gap };
  };
  const parts = [
    start === undefined ? '' : dayText(start, view) + ownZone(activity, start, view.zone),
    fit(printable(name ?? fallback), NAME_WIDTH).after,
    fit(movingSecs === undefined ? '' : clockTime(movingSecs), TIME_WIDTH).before,
    fit(distanceMeters ? distance(distanceMeters) : '', DISTANCE_WIDTH).before,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** Returns the offset of a recording that began in another zone, such as ` UTC-06:00`; '' in the same. */
function ownZone({ startedAt, offsetMinutes }: Activity, start: number, zone: string): string {
  if (startedAt === undefined || zoneRules(zone).wallAt(startedAt) === start) return '';
  return ` UTC${isoTime(startedAt, offsetMinutes).slice(-6)}`;
}

/**
 * Formats an activity in a few words: `Morning ride, 87.9 km`; without a distance by its time.
 *
 * @param fallback shown instead of a name, such as the name of the file
 */
export function briefActivity(activity: Activity, fallback: string): string {
  const { name, movingSecs, distanceMeters } = activity;
  const time = movingSecs === undefined ? '' : clockTime(movingSecs);
  const size = distanceMeters ? distance(distanceMeters) : time;
  return [printable(name ?? fallback), size].filter((part) => part !== '').join(', ');
}

/**
 * Formats when an activity began: `Sat 21 Nov 08:00`, with the year if that is another one.
 *
 * @param start as {@link localStart} returns it
 */
export function dayText(start: number, { zone, now, aligned }: ActivityView): string {
  // `Sat, 21 Nov 2026 08:00:00 GMT`
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(start)
    .toUTCString()
    .split(/,? /);
  const thisYear = new Date(zoneRules(zone).wallAt(now)).getUTCFullYear();
  const date = [
    weekday,
    aligned ? day.replace(/^0/, ' ') : day.replace(/^0/, ''),
    month,
    ...(Number(year) === thisYear ? [] : [year]),
  ];
  return `${date.join(' ')} ${time.slice(0, 5)}`;
}

/** Returns an activity as JSON; undefined if the recording states nothing. */
export function activityJson(activity: Activity): Record<string, unknown> | undefined {
  const { name, startedAt, offsetMinutes, movingSecs, distanceMeters } = activity;
  const json = {
    name,
    startedAt: startedAt === undefined ? undefined : isoTime(startedAt, offsetMinutes),
    durationSecs: movingSecs,
    distanceMeters,
  };
  return Object.values(json).every((value) => value === undefined) ? undefined : json;
}
