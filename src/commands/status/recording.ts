import type { Activity } from '../../fit/activity.ts';
import { localStart } from '../../records/local-day.ts';
import { zoneRules } from '../../records/zone.ts';
import { oneLine } from '../../terminal/words.ts';

export interface ActivityView {
  readonly zone: string;
  readonly now: number;
  readonly aligned: boolean;
}

export function activityText(activity: Activity, fallback: string, view: ActivityView): string {
  const { name, movingSecs, distanceMeters } = activity;
  const start = localStart(activity, view.zone);
  const file = oneLine(name ?? fallback);
  if (start === undefined) return file;
  return [
    dayText(start, view),
    file,
    ...(movingSecs === undefined ? [] : [new Date(movingSecs * 1000).toISOString().slice(12, 19)]),
    ...(distanceMeters === undefined ? [] : [`${(distanceMeters / 1000).toFixed(1)} km`]),
  ].join('  ');
}

export function activityJson(activity: Activity): Record<string, unknown> | undefined {
  const { name, startedAt, offsetMinutes, movingSecs, distanceMeters } = activity;
  const minutes = offsetMinutes ?? 0;
  const local =
    startedAt === undefined
      ? undefined
      : new Date(startedAt + minutes * 60_000).toISOString().slice(0, 19);
  const sign = minutes < 0 ? '-' : '+';
  const two = (value: number) => String(value).padStart(2, '0');
  const offset =
    offsetMinutes === undefined
      ? 'Z'
      : `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const json = {
    ...(name === undefined ? {} : { name }),
    ...(local === undefined ? {} : { startedAt: local + offset }),
    ...(movingSecs === undefined ? {} : { durationSecs: movingSecs }),
    ...(distanceMeters === undefined ? {} : { distanceMeters }),
  };
  return Object.keys(json).length === 0 ? undefined : json;
}

export function dayText(start: number, { zone, now }: Pick<ActivityView, 'zone' | 'now'>): string {
  const at = new Date(start);
  const [weekday = '', day = '', month = '', year = '', clock = ''] = at.toUTCString().split(' ');
  const thisYear = new Date(zoneRules(zone).wallAt(now)).getUTCFullYear();
  const date = [
    weekday.slice(0, 3),
    String(Number(day)).padStart(2),
    month,
    ...(Number(year) === thisYear ? [] : [year]),
  ];
  return `${date.join(' ')} ${clock.slice(0, 5)}`;
}
