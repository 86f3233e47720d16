import {
  getFitGarminProductDisplayName,
  getFitManufacturerName,
  getFitSportName,
  getFitSubSportName,
} from 'fit-file-parser/profile';
import type { Context } from '../../base/context.ts';
import { isoTime } from '../../base/time.ts';
import { activityName } from '../../fit/activity.ts';
import { compareAverages } from '../../fit/averages.ts';
import { type Contents, type Samples, readContents } from '../../fit/contents.ts';
import {
  deviceId,
  type FileId,
  GARMIN,
  describeFileType,
  isActivity,
  readFileId,
} from '../../fit/file-id.ts';
import { type Envelope, checkEnvelope } from '../../fit/envelope.ts';
import { extremes } from '../../fit/picture.ts';
import { type CadenceUnit, TRANSITION, cadenceUnit } from '../../fit/sports.ts';
import {
  type Averages,
  type RecordedSession,
  type Summary,
  readSummary,
  sum,
} from '../../fit/summary.ts';
import { countOf } from '../../fit/messages.ts';
import { identify } from '../../upload/identify.ts';
import { recordingsIn } from '../../upload/recordings-in.ts';
import type { TrackIdentity } from '../../upload/recordings-of.ts';
import { sha256 } from '../../system/this-process.ts';

export type InspectItem =
  | { readonly path: string; readonly state: 'unreadable'; readonly detail: string }
  | ({ readonly path: string; readonly state: Envelope['state'] } & FileFindings);

/** The contents of a file. A field is `undefined` if the file does not say it. */
export type FileFindings = ReturnType<typeof findings>;
export type SessionFindings = ReturnType<typeof describeSession>;
export type RecordingDevice = NonNullable<ReturnType<typeof deviceOf>>;

/** W, bpm, and the cadence in its unit; without cadence for a sport that has none. */
export interface ShownAverages extends Averages {
  readonly cadenceUnit: CadenceUnit | undefined;
}

/**
 * Reads the recordings of one file or archive; an unreadable one is an outcome, not an error.
 *
 * @param path as the user named it
 */
export async function* inspectFile(
  path: string,
  absolute: string,
  context: Pick<Context, 'clock' | 'signal'>,
): AsyncGenerator<InspectItem, void, undefined> {
  for await (const found of recordingsIn(path, absolute, context)) {
    if ('problem' in found) {
      yield { path: found.path, state: 'unreadable', detail: found.problem };
      continue;
    }
    yield inspectRecording(found.path, found.contents.bytes, found.track);
  }
}

/** @param track of a recording that was converted */
export function inspectRecording(path: string, bytes: Buffer, track?: TrackIdentity): InspectItem {
  const envelope = checkEnvelope(bytes);
  return { path, state: envelope.state, ...findings(bytes, envelope, track) };
}

function findings(bytes: Buffer, envelope: Envelope, track: TrackIdentity | undefined) {
  const fileId = readFileId(bytes);
  const identity = identify(bytes, envelope);
  const summary = 'summary' in identity ? identity.summary : readSummary(bytes);
  const { sessions } = summary;
  const contents = readContents(bytes);
  const { means, samples, end } = contents;
  const startTime = summary.startTime ?? contents.startTime;
  const { shown, contradicting } = compareAverages(sessions, means);
  const isRecording = isActivity(bytes, fileId);
  const hasTime = summary.elapsedSecs !== undefined || summary.timerSecs !== undefined;
  const recordedSecs = spanOf(samples);
  const elapsedSecs = hasTime || !isRecording ? undefined : recordedSecs;
  const distance =
    summary.distanceMetres === undefined && isRecording
      ? summary.recorded.distanceMetres
      : undefined;
  return {
    /** Of the recording as it would be sent: unpacked, and converted. */
    sha256: 'sha256' in identity ? identity.sha256 : sha256(bytes),
    size: bytes.length,
    /** Bytes before the first undecodable byte; undefined if there is none. */
    readableBytes:
      end.complete || envelope.state === 'not-fit' ? undefined : Math.min(end.at, bytes.length),
    problem: envelope.state === 'whole' ? undefined : envelope.problem,
    detail: envelope.state === 'whole' ? undefined : envelope.detail,
    segments: envelope.state === 'whole' ? envelope.segments : undefined,
    holds: envelope.state === 'not-fit' ? undefined : holds(bytes, fileId),
    isSent: identity.verdict === 'activity',
    hasWellness: identity.verdict === 'not-an-activity' && identity.wellness,
    device: fileId && deviceOf(fileId),
    name: track?.name ?? (isRecording ? activityName(summary) : undefined),
    startTime: startTime?.toISOString(),
    /** The same instant with the athlete's offset. */
    localStartTime: localStartTime(startTime, summary),
    /** With pauses. */
    elapsedSecs: summary.elapsedSecs ?? elapsedSecs,
    timerSecs: summary.timerSecs,
    distanceMeters: summary.distanceMetres ?? distance,
    /** The figures above that no session states, and the records do. */
    fromRecords: [
      ...(elapsedSecs === undefined ? [] : ['elapsedSecs' as const]),
      ...(distance === undefined ? [] : ['distanceMeters' as const]),
    ],
    /** Of the device, else of the records. */
    maxima: maximaOf(sessions, samples),
    ascentMeters: sum(sessions.map(({ ascentMetres }) => ascentMetres)),
    maxDepthMeters: maxDepth(sessions, contents),
    calories: sum(sessions.map(({ calories }) => calories)),
    averages: inUnits(shown, sessions),
    /** Means of the records that the device's averages contradict. */
    recordedAverages: inUnits(contradicting, sessions),
    sessions: sessions.map(describeSession),
    laps: contents.laps,
    records: contents.records,
    recordedSecs,
    developerFields: contents.developerFields,
    samples,
  };
}

