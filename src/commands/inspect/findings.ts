import { createHash } from 'node:crypto';
import {
  getFitGarminProductDisplayName,
  getFitManufacturerName,
  getFitSportName,
  getFitSubSportName,
} from 'fit-file-parser/profile';
import { isoTime } from '../../base/time.ts';
import { activityName } from '../../fit/activity-name.ts';
import {
  decodeContents,
  type Averages,
  type DeveloperField,
  type Sample,
} from '../../fit/decode.ts';
import { deviceId } from '../../fit/device.ts';
import { checkEnvelope, type Envelope } from '../../fit/envelope.ts';
import {
  describeFileType,
  readActivityTimes,
  readFileId,
  type ActivityTimes,
  type FileId,
  type Session,
} from '../../fit/summary.ts';
import { readFile } from '../../upload/read-recording.ts';

export type InspectItem =
  | { readonly path: string; readonly state: 'unreadable'; readonly detail: string }
  | ({ readonly path: string; readonly state: Envelope['state'] } & Findings);

/** The contents of a file. A field is `undefined` if the file does not say it. */
export interface Findings {
  /** SHA-256 of the recording as it would be sent: unpacked. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Why it is not whole. */
  readonly problem: string | undefined;
  readonly detail: string | undefined;
  /** FIT segments in the file, if it is whole. */
  readonly segments: number | undefined;
  /** "an activity", "settings", ...; undefined if it is no FIT file. */
  readonly holds: string | undefined;
  readonly device: Device | undefined;
  /** The name for an upload. */
  readonly name: string | undefined;
  /** ISO 8601, UTC. */
  readonly startTime: string | undefined;
  /** The same instant with the athlete's offset, if the device says it. */
  readonly localStartTime: string | undefined;
  /** Seconds, pauses not counted. */
  readonly timerSecs: number | undefined;
  readonly distanceMeters: number | undefined;
  readonly ascentMeters: number | undefined;
  readonly calories: number | undefined;
  /** W, bpm, revolutions a minute. */
  readonly averages: Averages | undefined;
  readonly sessions: readonly SessionFindings[];
  readonly laps: number;
  readonly records: number;
  readonly developerFields: readonly DeveloperField[];
  /** For the picture. */
  readonly samples: readonly Sample[];
}

export interface Device {
  /** The ID that is sent with an upload. */
  readonly id: string;
  readonly manufacturer: string | undefined;
  /** The product's name, or its number. */
  readonly product: string | undefined;
  readonly serial: number | undefined;
}

export interface SessionFindings {
  readonly sport: string | undefined;
  readonly subSport: string | undefined;
  readonly startTime: string | undefined;
  readonly timerSecs: number | undefined;
  readonly distanceMeters: number | undefined;
}

/** Reads one file; an unreadable one is an outcome, not an error. */
export async function inspectFile(path: string): Promise<InspectItem> {
  const contents = readFile(path, (size) => Buffer.allocUnsafe(size));
  if ('problem' in contents) return { path, state: 'unreadable', detail: contents.problem };
  const { bytes } = contents;
  const envelope = checkEnvelope(bytes);
  return { path, state: envelope.state, ...(await findings(bytes, envelope)) };
}

async function findings(bytes: Uint8Array, envelope: Envelope): Promise<Findings> {
  const fileId = readFileId(bytes);
  const times = readActivityTimes(bytes);
  const decoded = envelope.state === 'not-fit' ? undefined : await decodeContents(bytes, envelope);
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
    problem: envelope.state === 'whole' ? undefined : envelope.problem,
    detail: envelope.state === 'whole' ? undefined : envelope.detail,
    segments: envelope.state === 'whole' ? envelope.segments.length : undefined,
    holds: fileId && describeFileType(fileId.type),
    device: fileId && deviceOf(fileId),
    name: activityName(times),
    startTime: times.startTime?.toISOString(),
    localStartTime: localStartTime(times),
    timerSecs: times.timerSecs,
    distanceMeters: times.distanceMetres,
    ascentMeters: decoded?.ascent,
    calories: decoded?.calories,
    averages: decoded?.averages,
    sessions: times.sessions.map(describeSession),
    laps: decoded?.laps ?? 0,
    records: decoded?.samples.length ?? 0,
    developerFields: decoded?.developerFields ?? [],
    samples: decoded?.samples ?? [],
  };
}

const GARMIN = 1;

function deviceOf(fileId: FileId): Device | undefined {
  const { manufacturer, product, productName, serial } = fileId;
  const id = deviceId(fileId);
  if (id === undefined) return undefined;
  const garminName = manufacturer === GARMIN ? getFitGarminProductDisplayName(product) : null;
  return {
    id,
    manufacturer: words(getFitManufacturerName(manufacturer)) ?? manufacturer?.toString(),
    product: garminName ?? productName ?? product?.toString(),
    serial,
  };
}

function describeSession({
  sport,
  subSport,
  startTime,
  timerSecs,
  distanceMetres,
}: Session): SessionFindings {
  const subSportName = words(getFitSubSportName(subSport));
  return {
    sport: words(getFitSportName(sport)),
    subSport: subSportName === 'generic' ? undefined : subSportName,
    startTime: startTime?.toISOString(),
    timerSecs,
    distanceMeters: distanceMetres,
  };
}

/** Replaces the underscores of a name in the FIT profile by spaces. */
function words(name: string | null): string | undefined {
  return name === null ? undefined : name.replaceAll('_', ' ');
}

function localStartTime({ startTime, localOffsetMinutes }: ActivityTimes): string | undefined {
  if (startTime === undefined || localOffsetMinutes === undefined) return undefined;
  return isoTime(startTime.getTime(), localOffsetMinutes);
}
