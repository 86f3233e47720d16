/** The sports of the FIT profile: their names and the units that athletes use for them. */
import { getFitSportName, getFitSubSportName } from 'fit-file-parser/profile';

const GENERIC = 0;
export const RUNNING = 1;
export const CYCLING = 2;
export const TRANSITION = 3;
export const SWIMMING = 5;
export const MULTISPORT = 18;

export interface Sport {
  /** Noun for the name of an activity: "Morning ride". */
  readonly name?: string;
  /** Whether the name covers many sports: "Workout". */
  readonly isVague?: boolean;
  readonly cadence?: CadenceUnit;
  /** Absent: km/h. */
  readonly pace?: Pace;
}

/** `spm`: steps per minute, of which FIT stores pairs. */
export type CadenceUnit = 'rpm' | 'spm' | 'strokes/min';
/** Time for a distance (m), instead of a speed. */
export interface Pace {
  readonly meters: number;
  readonly unit: string;
}

const PER_KM: Pace = { meters: 1000, unit: '/km' };
const PER_500_M: Pace = { meters: 500, unit: '/500 m' };
const PER_100_M: Pace = { meters: 100, unit: '/100 m' };

const FOOT = { cadence: 'spm', pace: PER_KM } as const;
const BIKE = { cadence: 'rpm' } as const;
const WATER = { cadence: 'strokes/min' } as const;

/** Returns sports, by numbers whose name in the profile is a noun: `table_tennis`. */
function named(nameOf: typeof getFitSportName, numbers: readonly number[]): Record<number, Sport> {
  const nouns = numbers.map((number) => {
    const words = nameOf(number)?.replaceAll('_', ' ') ?? '';
    return [number, { name: words.charAt(0).toUpperCase() + words.slice(1) }];
  });
  return Object.fromEntries(nouns) as Record<number, Sport>;
}

/** By `sport`. `generic` (0) and `all` (254) have no name. */
const SPORTS: Readonly<Record<number, Sport>> = {
  ...named(getFitSportName, [6, 8, 9, 25, 26, 28, 29, 42, 47, 49, 56, 67, 69, 71, 72, 73]),
  ...named(getFitSportName, [74, 75, 76, 79, 80, 83, 84, 86, 87]),
  [RUNNING]: { name: 'Run', ...FOOT },
  [CYCLING]: { name: 'Ride', ...BIKE },
  4: { name: 'Indoor workout', isVague: true },
  [SWIMMING]: { name: 'Swim', ...WATER, pace: PER_100_M },
  7: { name: 'Football' },
  10: { name: 'Workout', isVague: true },
  11: { name: 'Walk', ...FOOT },
  12: { name: 'Cross-country ski' },
  13: { name: 'Ski' },
  14: { name: 'Snowboard' },
  15: { name: 'Row', ...WATER, pace: PER_500_M },
  16: { name: 'Mountaineering', cadence: 'spm' },
  17: { name: 'Hike', ...FOOT },
  [MULTISPORT]: { name: 'Multisport', isVague: true },
  19: { name: 'Paddle', ...WATER },
  20: { name: 'Flight' },
  21: { name: 'E-bike ride', ...BIKE },
  22: { name: 'Motorcycle ride' },
  23: { name: 'Boat trip' },
  24: { name: 'Drive' },
  27: { name: 'Horse ride' },
  30: { name: 'Inline skate' },
  31: { name: 'Climb' },
  32: { name: 'Sail' },
  33: { name: 'Ice skate' },
  34: { name: 'Skydive' },
  35: { name: 'Snowshoe hike', ...FOOT },
  36: { name: 'Snowmobile ride' },
  37: { name: 'Stand-up paddle', ...WATER },
  38: { name: 'Surf' },
  39: { name: 'Wakeboard' },
  40: { name: 'Water ski' },
  41: { name: 'Kayak', ...WATER },
  43: { name: 'Windsurf' },
  44: { name: 'Kitesurf' },
  45: { name: 'Tactical activity', isVague: true },
  46: { name: 'Parachute jump' },
  48: { name: 'Stair climb', cadence: 'spm' },
  53: { name: 'Dive' },
  58: { name: 'Winter sport', isVague: true },
  59: { name: 'Winch grinding' },
  62: { name: 'HIIT workout' },
  63: { name: 'Video game' },
  64: { name: 'Racket sports', isVague: true },
  65: { name: 'Wheelchair push' },
  66: { name: 'Wheelchair run' },
  68: { name: 'Para sport', isVague: true },
  70: { name: 'Team sport', isVague: true },
  77: { name: 'Wakesurf' },
  78: { name: 'Water sport', isVague: true },
  81: { name: 'Motor sport', isVague: true },
  82: { name: 'Snorkel' },
  85: { name: 'Pool freedive' },
  88: { name: 'Canoe', ...WATER },
};

const TREADMILL = { name: 'Treadmill run', ...FOOT };
const INDOOR_RIDE = { name: 'Indoor ride', ...BIKE };
const INDOOR_ROW = { name: 'Indoor row', ...WATER, pace: PER_500_M };

