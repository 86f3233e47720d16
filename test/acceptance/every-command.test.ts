import { expect, it } from 'vitest';
import { LINES as LINES_OF_JSON } from '../../scripts/json-schema/lines.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { gpx, ridePoints } from '../support/tracks.ts';

/** A command line of each command, in an order in which all of them have something to do. */
const LINES = [
  'upload rides',
  'import rides --dry-run',
  'push wellness day.json',
  'push nutrition meals.json',
  'undo nutrition 2026-02-15',
  'push wellness later.json',
  'undo wellness 2026-02-15',
  'status --check',
  'devices',
  'watch --once rides',
  'watch card --daemon',
  'daemon status',
  'daemon stop',
  'daemon logs',
  'daemon uninstall',
  'profile --ftp 250',
  'config set timezone Asia/Tokyo',
  'config get timezone',
  'config unset timezone',
  'config list',
  'config path',
  'workouts',
  'verify',
  'explain rides/ride.fit',
  'undo upload rides/ride.fit --yes',
  'inspect rides/ride.fit',
  'repair cut.fit',
  'convert ride.gpx',
  'sources',
  'doctor',
  'token',
  'seed --days 1 --dry-run',
  'completion bash',
  'complete profiles',
  'logout',
  'login --with-token',
];

/** Commands whose tests start the built program, a service manager or a server. */
const ELSEWHERE = ['daemon install', 'sandbox'];

/** The commands that the schema gives a summary; a watcher in the terminal, not the start of a daemon. */
const SUMMED = LINES_OF_JSON.filter(({ types }) => types.includes('summary'))
  .flatMap(({ commands }) => commands)
  .map((name) => name.replace(/^watch --once$/, 'watch --once rides'));

// json-examples.test.ts runs most of them in the built program.
it('every command works, and ends with a summary where the schema has one', async () => {
  const world = await openLoggedInWorld({ env: { SYNC_DEVICE_FOLDERS: '/nowhere' } });
  world.write('rides/ride.fit', makeRecording());
  world.write('cut.fit', truncated(makeRecording({ seed: 2 }), 500));
  world.write('ride.gpx', gpx([{ segments: [ridePoints(600)] }]));
  world.write('card/notes.txt', '');
  world.write('day.json', '{"date":"2026-02-15","restingHr":50}');
  world.write('later.json', '{"date":"2026-02-15","restingHr":51}');
  const item = { name: 'Gel', carbs: 25, logged_at: '2026-02-15T08:00:00+02:00' };
  world.write('meals.json', JSON.stringify({ date: '2026-02-15', items: [item] }));
  const input = JSON.stringify(world.sandbox.control.mint());
  const failed: unknown[] = [];
  for (const line of LINES) {
    // A line that the schema does not describe fails the run.
    const json = line.startsWith('complete ') ? [] : ['--json'];
    const args = [...line.split(' '), ...json];
    const startsDaemon = line.endsWith('--daemon');
    const run = startsDaemon
      ? await world.program(args, { input })
      : await world.sync(args, { input });
    const last = (json.length > 0 ? ndjson(run.stdout) : []).at(-1)?.['type'];
    const isSummed = !startsDaemon && SUMMED.some((name) => `${line} `.startsWith(`${name} `));
    if (run.code !== 0 || isSummed !== (last === 'summary')) failed.push({ line, ...run });
  }
  expect(failed).toEqual([]);

  const names = COMMANDS.flatMap(({ name, subcommands }) =>
    subcommands === undefined ? [name] : subcommands.map((below) => `${name} ${below.name}`),
  );
  const missing = names.filter((name) => !LINES.some((line) => `${line} `.startsWith(`${name} `)));
  expect(missing).toEqual(ELSEWHERE);
});
