import { type FileId, fileIdOf } from './file-id.ts';
import { firstPosition, localOffset, type Position, positionOf } from './local-time.ts';
import { dateOf, MESSAGE, type Message, readMessages } from './messages.ts';
import { printableWord } from '../base/printable.ts';

/** One sport of an activity. A triathlon has several sessions, including transitions. */
export interface RecordedSession {
  readonly sport: number | undefined;
  readonly subSport: number | undefined;
  /** The device's own word for the sport, such as "Squash". */
  readonly word: string | undefined;
  readonly startTime: Date | undefined;
  /** Duration with pauses (s). */
  readonly elapsedSecs: number | undefined;
  /** Duration without pauses (s). */
  readonly timerSecs: number | undefined;
  readonly distanceMetres: number | undefined;
  readonly ascentMetres: number | undefined;
  readonly calories: number | undefined;
  readonly maxDepthMetres: number | undefined;
  readonly pool: Pool | undefined;
  readonly maxima: Maxima;
  /** The device's averages; 0 if it has no sensor. */
  readonly averages: Averages;
}

/** W, bpm, and revolutions, pairs of steps or strokes per minute. */
export type Averages = Readonly<Record<Averaged, number | undefined>>;
export type Averaged = 'power' | 'heartRate' | 'cadence';

export function averagesOf(average: (of: Averaged) => number | undefined): Averages {
  return { power: average('power'), heartRate: average('heartRate'), cadence: average('cadence') };
}

export interface Pool {
  readonly lengthMetres: number;
  readonly isInYards: boolean;
  readonly lengths: number | undefined;
}

/** Greatest values (W, bpm, m/s). */
export type Maxima = Readonly<Record<'power' | 'heartRate' | 'speed', number | undefined>>;

/** The device's summary of a recording. */
export interface Summary {
  readonly fileId: FileId | undefined;
  readonly sessions: readonly RecordedSession[];
  readonly startTime: Date | undefined;
  /** Sum over all sessions, with pauses (s). */
  readonly elapsedSecs: number | undefined;
  /** Sum over all sessions, without pauses (s). */
  readonly timerSecs: number | undefined;
  readonly distanceMetres: number | undefined;
  /** Local time minus UTC, if the device recorded a credible one. */
  readonly localOffsetMinutes: number | undefined;
}

/** The `sport` message, which devices write when the recording starts. */
interface SessionSport {
  readonly sport: number | undefined;
  readonly subSport: number | undefined;
  readonly word: string | undefined;
}

/**
 * Reads the device's summary of all segments (`file_id` 0, `session` 18, `activity` 34). Fields without a summary
 * are undefined.
 */
export function readSummary(bytes: Uint8Array): Summary {
  const sessions: RecordedSession[] = [];
  const sports: SessionSport[] = [];
  const clocks: { readonly utc: number | undefined; readonly local: number | undefined }[] = [];
  let fileId: FileId | undefined;
  let position: Position | undefined;
  readMessages(bytes, {
    [MESSAGE.fileId]: (message) => {
      fileId ??= fileIdOf(message);
    },
    [MESSAGE.sport]: (message) => {
      const word = printableWord(message.text(3));
      sports.push({ sport: message.number(0), subSport: message.number(1), word });
    },
    [MESSAGE.session]: (message) => {
      sessions.push(sessionOf(message));
      position ??= positionOf(message.number(3), message.number(4));
    },
    [MESSAGE.activity]: (message) => {
      clocks.push({ utc: message.timestamp, local: message.number(5) });
    },
  });
  const named = withSports(sessions, sports);
  const startTime = earliest(named.flatMap((session) => session.startTime ?? []));
  const offsets = clocks.map(({ utc, local }) =>
    localOffset({
      utc,
      local,
      at: startTime ?? dateOf(utc),
      manufacturer: fileId?.manufacturer,
      position: () => position ?? firstPosition(bytes),
    }),
  );
  return {
    fileId,
    sessions: named,
    startTime,
    elapsedSecs: sum(named.map(({ elapsedSecs }) => elapsedSecs)),
    timerSecs: sum(named.map(({ timerSecs }) => timerSecs)),
    distanceMetres: sum(named.map(({ distanceMetres }) => distanceMetres)),
    localOffsetMinutes: offsets.find((offset) => offset !== undefined),
  };
}

/** The unit of a pool that is measured in yards. */
const STATUTE = 1;

function poolOf(message: Message): Pool | undefined {
  const centimetres = message.number(44);
  return centimetres
    ? {
        lengthMetres: centimetres / 100,
        isInYards: message.number(46) === STATUTE,
        lengths: message.number(33),
      }
    : undefined;
}

