import { readActivityTimes, type ActivityTimes, type Session } from './summary.ts';

/** Returns the {@link activityName} of a recording's bytes. Never throws, for any bytes. */
export function defaultActivityName(recording: Uint8Array): string | undefined {
  return activityName(readActivityTimes(recording));
}

/**
 * Returns a name like "Morning ride", "Lunch run", "Evening swim" or "Triathlon". It has a part of the
 * day only if the device recorded the local time; undefined without a known sport.
 */
export function activityName({
  sessions,
  startTime,
  localOffsetMinutes,
}: Pick<ActivityTimes, 'sessions' | 'startTime' | 'localOffsetMinutes'>): string | undefined {
  const multisport = multisportName(sessions);
  if (multisport !== undefined) return multisport;
  const session = sessions.find((each) => !isTransition(each) && sportWord(each) !== undefined);
  const word = session && sportWord(session);
  if (word === undefined) return undefined;
  const noun = word.replace(/^[A-Z](?=[a-z-])/, (letter) => letter.toLowerCase());
  if (startTime === undefined || localOffsetMinutes === undefined) return word;
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

const RUNNING = 1;
const CYCLING = 2;
const TRANSITION = 3;
const SWIMMING = 5;
const MULTISPORT = 18;

/** Returns the name of a recording with several sports, which has no part of the day. */
function multisportName(sessions: readonly Session[]): string | undefined {
  for (const { subSport } of sessions) {
    const named = subSport === undefined ? undefined : MULTISPORT_SUB_SPORTS[subSport];
    if (named !== undefined) return named;
  }
  const sports = sessions
    .filter((session) => !isTransition(session))
    .flatMap(({ sport }) => sport ?? []);
  // Consecutive sessions of one sport count as one.
  const order = sports.filter((sport, i) => sport !== sports[i - 1]).join();
  if (order === [SWIMMING, CYCLING, RUNNING].join()) return 'Triathlon';
  if (order === [RUNNING, CYCLING, RUNNING].join()) return 'Duathlon';
  return new Set(sports).size > 1 || sports.includes(MULTISPORT) ? 'Multisport' : undefined;
}

const MULTISPORT_SUB_SPORTS: Readonly<Record<number, string>> = {
  78: 'Triathlon',
  79: 'Duathlon',
  80: 'Brick',
  81: 'Swimrun',
  82: 'Adventure race',
  126: 'Triathlon',
};

/** Whether the sport is `transition`, or the sub sport a transition such as bike to run. */
function isTransition({ sport, subSport }: Session): boolean {
  return sport === TRANSITION || (subSport !== undefined && subSport >= 32 && subSport <= 34);
}

function sportWord({ sport, subSport }: Session): string | undefined {
  if (sport === undefined) return undefined;
  const special = subSport === undefined ? undefined : SPORT_SUB_SPORTS[sport]?.[subSport];
  return special ?? SPORTS[sport];
}

/** Names by `sport` and `sub_sport`, for sub sports with a different name. */
const SPORT_SUB_SPORTS: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  1: {
    1: 'Treadmill run',
    3: 'Trail run',
    4: 'Track run',
    45: 'Indoor run',
    58: 'Virtual run',
    67: 'Ultra run',
  },
  2: {
    5: 'Indoor ride',
    6: 'Indoor ride',
    8: 'Mountain bike ride',
    9: 'Downhill ride',
    11: 'Cyclocross ride',
    12: 'Handcycle ride',
    13: 'Track ride',
    28: 'E-bike ride',
    29: 'BMX ride',
    46: 'Gravel ride',
    47: 'E-bike ride',
    48: 'Commute',
    58: 'Virtual ride',
    88: 'Indoor handcycle ride',
    123: 'Enduro ride',
    127: 'E-bike ride',
    153: 'Mountain bike ride',
    154: 'Downhill ride',
  },
  4: {
    1: 'Treadmill run',
    5: 'Indoor ride',
    6: 'Indoor ride',
    14: 'Indoor row',
    15: 'Elliptical workout',
    16: 'Stair climb',
    20: 'Strength workout',
    26: 'Cardio workout',
    27: 'Indoor walk',
    43: 'Yoga',
    44: 'Pilates',
    62: 'Breathwork',
    70: 'HIIT workout',
  },
  5: { 17: 'Pool swim', 18: 'Open water swim' },
  10: {
    19: 'Stretching',
    20: 'Strength workout',
    26: 'Cardio workout',
    43: 'Yoga',
    44: 'Pilates',
    62: 'Breathwork',
    70: 'HIIT workout',
  },
  11: { 27: 'Indoor walk', 31: 'Speed walk' },
  12: { 42: 'Skate ski' },
  13: { 37: 'Backcountry ski' },
  15: { 14: 'Indoor row', 58: 'Virtual row' },
  31: { 68: 'Indoor climb', 69: 'Bouldering' },
};

/** Names by `sport`. `generic` (0), `all` (254) and the others have none. */
const SPORTS: Readonly<Record<number, string>> = {
  1: 'Run',
  2: 'Ride',
  4: 'Indoor workout',
  5: 'Swim',
  6: 'Basketball',
  7: 'Football',
  8: 'Tennis',
  9: 'Football',
  10: 'Workout',
  11: 'Walk',
  12: 'Cross-country ski',
  13: 'Ski',
  14: 'Snowboard',
  15: 'Row',
  16: 'Mountaineering',
  17: 'Hike',
  19: 'Paddle',
  21: 'E-bike ride',
  22: 'Motorcycle ride',
  25: 'Golf',
  27: 'Horse ride',
  30: 'Inline skate',
  31: 'Climb',
  32: 'Sail',
  33: 'Ice skate',
  35: 'Snowshoe hike',
  37: 'Stand-up paddle',
  38: 'Surf',
  41: 'Kayak',
  42: 'Rafting',
  43: 'Windsurf',
  44: 'Kitesurf',
  47: 'Boxing',
  48: 'Stair climb',
  53: 'Dive',
  62: 'HIIT workout',
  64: 'Racket sports',
  65: 'Wheelchair push',
  66: 'Wheelchair run',
  67: 'Meditation',
  69: 'Disc golf',
  71: 'Cricket',
  72: 'Rugby',
  73: 'Hockey',
  74: 'Lacrosse',
  75: 'Volleyball',
  80: 'Martial arts',
  82: 'Snorkel',
  83: 'Dance',
  84: 'Jump rope',
  86: 'Mobility',
  88: 'Canoe',
};
