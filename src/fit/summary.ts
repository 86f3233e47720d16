import { type FileId, fileIdOf } from './file-id.ts';
import { firstPosition, localOffset, type Position, positionOf } from './local-time.ts';
import { dateOf, isDated, MESSAGE, type Message, readMessages } from './messages.ts';
import { printableWord } from '../base/printable.ts';

/** One sport of an activity. A triathlon has several sessions, including transitions. */
export type RecordedSession = Readonly<ReturnType<typeof sessionOf>>;

/** W, bpm, and revolutions, pairs of steps or strokes per minute. */
export type Averages = Readonly<Record<Averaged, number | undefined>>;
export type Averaged = 'power' | 'heartRate' | 'cadence';

export function averagesOf(average: (of: Averaged) => number | undefined): Averages {
  return { power: average('power'), heartRate: average('heartRate'), cadence: average('cadence') };
}

/** The device's summary of a recording. */
export type Summary = Readonly<ReturnType<typeof readSummary>>;

/** The `sport` message, which devices write when the recording starts. */
type SessionSport = Pick<RecordedSession, 'sport' | 'subSport' | 'word'>;

/**
 * Reads the device's summary of all segments (`file_id` 0, `session` 18, `activity` 34). Fields without a summary
 * are undefined.
 */
export function readSummary(bytes: Uint8Array) {
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
      const session = sessionOf(message);
      // A program that joins files may write a session twice.
      if (!sessions.some((other) => isSameSession(other, session))) sessions.push(session);
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
    /** Sum over all sessions, with pauses. */
    elapsedSecs: sum(named.map(({ elapsedSecs }) => elapsedSecs)),
    /** Sum over all sessions, without pauses. */
    timerSecs: sum(named.map(({ timerSecs }) => timerSecs)),
    distanceMetres: sum(named.map(({ distanceMetres }) => distanceMetres)),
    /** Local time minus UTC, if the device recorded a credible one. */
    localOffsetMinutes: offsets.find((offset) => offset !== undefined),
  };
}

/** The unit of a pool that is measured in yards. */
const STATUTE = 1;

function poolOf(message: Fields) {
  const centimetres = message.number(44);
  return centimetres
    ? {
        lengthMetres: centimetres / 100,
        isInYards: message.number(46) === STATUTE,
        lengths: message.number(33),
      }
    : undefined;
}

type Fields = Pick<Message, 'number' | 'text' | 'date'>;

function sessionOf(message: Fields) {
  return {
    sport: message.number(5),
    subSport: message.number(6),
    /** The device's own word for the sport, such as "Squash". */
    word: printableWord(message.text(110)),
    startTime: message.date(2),
    /** With pauses. */
    elapsedSecs: scaled(message.number(7), 1000),
    /** Without pauses. */
    timerSecs: scaled(message.number(8) ?? message.number(7), 1000),
    distanceMetres: scaled(message.number(9), 100),
    ascentMetres: message.number(22),
    calories: message.number(11),
    maxDepthMetres: scaled(message.number(141), 1000),
    pool: poolOf(message),
    /** W, bpm, m/s. */
    maxima: {
      power: message.number(21),
      heartRate: message.number(17),
      speed: scaled(message.number(125) ?? message.number(15), 1000),
    },
    /** 0 if the device has no sensor. */
    averages: {
      power: message.number(20),
      heartRate: message.number(16),
      cadence: cadenceOf(message.number(18), message.number(92)),
    },
  };
}

function isSameSession(one: RecordedSession, other: RecordedSession): boolean {
  const start = one.startTime?.getTime();
  const hasSameStart = start !== undefined && start === other.startTime?.getTime();
  return hasSameStart && one.sport === other.sport && one.timerSecs === other.timerSecs;
}

/** The session of a device that wrote none. */
const NO_SESSION = sessionOf({
  number: () => undefined,
  text: () => undefined,
  date: () => undefined,
});

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

/**
 * Reads start and duration of a recording's first session; without a session, those of its records.
 * Undefined if neither has them.
 */
export function readFirstSession(
  bytes: Uint8Array,
  { sessions }: Summary,
): Pick<RecordedSession, 'startTime' | 'timerSecs'> {
  const [first] = sessions;
  // Without a session message there may be a session with only a sport.
  if (first?.startTime !== undefined || first?.timerSecs !== undefined) return first;
  const { startTime, secs } = readRecorded(bytes);
  return { startTime, timerSecs: secs };
}

/** Reads what the records of a recording say: time from the first to the last, and its last distance. */
export function readRecorded(bytes: Uint8Array) {
  let from: number | undefined;
  let to: number | undefined;
  let reached = 0;
  let reachedAt = 0;
  readMessages(bytes, {
    [MESSAGE.record]: (message) => {
      const { timestamp } = message;
      if (isDated(timestamp) && isNear(timestamp, to)) {
        from = Math.min(from ?? timestamp, timestamp);
        to = Math.max(to ?? timestamp, timestamp);
      }
      const at = to ?? 0;
      const metres = (message.number(5) ?? 0) / 100;
      const since = reachedAt || (from ?? at);
      if (metres < reached || metres - reached > FASTEST * (at - since + SLACK_SECS)) return;
      reached = metres;
      reachedAt = at;
    },
  });
  const secs = from === undefined || to === undefined ? undefined : to - from;
  return { startTime: dateOf(from), secs, distanceMetres: reached || undefined };
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
