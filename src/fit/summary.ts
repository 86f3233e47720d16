import { walkMessages } from './records.ts';

/** The `file_id` message (0). Fields that the device omitted or marked invalid are undefined. */
export interface FileId {
  /** 4 is an activity; see {@link describeFileType}. */
  readonly type: number | undefined;
  readonly manufacturer: number | undefined;
  readonly product: number | undefined;
  readonly productName: string | undefined;
  readonly serial: number | undefined;
  /** The start; on some devices, the time when the file was written. */
  readonly timeCreated: Date | undefined;
}

export const ACTIVITY_FILE = 4;

/** One sport of an activity. A triathlon has several sessions, including transitions. */
export interface Session {
  readonly sport: number | undefined;
  readonly subSport: number | undefined;
  readonly startTime: Date | undefined;
  /** Duration without pauses (s). */
  readonly timerSecs: number | undefined;
  readonly distanceMetres: number | undefined;
}

export interface ActivityTimes {
  readonly sessions: readonly Session[];
  /** Start of the first session. */
  readonly startTime: Date | undefined;
  /** Sum over all sessions, without pauses (s). */
  readonly timerSecs: number | undefined;
  /** Sum over all sessions. */
  readonly distanceMetres: number | undefined;
  /** Local time minus UTC, if the device recorded a credible one. */
  readonly localOffsetMinutes: number | undefined;
}

/** Global message numbers. */
const FILE_ID = 0;
const SPORT = 12;
const SESSION = 18;
const RECORD = 20;
const ACTIVITY = 34;
/** The timestamp field of every message. */
const TIMESTAMP = 253;

/**
 * Reads the `file_id` of a recording; undefined if there is none.
 *
 * @param first the beginning of the file; in practice 256 bytes are enough
 */
export function readFileId(first: Uint8Array): FileId | undefined {
  let fileId: FileId | undefined;
  walkMessages(first, [FILE_ID], (message) => {
    fileId = {
      type: message.number(0),
      manufacturer: message.number(1),
      product: message.number(2),
      productName: message.text(8),
      serial: message.number(3),
      timeCreated: message.date(4),
    };
    return false;
  });
  return fileId;
}

/** Returns `file_id.type` in words: "an activity", "settings". */
export function describeFileType(type: number | undefined): string {
  if (type === undefined) return 'data of an unknown type';
  return FILE_TYPES[type] ?? `data of type ${type}`;
}

const FILE_TYPES: Readonly<Record<number, string>> = {
  1: 'a device description',
  2: 'settings',
  3: 'sport settings',
  4: 'an activity',
  5: 'a workout plan',
  6: 'a course',
  7: 'a schedule',
  9: 'weight measurements',
  10: 'totals',
  11: 'goals',
  14: 'blood pressure measurements',
  15: 'monitoring data',
  20: 'an activity summary',
  28: 'daily monitoring data',
  32: 'monitoring data',
  34: 'a segment',
  35: 'a list of segments',
  40: 'a display configuration',
};

/**
 * Reads start, duration, distance and sports of all segments from the device's summaries (`session`
 * 18, `activity` 34). Fields without a summary are undefined.
 */
export function readActivityTimes(bytes: Uint8Array): ActivityTimes {
  const sessions: Session[] = [];
  let sport: Pick<Session, 'sport' | 'subSport'> | undefined;
  let localOffsetMinutes: number | undefined;
  walkMessages(bytes, [SPORT, SESSION, ACTIVITY], (message) => {
    if (message.globalNumber === SESSION) {
      sessions.push({
        sport: message.number(5),
        subSport: message.number(6),
        startTime: message.date(2),
        timerSecs: scaled(message.number(8) ?? message.number(7), 1000),
        distanceMetres: scaled(message.number(9), 100),
      });
    } else if (message.globalNumber === SPORT) {
      sport ??= { sport: message.number(0), subSport: message.number(1) };
    } else {
      localOffsetMinutes ??= credibleOffset(message.number(253), message.number(5));
    }
    return true;
  });
  // A device that lost power wrote the sport, but no session.
  if (sessions.length === 0 && sport !== undefined) {
    const unknown = { startTime: undefined, timerSecs: undefined, distanceMetres: undefined };
    sessions.push({ ...sport, ...unknown });
  }
  return {
    sessions,
    startTime: earliest(sessions.flatMap(({ startTime }) => startTime ?? [])),
    timerSecs: sum(sessions.flatMap(({ timerSecs }) => timerSecs ?? [])),
    distanceMetres: sum(sessions.flatMap(({ distanceMetres }) => distanceMetres ?? [])),
    localOffsetMinutes,
  };
}

/**
 * Reads start and duration of a recording's first session; without a session, those of its records.
 * Undefined if neither has them.
 */
export function readFirstSession(
  bytes: Uint8Array,
  { sessions }: ActivityTimes,
): { readonly startTime: Date | undefined; readonly timerSecs: number | undefined } {
  const [first] = sessions;
  // Without a session message there may be a session with only a sport.
  if (first?.startTime !== undefined || first?.timerSecs !== undefined) return first;
  let from: Date | undefined;
  let to: Date | undefined;
  walkMessages(bytes, [RECORD], (message) => {
    const at = message.date(TIMESTAMP);
    if (at === undefined) return true;
    if (from === undefined || at < from) from = at;
    if (to === undefined || at > to) to = at;
    return true;
  });
  if (from === undefined || to === undefined) return { startTime: undefined, timerSecs: undefined };
  return { startTime: from, timerSecs: (to.getTime() - from.getTime()) / 1000 };
}

/** Largest difference between the two time stamps beyond the offset (s). */
const SKEW_SECS = 60;
/** UTC offsets are multiples of a quarter of an hour, from -12 to +14 hours (s). */
const QUARTER_SECS = 15 * 60;
const EARLIEST_OFFSET_SECS = -12 * 3600;
const LATEST_OFFSET_SECS = 14 * 3600;

/**
 * Returns the offset between `activity.local_timestamp` and `activity.timestamp` (min), if it is
 * credible: some devices omit the local time, or write 0 or seconds since 1970.
 */
function credibleOffset(utc: number | undefined, local: number | undefined): number | undefined {
  if (utc === undefined || local === undefined) return undefined;
  const secs = Math.round((local - utc) / QUARTER_SECS) * QUARTER_SECS;
  if (Math.abs(local - utc - secs) > SKEW_SECS) return undefined;
  if (secs < EARLIEST_OFFSET_SECS || secs > LATEST_OFFSET_SECS) return undefined;
  return secs === 0 ? 0 : secs / 60;
}

function scaled(value: number | undefined, scale: number): number | undefined {
  return value === undefined ? undefined : value / scale;
}

function sum(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.round(values.reduce((a, b) => a + b) * 1000) / 1000;
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.reduce<Date | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}