function sessionOf(message: Message): RecordedSession {
  return {
    sport: message.number(5),
    subSport: message.number(6),
    word: printableWord(message.text(110)),
    startTime: message.date(2),
    elapsedSecs: scaled(message.number(7), 1000),
    timerSecs: scaled(message.number(8) ?? message.number(7), 1000),
    distanceMetres: scaled(message.number(9), 100),
    ascentMetres: message.number(22),
    calories: message.number(11),
    maxDepthMetres: scaled(message.number(141), 1000),
    pool: poolOf(message),
    maxima: {
      power: message.number(21),
      heartRate: message.number(17),
      speed: scaled(message.number(125) ?? message.number(15), 1000),
    },
    averages: {
      power: message.number(20),
      heartRate: message.number(16),
      cadence: cadenceOf(message.number(18), message.number(92)),
    },
  };
}

/** Adds the fraction (1/128), which devices store in another field. */
export function cadenceOf(
  whole: number | undefined,
  fraction: number | undefined,
): number | undefined {
  return whole === undefined ? undefined : whole + (fraction ?? 0) / 128;
}

/** Adds what only the `sport` messages state. A device that lost power wrote them, but no session. */
function withSports(
  sessions: readonly RecordedSession[],
  sports: readonly SessionSport[],
): readonly RecordedSession[] {
  const [sport] = sports;
  if (sport === undefined) return sessions;
  const [session] = sessions;
  if (session === undefined) return [{ ...NO_SESSION, ...sport }];
  if (sessions.length > 1) return sessions;
  return [{ ...session, sport: session.sport ?? sport.sport, word: session.word ?? sport.word }];
}

const NO_SESSION: RecordedSession = {
  sport: undefined,
  subSport: undefined,
  word: undefined,
  startTime: undefined,
  elapsedSecs: undefined,
  timerSecs: undefined,
  distanceMetres: undefined,
  ascentMetres: undefined,
  calories: undefined,
  maxDepthMetres: undefined,
  pool: undefined,
  maxima: { power: undefined, heartRate: undefined, speed: undefined },
  averages: averagesOf(() => undefined),
};

/** What the records of a recording say: time from the first to the last, and its last distance. */
interface Recorded {
  readonly startTime: Date | undefined;
  readonly secs: number | undefined;
  readonly distanceMetres: number | undefined;
}

/**
 * Reads start and duration of a recording's first session; without a session, those of its records.
 * Undefined if neither has them.
 */
export function readFirstSession(
  bytes: Uint8Array,
  { sessions }: Summary,
): { readonly startTime: Date | undefined; readonly timerSecs: number | undefined } {
  const [first] = sessions;
  // Without a session message there may be a session with only a sport.
  if (first?.startTime !== undefined || first?.timerSecs !== undefined) return first;
  const { startTime, secs } = readRecorded(bytes);
  return { startTime, timerSecs: secs };
}

export function readRecorded(bytes: Uint8Array): Recorded {
  let from: number | undefined;
  let to: number | undefined;
  let reached = { metres: 0, at: 0 };
  readMessages(bytes, {
    [MESSAGE.record]: (message) => {
      const { timestamp } = message;
      const isDated = dateOf(timestamp) !== undefined;
      if (isDated && timestamp !== undefined && isNear(timestamp, to)) {
        from = Math.min(from ?? timestamp, timestamp);
        to = Math.max(to ?? timestamp, timestamp);
      }
      const at = to ?? 0;
      const metres = (message.number(5) ?? 0) / 100;
      const since = reached.at || (from ?? at);
      const most = FASTEST * (at - since + SLACK_SECS);
      if (metres >= reached.metres && metres - reached.metres <= most) reached = { metres, at };
    },
  });
  const secs = from === undefined || to === undefined ? undefined : to - from;
  return { startTime: dateOf(from), secs, distanceMetres: reached.metres || undefined };
}

/** Longest credible time between two records (s): more shows that the file is damaged. */
const LONGEST_GAP_SECS = 30 * 86_400;

export function isNear(time: number, before = time): boolean {
  return Math.abs(time - before) <= LONGEST_GAP_SECS;
}

/** Faster than any sport but flying (m/s), and the time by which a distance may be ahead of its record (s). */
const FASTEST = 60;
const SLACK_SECS = 10;

function scaled(value: number | undefined, scale: number): number | undefined {
  return value === undefined ? undefined : value / scale;
}

/** Adds the values that there are, to a thousandth; undefined if there are none. */
export function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.round(known.reduce((a, b) => a + b) * 1000) / 1000;
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.reduce<Date | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}
