import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openWorld } from './acceptance.ts';
import { makeEdge } from './device.ts';
import { makeRecording } from './fit-maker.ts';
import { gpx, ridePoints } from './tracks.ts';
import { installSync, runShell, writeProgram } from './shell.ts';
import { makeZip } from './zip-maker.ts';
import { scratchDir } from './scratch-dir.ts';

/** Opens a person's computer: the program on the PATH, a browser, and the files that the documents name. */
export async function openComputer() {
  const media = scratchDir();
  // A desktop, or the login would show the address and open nothing.
  const world = await openWorld({ env: { DISPLAY: ':7', SYNC_DEVICE_FOLDERS: media } });
  const { home } = world;
  makeEdge(join(media, 'GARMIN'), '3412345678', [makeRecording({ seed: 2 })]);
  const bin = installSync(home);
  // The browser: it follows where the service sends it, and that is back to the program.
  writeProgram(join(bin, 'xdg-open'), `'${process.execPath}' -e 'fetch(process.argv[1])' "$1"`);
  world.write('ride.fit', makeRecording());
  world.write('ride.gpx', gpx([{ segments: [ridePoints(600)] }]));
  world.write('rides/one.fit', makeRecording({ seed: 3 }));
  world.write('rides/two.fit', makeRecording({ seed: 4 }));
  const wellness = '{ "date": "2026-05-18", "restingHr": 49, "hrv": 64 }';
  world.write('export.zip', makeZip([{ name: 'export/wellness.json', bytes: wellness }]));
  world.write(
    'servings.csv',
    'Day,Time,Group,Food Name,Amount,Energy (kcal),Carbs (g)\n' +
      '2026-05-17,12:30 PM,Lunch,Rice,100 g,360,80\n',
  );
  // Any port will do here, so that nothing else on the machine is in the way.
  await world.sync(['config', 'set', 'redirectPort', '0']);
  onTestFinished(async () => {
    await world.sync(['daemon', 'stop']);
  });
  return {
    world,
    /** Runs a command in a shell. @param until ends the command, by Ctrl-C, if its output matches */
    type: (command: string, until?: RegExp) =>
      runShell(command, {
        home,
        path: [bin],
        ...(until === undefined ? {} : { until: (output) => until.test(output) }),
      }),
  };
}