function holds(bytes: Uint8Array, fileId: FileId | undefined): string {
  return isActivity(bytes, fileId) ? 'an activity' : describeFileType(fileId?.type);
}

/** Returns the greatest depth of the dives by the device's summary, else by the records. */
function maxDepth(sessions: readonly RecordedSession[], { samples }: Contents): number | undefined {
  const stated = sessions.flatMap(({ maxDepthMetres }) => maxDepthMetres ?? []);
  const depths = stated.length > 0 ? stated : samples.depth;
  const greatest = depths.reduce((a, b) => (b > a ? b : a), 0);
  return greatest === 0 ? undefined : greatest;
}

function maximaOf(sessions: readonly RecordedSession[], samples: Samples) {
  const greatest = (quantity: keyof RecordedSession['maxima']) => {
    const stated = sessions.map(({ maxima }) => maxima[quantity] ?? 0);
    return extremes(stated).greatest || extremes(samples[quantity]).greatest || undefined;
  };
  return {
    power: greatest('power'),
    heartRate: greatest('heartRate'),
    speedMetersPerSec: greatest('speed'),
  };
}

/** Returns the time up to the latest record; the clock of a device may be set back in between. */
function spanOf({ at }: Samples): number | undefined {
  return at.length === 0 ? undefined : at.reduce((a, b) => (b > a ? b : a));
}

/** Rounds the averages to a tenth. A cadence needs sessions of one sport, which has the unit. */
function inUnits(averages: Averages, sessions: readonly RecordedSession[]): ShownAverages {
  const { power, heartRate, cadence } = averages;
  const parts = sessions.filter(({ sport }) => sport !== TRANSITION);
  const units = new Set(parts.map(cadenceUnit));
  const unit = units.size === 1 && cadence !== undefined ? [...units][0] : undefined;
  return {
    power: tenth(power),
    heartRate: tenth(heartRate),
    cadence: unit === undefined ? undefined : tenth((cadence ?? 0) * (unit === 'spm' ? 2 : 1)),
    cadenceUnit: unit,
  };
}

function tenth(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 10) / 10;
}

function deviceOf(fileId: FileId) {
  const { manufacturer, product, productName, serial } = fileId;
  const id = deviceId(fileId);
  if (id === undefined) return undefined;
  const garminName = manufacturer === GARMIN ? getFitGarminProductDisplayName(product) : null;
  return {
    id,
    manufacturer: words(getFitManufacturerName(manufacturer)) ?? manufacturer?.toString(),
    product: garminName ?? productName ?? product?.toString(),
    serial: countOf(serial),
  };
}

function describeSession(session: RecordedSession) {
  const { sport, subSport } = session;
  const subSportName = words(getFitSubSportName(subSport));
  return {
    numbers: { sport, subSport },
    sport: words(getFitSportName(sport)),
    subSport: subSportName === 'generic' ? undefined : subSportName,
    startTime: session.startTime?.toISOString(),
    elapsedSecs: session.elapsedSecs,
    timerSecs: session.timerSecs,
    distanceMeters: session.distanceMetres,
    pool: session.pool,
  };
}

/** Replaces the underscores of a name in the FIT profile by spaces. */
function words(name: string | null): string | undefined {
  return name === null ? undefined : name.replaceAll('_', ' ');
}

function localStartTime(
  startTime: Date | undefined,
  { localOffsetMinutes }: Summary,
): string | undefined {
  if (startTime === undefined || localOffsetMinutes === undefined) return undefined;
  return isoTime(startTime.getTime(), localOffsetMinutes);
}
