import type { WireObject } from '../api/wire.ts';
import { type CommandModule, wholeNumber, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { withConnection } from '../app/connection.ts';
import { DATE_FORMS, rangeFlags } from '../app/flags/date.ts';
import { isInstant, startOf, titleOf } from '../api/workout-pages.ts';
import { type WorkoutList, listWorkouts } from '../app/workout-list.ts';
import { ExitCode } from '../base/errors.ts';
import { type Text, linesOf, phrase, sync } from '../base/phrase.ts';
import { toJson } from '../base/printable.ts';
import { zoneRules } from '../records/days/zone.ts';
import type { Io } from '../terminal/io.ts';
import { type Column, table } from '../terminal/table.ts';
import { clockTime, distance } from '../terminal/words.ts';
import { type ActivityView, dayText } from '../app/words/activities.ts';

interface WorkoutsFlags {
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly tz?: string;
}

const DEFAULT_LIMIT = '20';
const MAX_LIMIT = 10_000;

export const workouts: CommandModule = {
  declare: (command) =>
    command
      .option('--since <date>', `from this day on: ${DATE_FORMS}`)
      .option('--until <date>', 'up to this day')
      .addOption(zoneFlag())
      .option('--limit <n>', `how many at most, newest first (default: ${DEFAULT_LIMIT})`),
  examples: ['sync workouts', 'sync workouts --since 7d', 'sync workouts --limit 1000 --json'],

  async run(context, flags: WorkoutsFlags) {
    const { clock, io, output, signal } = context;
    const config = configFor(context, { timezone: flags.tz });
    const range = await rangeFlags(context, config, flags);
    const limit = wholeNumber('--limit', flags.limit ?? DEFAULT_LIMIT, 1, MAX_LIMIT);
    return await withConnection(context, config, {}, async (connection) => {
      const list = await listWorkouts(await connection.client(), { ...range, limit }, signal);
      output.text(workoutsText(list, { zone: range.zone, now: clock.now() }, io));
      if (output.json) for (const line of workoutsJson(list)) output.result(line);
      if ('rest' in list && list.rest !== 'none') output.say(restText(list.rest, limit));
      return ExitCode.ok;
    });
  },
};

function restText(rest: 'older' | 'others' | 'unseen', limit: number): Text {
  if (rest === 'unseen') return 'The platform may have more workouts, which it does not list here.';
  const next = sync('workouts', '--limit', String(Math.min(MAX_LIMIT, limit * 5)));
  const these = rest === 'older' ? 'These are the newest' : 'These are';
  return phrase`${these} ${limit}, and there are more: ${next}, or --since and --until.`;
}

/** Returns the lines of `--json`: each workout as the service names its fields, except `type`. */
export function workoutsJson(list: WorkoutList): Record<string, unknown>[] {
  if ('other' in list) return [{ type: 'workouts', body: list.other }];
  return [
    ...list.workouts.map(({ type, ...workout }) => ({
      type: 'workout',
      ...(type === undefined ? {} : { sport: type }),
      ...workout,
    })),
    { type: 'summary', total: list.workouts.length, more: list.rest !== 'none' },
  ];
}

const WIDE = 80;

const COLUMNS: readonly (Column & {
  readonly onlyWide?: true;
  readonly show: (workout: WireObject, view: ActivityView) => string;
})[] = [
  { title: 'Date', show: (workout, view) => startText(startOf(workout), view) },
  { title: 'Title', show: (workout) => titleOf(workout) ?? '' },
  { title: 'Sport', show: ({ type }) => text(type), onlyWide: true },
  { title: 'Time', align: 'right', show: ({ durationSec }) => quantity(durationSec, clockTime) },
  {
    title: 'Distance',
    align: 'right',
    show: ({ distanceMeters }) => quantity(distanceMeters, distance),
  },
  {
    title: 'Power',
    align: 'right',
    show: ({ averageWatts }) => quantity(averageWatts, (watts) => `${Math.round(watts)} W`),
  },
  {
    title: 'Heart rate',
    align: 'right',
    show: ({ averageHr }) => quantity(averageHr, (beats) => `${Math.round(beats)} bpm`),
    onlyWide: true,
  },
];

/** Returns a table with times in `zone`, which its head names; a body of another shape as JSON. */
export function workoutsText(
  list: WorkoutList,
  { zone, now }: Pick<ActivityView, 'zone' | 'now'>,
  io: Pick<Io, 'stdoutColumns' | 'unicode'>,
): Text {
  if ('other' in list) return linesOf(toJson(list.other, { indent: 2 }));
  if (list.workouts.length === 0)
    return list.rest === 'none'
      ? 'No workouts.'
      : 'No workouts among those that the platform lists.';
  const hasRoom = io.stdoutColumns === 0 || io.stdoutColumns >= WIDE;
  const columns = COLUMNS.filter(({ onlyWide }) => hasRoom || onlyWide !== true);
  const rows = list.workouts.map((workout) =>
    columns.map(({ show }) => show(workout, { zone, now, aligned: true })),
  );
  // The platform has none of these members under its usual name.
  if (rows.flat().every((cell) => cell === ''))
    return linesOf(toJson(list.workouts, { indent: 2 }));
  return phrase`Times in ${zone}\n\n${table(columns, rows, io)}`;
}

function startText(value: unknown, view: ActivityView): string {
  const start = isInstant(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(start)) return text(value);
  return dayText(zoneRules(view.zone).wallAt(start), view);
}

function quantity(value: unknown, show: (value: number) => string): string {
  return typeof value === 'number' && Number.isFinite(value) ? show(value) : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
