import type { Random } from '../../../src/seed/random.ts';
import type { TrackKind } from '../../../src/tracks/kind.ts';
import { convertFile } from '../../../src/tracks/recordings.ts';
import { fit, gpx, ridePoints, tcx } from '../../support/tracks.ts';

/** The second activity of a file begins so long after the first (s). */
const LATER_SECS = 5 * 3600;

/** Files without an activity: a route, a course, a track of which the end is missing. */
export const NO_TRACKS = [
  '<gpx/>',
  '<gpx><rte><rtept lat="1" lon="2"/></rte></gpx>',
  tcx([]).replace(
    '<Activities></Activities>',
    '<Courses><Course><Name>A</Name></Course></Courses>',
  ),
  gpx([{ segments: [ridePoints(60)] }]).slice(0, -40),
] as const;

/** Makes a GPX or TCX file with one or two activities that are like no others. */
export async function makeTracks(random: Random, kind: TrackKind) {
  const start = Date.UTC(2025, 0, 1) + random.integer(0, 300 * 86_400) * 1000;
  const leg = (from: number) =>
    ridePoints(random.integer(60, 600), {
      ...{ from, step: random.pick([1, 5]), hr: random.integer(90, 180) },
      ...{ lat: random.integer(-60, 60), lon: random.integer(-170, 170) },
    });
  const ride = leg(0);
  const legs = random.chance(0.5) ? [ride, leg(LATER_SECS)] : [ride];
  const text =
    kind === 'gpx'
      ? gpx(
          legs.map((points) => ({ type: 'cycling', segments: [points] })),
          { start },
        )
      : tcx(
          legs.map((points) => ({ sport: 'Biking', laps: [{ points }] })),
          { start },
        );
  const bytes = Buffer.from(text);
  const recordings: Uint8Array[] = [];
  const { signal } = new AbortController();
  for await (const part of convertFile('', bytes, kind, { now: Date.now(), signal })) {
    if ('conversion' in part) recordings.push(part.conversion.fit);
  }
  if (recordings.length !== legs.length) throw new Error(`Not converted: ${text}`);
  return {
    bytes,
    /** What the platform gets: each activity, converted. */
    recordings,
    /** Returns the recording of the device for the first activity. */
    ofDevice: () => fit(ride, { start }),
  };
}
