import { type FileId, fileIdOf } from './file-id.ts';
import { localOffset, type Position, positionOf } from './local-time.ts';
import { countOf, dateOf, MESSAGE, type Message, readMessages } from './messages.ts';
import { Recorded } from './recorded.ts';
import { printableWord } from '../base/printable.ts';

/** One sport of an activity. A triathlon has several sessions, including transitions. */
export type RecordedSession = Readonly<ReturnType<typeof sessionOf>>;

/** W, bpm, and revolutions, pairs of steps or strokes per minute. */
export type Averages = Readonly<Record<Averaged, number | undefined>>;
export type Averaged = 'power' | 'heartRate' | 'cadence';

export function averagesOf(average: (of: Averaged) => number | undefined): Averages {
  return { power: average('power'), heartRate: average('heartRate'), cadence: average('cadence') };
}

/** What a recording says in short: the device's summary, and that of its records. */
export type Summary = Readonly<ReturnType<typeof readSummary>>;

/** The `sport` message, which devices write when the recording starts. */
type SessionSport = Pick<RecordedSession, 'sport' | 'subSport' | 'word'>;

/**
 * Reads all segments once: the device's summary (`file_id` 0, `session` 18, `activity` 34), and the records. What
 * a recording does not state is undefined.
 */
export function readSummary(bytes: Uint8Array) {
  const sessions: RecordedSession[] = [];
  const sports: SessionSport[] = [];
  const clocks: { readonly utc: number | undefined; readonly local: number | undefined }[] = [];
  let fileId: FileId | undefined;
  let position: Position | undefined;
  const records = new Recorded();
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
    [MESSAGE.record]: (message) => {
      records.add(message);
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
      position: position ?? records.firstPosition,
    }),
  );
  const timerSecs = sum(named.map((session) => session.timerSecs));
  const recorded = records.sums;
  const [first] = named;
  // Without a session message there may be a session with only a sport.
  const isStated = first?.startTime !== undefined || first?.timerSecs !== undefined;
  return {
    fileId,
    sessions: named,
    startTime,
    /** Sum over all sessions, with pauses. */
    elapsedSecs: sum(named.map(({ elapsedSecs }) => elapsedSecs)),
    /** Sum over all sessions, without pauses. */
    timerSecs,
    distanceMetres: sum(named.map(({ distanceMetres }) => distanceMetres)),
    /** Local time minus UTC, if the device recorded a credible one. */
    localOffsetMinutes: offsets.find((offset) => offset !== undefined),
    /** Start, and time without pauses, of the first session; without a session, of the records. */
    first: isStated ? first : { startTime: recorded.startTime, timerSecs: recorded.secs },
    recorded,
    shape: records.shape(fileId, named, timerSecs),
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
        lengths: countOf(message.number(33)),
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
