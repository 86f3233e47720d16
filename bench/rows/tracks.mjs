import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pair } from '../pair.mjs';
import { loadSupport } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';

/** Upload of a GPX file, beside a parser that does nothing with it. */
export function uploadTrack(points) {
  return async ({ rounds, compared }) => {
    const { gpx, ridePoints } = await loadSupport('tracks');
    const file = join(scratch, 'ride.gpx');
    // Without a sensor, a track of so many points at an even speed counts as planned, and is not sent.
    const channels = { hr: 140, cad: 85 };
    writeFileSync(file, gpx([{ segments: [ridePoints(points - 1, channels)] }]));
    const sink = await startSink();
    const env = await logIn(sink.url);
    const command = [process.execPath, program, 'upload', '--quiet', file];
    const ours = { command, env, before: () => forget(env) };
    const xmllint = { command: ['xmllint', '--stream', '--noout', file] };
    const figures = await pair(ours, compared && xmllint, rounds);
    sink.close();
    return figures;
  };
}
