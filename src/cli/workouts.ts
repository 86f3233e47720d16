import { connect } from '../app/connect.ts';
import { DEFAULT_WORKOUT_LIMIT, runWorkouts } from '../commands/workouts.ts';
import { ExitCode } from '../base/errors.ts';
import { workoutsText } from '../render/workouts.ts';
import { dateFlag } from '../app/date-flag.ts';
import {
  type Invocation,
  configFor,
  connectOptions,
  wholeNumber,
  zoneFor,
  zoneShown,
} from '../app/invocation.ts';

export interface WorkoutsFlags {
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
}

const MAX_LIMIT = 10_000;

export async function workouts(invocation: Invocation, flags: WorkoutsFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  // Days begin where the athlete is; for times alone UTC will do.
  const picks = flags.since !== undefined || flags.until !== undefined;
  const zone = picks ? zoneFor(config, deps).name : zoneShown(config, invocation);
  const day = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : dateFlag(flag, text, () => zone, deps.clock.now());
  const since = day('--since', flags.since);
  const until = day('--until', flags.until);
  const options = {
    zone,
    since,
    until,
    limit:
      flags.limit === undefined
        ? DEFAULT_WORKOUT_LIMIT
        : wholeNumber('--limit', flags.limit, 1, MAX_LIMIT),
  };
  const connection = connect(config, deps, connectOptions(invocation, 1));
  try {
    const report = await runWorkouts(options, {
      client: () => connection.client(),
      signal: deps.signal,
    });
    if (!output.json) output.result({}, workoutsText(report, zone));
    else if ('other' in report) output.result({ type: 'workouts', body: report.other });
    else for (const workout of report.workouts) output.result(workout);
    if ('more' in report && report.more) {
      const next = Math.min(MAX_LIMIT, options.limit * 5);
      output.say(
        `These are the newest ${options.limit}, and there are more: \`sync workouts --limit ${next}\`, ` +
          'or --since and --until.',
      );
    }
    return ExitCode.ok;
  } finally {
    await connection.close();
  }
}
