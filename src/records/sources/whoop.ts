import {
  ABSOLUTE_TEMPERATURE,
  type MappingRule,
  type Mapping,
  NIGHT,
  type Source,
  type TimeRule,
  type WellnessMapping,
  wellness,
  type WellnessRest,
} from './types.ts';

/** Headers of the account export, in English and as a German account has them. */
const onset = ['Wake onset', 'Beginn des Aufwachens'] as const;
const cycleStart = ['Cycle start time', 'Startzeit des Zyklus'] as const;
const recovery = ['Recovery score %', 'Erholungswert %'] as const;

/**
 * WHOOP's day is the day of waking. The times of the export are local times, wherever the athlete was. A
 * cycle begins as the athlete falls asleep: twelve hours later is the day of a night without a waking time.
 */
const wakeDay: TimeRule = { from: onset, or: { from: cycleStart, plusHours: 12 } };

function minutes(...from: string[]): MappingRule {
  return { from, factor: 60 };
}

/** A night, as both tables of the export have it. */
const night: WellnessMapping['fields'] = {
  sleepSecs: minutes('Asleep duration (min)', 'Schlafdauer (min.)'),
  sleepDeepSecs: minutes('Deep (SWS) duration (min)', 'Dauer des Tiefschlafs (min.)'),
  sleepRemSecs: minutes('REM duration (min)', 'Dauer des REM-Schlafs (min.)'),
  sleepLightSecs: minutes('Light sleep duration (min)', 'Dauer des Leichtschlafs (min.)'),
  sleepAwakeSecs: minutes('Awake duration (min)', 'Dauer des Aufwachens (min.)'),
  // Percent of the sleep that was needed: the score that WHOOP shows for a night.
  sleepScore: { from: ['Sleep performance %', 'Schlafleistung %'] },
  respiration: { from: ['Respiratory rate (rpm)', 'Atemfrequenz (Atemzüge/min.)'] },
};

const SLEEP = [...NIGHT, 'sleepScore', 'respiration'] as const;

const tables: readonly Mapping[] = [
  wellness('csv', 'recovery and sleep', {
    // physiological_cycles.csv. A cycle lasts from one sleep to the next: the energy burned in it is not
    // that of a calendar day, and is left out.
    has: [cycleStart, onset, recovery],
    day: wakeDay,
    sleep: [...SLEEP, 'recoveryScore', 'restingHr', 'hrv', 'spO2'],
    fields: {
      recoveryScore: { from: recovery },
      restingHr: {
        from: ['Resting heart rate (bpm)', 'Ruheherzfrequenz (Schläge pro Minute)'],
      },
      // RMSSD.
      hrv: { from: ['Heart rate variability (ms)', 'Herzfrequenzvariabilität (ms)'] },
      skinTemp: {
        from: ['Skin temp (celsius)', 'Hauttemperatur (Celsius)'],
        means: ABSOLUTE_TEMPERATURE,
      },
      spO2: { from: ['Blood oxygen %', 'Blutsauerstoff %'] },
      ...night,
    },
  }),
  wellness('csv', 'sleep', {
    // sleeps.csv, which has the naps as well.
    has: ['Cycle start time', 'Wake onset', 'Asleep duration (min)', 'Nap'],
    where: { Nap: ['false'] },
    day: wakeDay,
    sleep: SLEEP,
    fields: night,
  }),
];

/** The API's times are in UTC, with the athlete's offset beside them. */
const sleepEnd: TimeRule = { from: 'end', offset: 'timezone_offset' };

const stage = (name: string) => ({
  from: `score.stage_summary.total_${name}_time_milli`,
  factor: 0.001,
});
const SLOW_WAVE = stage('slow_wave_sleep');
const REM = stage('rem_sleep');

/** Answers of the API have their records in `records`; programs often save the records alone. */
const answer = (holds: string, rest: WellnessRest) =>
  wellness('json', holds, { records: ['records', ''], ...rest });

const answers: readonly Mapping[] = [
  answer('recovery', {
    has: ['created_at', 'score.recovery_score'],
    where: { score_state: ['SCORED'] },
    // A recovery is scored right after waking.
    day: { from: 'created_at' },
    fields: {
      recoveryScore: 'score.recovery_score',
      restingHr: 'score.resting_heart_rate',
      hrv: 'score.hrv_rmssd_milli',
      spO2: { from: 'score.spo2_percentage', none: [0] },
      skinTemp: { from: 'score.skin_temp_celsius', none: [0], means: ABSOLUTE_TEMPERATURE },
    },
  }),
  answer('sleep', {
    has: ['end', 'nap', 'score.stage_summary'],
    where: { score_state: ['SCORED'], nap: [false] },
    day: sleepEnd,
    sleep: SLEEP,
    fields: {
      sleepSecs: { ...stage('light_sleep'), and: [SLOW_WAVE.from, REM.from] },
      sleepDeepSecs: SLOW_WAVE,
      sleepRemSecs: REM,
      sleepLightSecs: stage('light_sleep'),
      sleepAwakeSecs: stage('awake'),
      sleepScore: 'score.sleep_performance_percentage',
      respiration: 'score.respiratory_rate',
    },
  }),
];

/** Body measurements of the API have no date, cycles no day of waking: neither is read. */
export const whoop: Source = {
  name: 'whoop',
  title: 'WHOOP',
  howTo:
    'In the WHOOP app open More, App Settings, Data Export, and choose "Create Export"; WHOOP sends a ZIP ' +
    'archive by e-mail. Answers of the API v2 work as well.',
  evidence: [
    'https://developer.whoop.com/docs/developing/user-data/recovery',
    'https://developer.whoop.com/docs/developing/user-data/sleep',
    'CavneyMP/PrimePathFitness app/Http/Controllers/WhoopDataController.php',
    'NoopApp/noop Packages/StrandImport/Sources/StrandImport/WhoopCsvExporter.swift',
    'vishk23/noop Packages/StrandImport/Sources/StrandImport/WhoopExportImporter.swift',
  ],
  files: [...answers, ...tables],
};
