import { type WorkoutsReport, localTime } from '../commands/workouts.ts';
import type { JsonObject } from '../api/wire.ts';
import { table } from '../terminal/table.ts';

/** A table that a person likes to read, dates in `zone`; a body of another shape as JSON. */
export function workoutsText(report: WorkoutsReport, zone: string): string {
  if ('other' in report) return JSON.stringify(report.other, null, 2);
  if (report.workouts.length === 0) return 'No workouts.';
  return table(
    [
      { title: 'Date' },
      { title: 'Title' },
      { title: 'Sport' },
      { title: 'Time', align: 'right' },
      { title: 'Distance', align: 'right' },
      { title: 'Power', align: 'right' },
      { title: 'Heart rate', align: 'right' },
    ],
    report.workouts.map((workout) => [
      localTime(workout['date'], zone),
      text(workout['title']),
      text(workout['type']),
      clock(number(workout, 'durationSec')),
      unit(number(workout, 'distanceMeters'), (meters) => `${(meters / 1000).toFixed(1)} km`),
      unit(number(workout, 'averageWatts'), (watts) => `${Math.round(watts)} W`),
      unit(number(workout, 'averageHr'), (beats) => `${Math.round(beats)} bpm`),
    ]),
  );
}

function clock(seconds: number | undefined): string {
  return unit(seconds, (all) => {
    const minutes = Math.floor(all / 60);
    const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
    return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(all % 60)}`;
  });
}

function unit(value: number | undefined, show: (value: number) => string): string {
  return value === undefined ? '' : show(value);
}

function number(workout: JsonObject, key: string): number | undefined {
  const value = workout[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
