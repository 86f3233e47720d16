import {
  type MappingRule,
  type Path,
  type Source,
  type WellnessMapping,
  nutrition,
} from './types.ts';

/** The platform's own mapping of 1 to 4, of which 1 is the best, for scores of which the most is good, and bad. */
const good = (from: Path): MappingRule => ({ from, words: { '1': 10, '2': 7, '3': 4, '4': 1 } });
const bad = (from: Path): MappingRule => ({ from, words: { '1': 1, '2': 4, '3': 7, '4': 10 } });

/**
 * Most names are the platform's own. Left out: values copied from an earlier day (`temp*`), the loads of
 * one day, `sportInfo`, and fields of the athlete's own.
 */
const fields: Readonly<Record<string, Path | MappingRule>> = {
  ...Object.fromEntries(
    (
      'hrv sleepSecs sleepScore readiness bodyFat abdomen vo2max steps systolic diastolic ' +
      'bloodGlucose lactate respiration spO2 ctl atl comments'
    )
      .split(' ')
      .map((name) => [name, name]),
  ),
  hrvSdnn: 'hrvSDNN',
  weight: { from: 'weight', unless: 'tempWeight' },
  restingHr: { from: 'restingHR', unless: 'tempRestingHR' },
  avgSleepingHr: 'avgSleepingHR',
  sleepQuality: good('sleepQuality'),
  mood: good('mood'),
  motivation: good('motivation'),
  stress: bad('stress'),
  fatigue: bad('fatigue'),
  soreness: bad('soreness'),
  // Litres.
  hydrationVolume: { from: 'hydrationVolume', factor: 1000 },
  injury: {
    from: 'injury',
    words: { '1': 'None', '2': 'Niggle', '3': 'Poor', '4': 'Injured' },
  },
  menstrualPhase: { from: 'menstrualPhase', none: ['NONE'] },
};

/** Names of which neither the platform nor other programs know any. */
const own: readonly Path[] = ['ctlLoad', 'atlLoad', 'rampRate', 'baevskySI', 'kcalConsumed'];

/** In JSON, the platform's own records have a `date` and no `id`. */
const shared: readonly Path[] = [
  'restingHR',
  'hrvSDNN',
  'sleepSecs',
  'avgSleepingHR',
  'tempWeight',
];

/** What was eaten on a day: there are no items. */
const totals: Readonly<Record<string, Path>> = {
  calories: 'kcalConsumed',
  carbs: 'carbohydrates',
  protein: 'protein',
  fat: 'fatTotal',
};

const wellness = { kind: 'wellness', holds: 'wellness', fields } as const;

const answer: WellnessMapping = {
  ...wellness,
  format: 'json',
  has: ['id', [...own, ...shared]],
  // The athlete's own records may have an `id`, too.
  hasNot: ['date', 'day', 'localDate', 'calendarDate'],
  day: { from: 'id' },
};

export const intervalsIcu: Source = {
  name: 'intervals-icu',
  title: 'intervals.icu',
  howTo:
    'Open https://intervals.icu/api/v1/athlete/0/wellness.csv?oldest=2020-01-01 in a browser. The user is ' +
    'API_KEY, the password your key (Settings, Developer Settings). With wellness.json it is JSON.',
  evidence: [
    'https://intervals.icu/api-docs.html',
    'https://forum.intervals.icu/t/hrv-guided-training/3436?page=29',
    'adrian9211/private-coach docs/INTERVALS_ICU_DATA.md',
    'freekode/intervals-wellness README.md',
  ],
  files: [
    answer,
    // A webhook. FITNESS_UPDATED events hold days to come: a forecast, not measurements.
    {
      ...answer,
      records: 'events[].records[]',
      where: { '^.type': ['WELLNESS_UPDATED'] },
    },
    { ...wellness, format: 'csv', has: ['date', own], day: { from: 'date' } },
    nutrition('json', 'food of whole days', {
      has: ['id', 'kcalConsumed'],
      hasNot: ['date'],
      time: { from: 'id' },
      totals,
    }),
    nutrition('csv', 'food of whole days', {
      has: ['date', 'kcalConsumed'],
      time: { from: 'date' },
      totals,
    }),
  ],
};
