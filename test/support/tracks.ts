/** Makes GPX and TCX files as programs write them, and FIT files of the same rides. */

import { encodeActivity } from '../../src/fit/write-activity.ts';

export interface TrackPoint {
  /** Seconds since the start of the file. */
  readonly at: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly ele?: number;
  readonly hr?: number | undefined;
  readonly cad?: number;
  readonly power?: number;
  readonly temp?: number;
  /** Metres; TCX only. */
  readonly distance?: number;
}

export const TRACK_START = Date.parse('2026-05-10T07:00:00Z');

const timeAt = (start: number, at: number) => new Date(start + at * 1000).toISOString();
const element = (name: string, value: number | string | undefined) =>
  value === undefined ? '' : `<${name}>${value}</${name}>`;

/** Returns points of a ride to the north-east whose speed changes, one for each `step` seconds. */
export function ridePoints(
  secs: number,
  { step = 1, from = 0, lat = 47, lon = 8, ...channels }: Partial<TrackPoint> & RideShape = {},
): TrackPoint[] {
  let metres = 0;
  const points: TrackPoint[] = [];
  for (let at = 0; at <= secs; at += step) {
    const point = { lat: lat + metres / 111_195, lon: lon + Math.sin(at / 400) / 500 };
    points.push({ at: from + at, ...point, ele: 400 + 30 * Math.sin(at / 300), ...channels });
    metres += (6 + 2 * Math.sin(at / 60)) * step;
  }
  return points;
}

interface RideShape {
  readonly step?: number;
  readonly from?: number;
}

interface GpxTrack {
  readonly name?: string;
  readonly type?: string;
  readonly segments: readonly (readonly TrackPoint[])[];
}

export function gpx(
  tracks: readonly GpxTrack[],
  { creator = 'StravaGPX Android', start = TRACK_START } = {},
): string {
  const point = ({ at, lat = 0, lon = 0, ele, hr, cad, power, temp }: TrackPoint) => {
    const sensors = [
      element('gpxtpx:atemp', temp),
      element('gpxtpx:hr', hr),
      element('gpxtpx:cad', cad),
    ];
    const extension = sensors.join('');
    const inner = [
      element('power', power),
      extension === ''
        ? ''
        : `<gpxtpx:TrackPointExtension>${extension}</gpxtpx:TrackPointExtension>`,
    ].join('');
    const extensions = inner === '' ? '' : `<extensions>${inner}</extensions>`;
    return `<trkpt lat="${lat}" lon="${lon}">${element('ele', ele)}<time>${timeAt(start, at)}</time>${extensions}</trkpt>`;
  };
  const body = tracks.map(({ name, type, segments }) => {
    const inner = segments.map((points) => `<trkseg>${points.map(point).join('\n')}</trkseg>`);
    return `<trk>${element('name', name)}${element('type', type)}${inner.join('')}</trk>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${creator}" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><metadata><name>no name of a track</name></metadata>${body.join('')}</gpx>`;
}

interface TcxActivity {
  readonly sport: string;
  readonly laps: readonly {
    readonly points: readonly TrackPoint[];
    readonly calories?: number;
    readonly intensity?: 'Active' | 'Resting';
  }[];
}

export function tcx(activities: readonly TcxActivity[], { start = TRACK_START } = {}): string {
  const point = ({ at, lat, lon, ele, hr, cad, power, distance }: TrackPoint) =>
    [
      `<Trackpoint><Time>${timeAt(start, at)}</Time>`,
      lat === undefined
        ? ''
        : `<Position><LatitudeDegrees>${lat}</LatitudeDegrees><LongitudeDegrees>${lon ?? 0}</LongitudeDegrees></Position>`,
      element('AltitudeMeters', ele),
      element('DistanceMeters', distance),
      hr === undefined ? '' : `<HeartRateBpm><Value>${hr}</Value></HeartRateBpm>`,
      element('Cadence', cad),
      power === undefined
        ? ''
        : `<Extensions><ns3:TPX><ns3:Watts>${power}</ns3:Watts></ns3:TPX></Extensions>`,
      '</Trackpoint>',
    ].join('');
  const lap = ({ points, calories, intensity = 'Active' }: TcxActivity['laps'][number]) => {
    const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
    return `<Lap StartTime="${timeAt(start, first)}"><TotalTimeSeconds>${last - first}</TotalTimeSeconds>${element('Calories', calories)}<AverageHeartRateBpm><Value>99</Value></AverageHeartRateBpm><Intensity>${intensity}</Intensity><Track>${points.map(point).join('')}</Track></Lap>`;
  };
  const body = activities.map(
    ({ sport, laps }) =>
      `<Activity Sport="${sport}"><Id>${timeAt(start, 0)}</Id>${laps.map(lap).join('')}<Creator><Name>Garmin Edge 540</Name></Creator></Activity>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Activities>${body.join('')}</Activities></TrainingCenterDatabase>`;
}

/** Returns the FIT recording of a device with these points. */
export function fit(
  points: readonly TrackPoint[],
  { serial = 1, sport = 2, start = TRACK_START } = {},
): Uint8Array {
  return encodeActivity({
    fileId: { manufacturer: 1, product: 4062, productName: 'Edge', serial },
    ...{ sport, subSport: 0 },
    records: points.map(({ at, lat, lon, ele, hr, cad, power, temp, distance }) => ({
      ...{ time: start / 1000 + at, latitude: lat, longitude: lon, altitude: ele },
      ...{ heartRate: hr, cadence: cad, power, temperature: temp, distance },
    })),
  });
}