/** By `sub_sport`, if it means the same in every sport. */
const SUB_SPORTS: Readonly<Record<number, Sport>> = {
  ...named(getFitSubSportName, [43, 44, 65, 69, 72, 77, 84, 85, 87, 94, 95, 96, 97]),
  1: TREADMILL,
  5: INDOOR_RIDE,
  6: INDOOR_RIDE,
  14: INDOOR_ROW,
  15: { name: 'Elliptical workout', cadence: 'spm' },
  16: { name: 'Stair climb', cadence: 'spm' },
  17: { name: 'Pool swim' },
  19: { name: 'Stretching' },
  20: { name: 'Strength workout' },
  21: { name: 'Warm-up' },
  25: { name: 'Indoor ski' },
  26: { name: 'Cardio workout' },
  27: { name: 'Indoor walk', ...FOOT },
  28: { name: 'E-bike ride' },
  29: { name: 'BMX ride' },
  31: { name: 'Speed walk' },
  35: { name: 'ATV ride' },
  36: { name: 'Motocross ride' },
  39: { name: 'Drone flight' },
  40: { name: 'Wingsuit flight' },
  45: { name: 'Indoor run', ...FOOT },
  46: { name: 'Gravel ride', ...BIKE },
  47: { name: 'E-bike ride' },
  53: { name: 'Dive' },
  54: { name: 'Dive' },
  55: { name: 'Dive' },
  56: { name: 'Freedive' },
  57: { name: 'Spearfishing' },
  62: { name: 'Breathwork' },
  63: { name: 'Dive' },
  68: { name: 'Indoor climb' },
  70: { name: 'HIIT workout' },
  71: { name: 'Winch grinding' },
  73: { name: 'AMRAP workout' },
  74: { name: 'EMOM workout' },
  75: { name: 'Tabata workout' },
  86: { name: 'Indoor wheelchair push' },
  88: { name: 'Indoor handcycle ride' },
  93: { name: 'Platform tennis' },
  111: { name: 'Paraglide' },
  112: { name: 'Paramotor flight' },
  121: { name: 'Pool freedive' },
  124: { name: 'Ruck', ...FOOT },
  127: { name: 'E-bike ride' },
};

/** By `sport` and `sub_sport`, if the name depends on the sport. */
const SPORT_SUB_SPORTS: Readonly<Record<number, Readonly<Record<number, Sport>>>> = {
  [RUNNING]: {
    3: { name: 'Trail run' },
    4: { name: 'Track run' },
    58: { name: 'Virtual run' },
    59: { name: 'Obstacle run' },
    67: { name: 'Ultra run' },
  },
  [CYCLING]: {
    8: { name: 'Mountain bike ride' },
    9: { name: 'Downhill ride' },
    10: { name: 'Recumbent ride' },
    11: { name: 'Cyclocross ride' },
    12: { name: 'Handcycle ride' },
    13: { name: 'Track ride' },
    48: { name: 'Commute' },
    58: { name: 'Virtual ride' },
    123: { name: 'Enduro ride' },
    153: { name: 'Mountain bike ride' },
    154: { name: 'Downhill ride' },
  },
  [SWIMMING]: { 18: { name: 'Open water swim' } },
  11: { 1: { name: 'Treadmill walk' }, 58: { name: 'Virtual walk' } },
  12: { 42: { name: 'Skate ski' }, 37: { name: 'Backcountry ski' } },
  13: { 37: { name: 'Backcountry ski' } },
  14: { 37: { name: 'Backcountry snowboard' } },
  15: { 58: { name: 'Virtual row' } },
  41: { 41: { name: 'Whitewater kayak' } },
  69: { 92: { name: 'Ultimate' } },
  70: { 92: { name: 'Ultimate' } },
  73: { 90: { name: 'Field hockey' }, 91: { name: 'Ice hockey' } },
};

/** The sport of a generic session that only a sub sport names, as the Forerunner 310XT writes it. */
const SPORTS_BY_SUB_SPORT: Readonly<Record<number, number>> = {
  3: RUNNING,
  4: RUNNING,
  8: CYCLING,
  18: SWIMMING,
  48: CYCLING,
  58: CYCLING,
};

/** Names of recordings with several sports, by `sub_sport`. */
export const MULTISPORTS: Readonly<Record<number, string>> = {
  78: 'Triathlon',
  79: 'Duathlon',
  80: 'Brick',
  81: 'Swimrun',
  82: 'Adventure race',
  126: 'Triathlon',
};

interface SportNumbers {
  readonly sport: number | undefined;
  readonly subSport: number | undefined;
}

/** Returns the sport by its number alone; undefined if the FIT profile does not define it. */
export function sportOf({ sport = -1 }: SportNumbers): Sport | undefined {
  return SPORTS[sport];
}

/** Returns the sport by its sub sport; undefined if that says no more than the sport. */
export function subSportOf({ sport = GENERIC, subSport = -1 }: SportNumbers): Sport | undefined {
  const bySport = SPORT_SUB_SPORTS[sport]?.[subSport] ?? SUB_SPORTS[subSport];
  const meant = SPORTS_BY_SUB_SPORT[subSport];
  if (bySport !== undefined || sport !== GENERIC || meant === undefined) return bySport;
  return { ...SPORTS[meant], ...SPORT_SUB_SPORTS[meant]?.[subSport] };
}

/** Returns the unit of the cadence; undefined for a sport without one. */
export function cadenceUnit(numbers: SportNumbers): CadenceUnit | undefined {
  return subSportOf(numbers)?.cadence ?? sportOf(numbers)?.cadence;
}

/** Returns the pace that athletes of the sport use; undefined: speed. */
export function paceOf(numbers: SportNumbers): Pace | undefined {
  return subSportOf(numbers)?.pace ?? sportOf(numbers)?.pace;
}

const TABLES = [SPORTS, SUB_SPORTS, ...Object.values(SPORT_SUB_SPORTS)];

/** The names that say what the sport is, by their lower case. */
const NAMES: ReadonlyMap<string, string> = new Map(
  TABLES.flatMap((table) => Object.values(table)).flatMap(({ name, isVague = false }) =>
    name === undefined || isVague ? [] : [[name.toLowerCase(), name]],
  ),
);

/** Returns the name that equals a word but for upper and lower case. */
export function namedSport(word: string): string | undefined {
  return NAMES.get(word.toLowerCase());
}
