import { CYCLING, RUNNING, SWIMMING } from '../fit/sports.ts';

/** `sport` and `sub_sport` of the FIT profile. */
export interface SportNumbers {
  readonly sport: number;
  readonly subSport: number;
}

const UNKNOWN: SportNumbers = { sport: 0, subSport: 0 };

/**
 * The words of Strava, Garmin, Komoot, Polar and Suunto, and of TCX, without what separates their parts. Strava
 * wrote numbers for the two most frequent sports.
 */
const WORDS: readonly (readonly [sport: number, subSport: number, words: string])[] = [
  [RUNNING, 0, 'run running jogging roadrunning streetrunning 9'],
  [RUNNING, 1, 'treadmill treadmillrunning indoorrunning'],
  [RUNNING, 3, 'trailrun trailrunning'],
  [RUNNING, 4, 'trackrunning trackandfieldrunning'],
  [RUNNING, 58, 'virtualrun virtualrunning'],
  [CYCLING, 0, 'ride cycling biking bike bicycle touringbicycle citybike commuting 1'],
  [CYCLING, 6, 'indoorcycling indoorride spinning'],
  [CYCLING, 7, 'roadcycling roadbiking roadride racebike'],
  [CYCLING, 8, 'mountainbike mountainbiking mountainbikeride mtb mtbeasy mtbadvanced'],
  [CYCLING, 9, 'downhillbike downhillbiking'],
  [CYCLING, 11, 'cyclocross'],
  [CYCLING, 46, 'gravelride gravelcycling gravel'],
  [CYCLING, 58, 'virtualride virtualcycling'],
  [21, 0, 'ebikeride ebiking ebikefitness ecycling etouringbicycle eracebike eroadcycling'],
  [21, 47, 'emountainbikeride ebikemountain emtb emtbeasy emtbadvanced'],
  [SWIMMING, 0, 'swim swimming'],
  [SWIMMING, 17, 'poolswim poolswimming lapswimming'],
  [SWIMMING, 18, 'openwaterswim openwaterswimming'],
  [11, 0, 'walk walking casualwalking speedwalking nordicwalking'],
  [17, 0, 'hike hiking trekking'],
  [12, 0, 'nordicski nordicskiing nordic crosscountryskiing xcskiing langlauf'],
  [12, 42, 'skateskiing'],
  [13, 0, 'alpineski alpineskiing skialpin resortskiing skiing downhillskiing'],
  [13, 0, 'resortskiingsnowboarding'],
  [13, 37, 'backcountryski backcountryskiing skitour skitouring skimountaineering'],
  [14, 0, 'snowboard snowboarding resortsnowboarding'],
  [35, 0, 'snowshoe snowshoeing'],
  [15, 0, 'rowing row'],
  [15, 14, 'indoorrowing rowingmachine'],
  [41, 0, 'kayaking kayak'],
  [88, 0, 'canoeing canoe'],
  [37, 0, 'standuppaddling standuppaddleboarding sup'],
  [30, 0, 'inlineskate inlineskating skaten'],
  [33, 0, 'iceskate iceskating skating'],
  [31, 0, 'climbing rockclimbing'],
  [16, 0, 'mountaineering'],
  [4, 15, 'elliptical'],
  [10, 0, 'workout training fitness'],
  [10, 20, 'weighttraining strengthtraining strength'],
];

const BY_WORD: ReadonlyMap<string, SportNumbers> = new Map(
  WORDS.flatMap(([sport, subSport, words]) =>
    words.split(' ').map((word) => [word, { sport, subSport }] as const),
  ),
);

/**
 * Returns the sport that a file's word stands for; without a known word, none is stated. Garmin marks newer words:
 * `rowing_v2`, `skating_ws`.
 */
export function sportOfWord(word: string | undefined): SportNumbers {
  const stem = (word ?? '').toLowerCase().replace(/_(?:v2|ws)$/, '');
  const plain = stem.replace(/[^a-z0-9]/g, '');
  return BY_WORD.get(plain) ?? UNKNOWN;
}
