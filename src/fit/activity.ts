import type { RecordedSession, Summary } from './summary.ts';
import {
  CYCLING,
  MULTISPORT,
  MULTISPORTS,
  namedSport,
  RUNNING,
  sportOf,
  subSportOf,
  SWIMMING,
  TRANSITION,
} from './sports.ts';

/** A recording as people recognise it. Fields that the recording does not state are undefined. */
export type Activity = Readonly<ReturnType<typeof describeActivity>>;

/** Describes a recording for people. What no session states is that of its records. */
export function describeActivity(summary: Summary) {
  const { first, recorded } = summary;
  return {
    name: activityName(summary),
    /** Start of the first session (ms since the epoch). */
    startedAt: first.startTime?.getTime(),
    /** Local time minus UTC. */
    offsetMinutes: summary.localOffsetMinutes,
    /** Time without pauses, over all sessions. */
    movingSecs: summary.timerSecs ?? first.timerSecs,
    distanceMeters: summary.distanceMetres ?? recorded.distanceMetres,
  };
}

/**
 * Returns a name like "Morning ride", "Lunch run", "Evening swim", "Triathlon" or "Club night". It has a
 * part of the day only if the device recorded the local time, and not if it is the device's own word;
 * undefined without a known sport and without such a word.
 */
export function activityName({
  sessions,
  startTime,
  localOffsetMinutes,
}: Pick<Summary, 'sessions' | 'startTime' | 'localOffsetMinutes'>): string | undefined {
  const parts = sessions.filter((session) => !isTransition(session));
  const multisport = multisportName(parts);
  if (multisport !== undefined) return multisport;
  const [name] = parts.flatMap((session) => sportName(session) ?? []);
  if (name === undefined) return undefined;
  if (startTime === undefined || localOffsetMinutes === undefined || name.isWord) return name.text;
  const noun = name.text.replace(/^[A-Z](?=[a-z-])/, (letter) => letter.toLowerCase());
  const local = new Date(startTime.getTime() + localOffsetMinutes * 60_000);
  return `${partOfDay(local.getUTCHours())} ${noun}`;
}

/** @param hour of the local start time, 0 to 23 */
function partOfDay(hour: number): string {
  if (hour < 4) return 'Night';
  if (hour < 11) return 'Morning';
  if (hour < 14) return 'Lunch';
  if (hour < 17) return 'Afternoon';
  if (hour < 22) return 'Evening';
  return 'Night';
}

/**
 * Returns the name of a recording with several sports, which has no part of the day.
 *
 * @param sessions without transitions
 */
function multisportName(sessions: readonly RecordedSession[]): string | undefined {
  const [named] = sessions.flatMap(({ subSport = -1 }) => MULTISPORTS[subSport] ?? []);
  if (named !== undefined) return named;
  const sports = sessions.flatMap(({ sport }) => sport ?? []);
  const different = new Set(sports);
  if (different.size < 2 && !different.has(MULTISPORT)) return undefined;
  // Consecutive sessions of one sport count as one.
  const order = sports.filter((sport, i) => sport !== sports[i - 1]);
  const known = SPORT_ORDERS[order.join()];
  if (known !== undefined) return known;
  if (different.size === 2 && different.has(SWIMMING) && different.has(RUNNING)) return 'Swimrun';
  const whole = sessions.find(({ sport }) => sport === MULTISPORT);
  return usableWord(whole?.word) ?? 'Multisport';
}

const SPORT_ORDERS: Readonly<Record<string, string>> = {
  [[SWIMMING, CYCLING, RUNNING].join()]: 'Triathlon',
  [[RUNNING, CYCLING, RUNNING].join()]: 'Duathlon',
  [[SWIMMING, RUNNING].join()]: 'Aquathlon',
  [[RUNNING, SWIMMING, RUNNING].join()]: 'Aquathlon',
};

/** Whether the sport is `transition`, or the sub sport a transition such as bike to run. */
function isTransition({ sport, subSport }: RecordedSession): boolean {
  return sport === TRANSITION || (subSport !== undefined && subSport >= 32 && subSport <= 34);
}

interface SportName {
  readonly text: string;
  /** It is the device's word, perhaps in another language: nothing is put before it. */
  readonly isWord: boolean;
}

/**
 * Returns the name of a session's sport. The device's word ("Squash", "Trail Run", "Club ride") decides
 * if it says more than the sport number. It does not if it is a label such as "INDOOR" or the name of
 * the sport in another language: "Laufen" for a run.
 */
function sportName(session: RecordedSession): SportName | undefined {
  const bySubSport = subSportOf(session)?.name;
  if (bySubSport !== undefined) return { text: bySubSport, isWord: false };
  const { name: bySport, isVague = false } = sportOf(session) ?? {};
  const word = usableWord(session.word);
  const known = word === undefined ? undefined : namedSport(word);
  // The word "Hike" says less than "Snowshoe hike".
  if (known !== undefined && !hasWord(bySport ?? '', known)) return { text: known, isWord: false };
  const saysMore = bySport === undefined || isVague || hasWord(word ?? '', bySport);
  if (word !== undefined && known === undefined && saysMore) {
    return { text: word, isWord: true };
  }
  return bySport === undefined ? undefined : { text: bySport, isWord: false };
}

/** Whether a text has the words of a name, as "Club ride" has "Ride". */
function hasWord(text: string, name: string): boolean {
  return ` ${text.toLowerCase()} `.includes(` ${name.toLowerCase()} `);
}

/** Words that devices write for any sport, also "other" in the languages of their menus. */
const EMPTY_WORDS = new Set(
  (
    'activity all default generic none other sport training unknown workout ' +
    'sonstige sonstiges andere autre autres otro otros otra altro outro outros anders overig ' +
    'overige annet annat övrigt andet muu muut inne inny jiné jiny ostatní iné egyéb drugo ' +
    'altele diğer другое прочее інше άλλο その他 其他 其它 기타 อื่นๆ'
  ).split(' '),
);

/** Returns the device's word with one capital: devices write `PARAGLIDING`, but also `HIIT`. */
function usableWord(word: string | undefined): string | undefined {
  if (word === undefined || EMPTY_WORDS.has(word.toLowerCase())) return undefined;
  return /^\p{Lu}{6,}$/u.test(word) ? word.charAt(0) + word.slice(1).toLowerCase() : word;
}
