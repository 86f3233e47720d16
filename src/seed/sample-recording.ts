import { recordingOf, settingOf, type SyntheticRecording } from './synthesize.ts';

interface SampleOptions {
  /** The day of the ride, `YYYY-MM-DD`. */
  readonly date: string;
  /** The athlete's time zone, such as `Europe/Zurich`. */
  readonly zone: string;
  /** Which athlete. */
  readonly seed?: number;
}

/**
 * One small recording to try things with: half an hour on the bike, out at ten past seven in the
 * morning. The same for the same options.
 *
 * @throws SyncError `USAGE` for a date, a zone or a seed that is none
 */
export function sampleRecording(options: SampleOptions): SyntheticRecording {
  const setting = settingOf({ seed: options.seed ?? 1, until: options.date, zone: options.zone });
  return recordingOf(setting, 0, 0, {
    title: 'Morning ride',
    label: 'ride',
    startMinute: 7 * 60 + 10,
    legs: [
      {
        sport: 'cycling',
        place: 'road',
        autoLap: 5000,
        closedRoad: false,
        segments: [
          { seconds: 420, from: 0.5, to: 0.68, kind: 'warmup', sameLap: false },
          { seconds: 1080, from: 0.74, to: 0.78, kind: 'active', sameLap: false },
          { seconds: 300, from: 0.58, to: 0.45, kind: 'cooldown', sameLap: false },
        ],
      },
    ],
  });
}
