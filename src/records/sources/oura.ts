import { type Mapping, NIGHT, type Source, type WellnessMapping, wellness } from './types.ts';

/** The day of a night is the day of waking. */
const day: WellnessMapping['day'] = { from: 'day' };

/**
 * What the API answers, record by record. The account export has the same members as columns, with JSON in
 * the cells of members that have members.
 */
const kinds: readonly Pick<
  WellnessMapping,
  'holds' | 'has' | 'hasNot' | 'ignored' | 'where' | 'at' | 'fields' | 'sleep'
>[] = [
  {
    // A day may have naps and rests beside its long sleep, and two long ones.
    holds: 'sleep',
    has: ['day', 'total_sleep_duration', 'type'],
    ignored: ['hrv', 'readiness'],
    where: { type: ['long_sleep'] },
    at: { from: 'bedtime_end' },
    sleep: [...NIGHT, 'hrv', 'restingHr', 'avgSleepingHr', 'respiration'],
    fields: {
      // RMSSD.
      hrv: { from: 'average_hrv', none: [0] },
      // Oura shows the lowest heart rate of the night as the resting heart rate.
      restingHr: { from: 'lowest_heart_rate', none: [0] },
      avgSleepingHr: { from: 'average_heart_rate', none: [0] },
      sleepSecs: 'total_sleep_duration',
      sleepDeepSecs: 'deep_sleep_duration',
      sleepRemSecs: 'rem_sleep_duration',
      sleepLightSecs: 'light_sleep_duration',
      sleepAwakeSecs: 'awake_time',
      respiration: { from: 'average_breath', none: [0] },
    },
  },
  {
    holds: 'activity',
    has: ['day', 'steps', ['active_calories', 'total_calories']],
    fields: {
      steps: 'steps',
      activeCaloriesBurned: 'active_calories',
      totalCaloriesBurned: 'total_calories',
    },
  },
  {
    holds: 'readiness',
    has: ['day', 'score', 'temperature_deviation'],
    fields: {
      readiness: { from: 'score', none: [0] },
      skinTemp: { from: 'temperature_deviation' },
    },
  },
  {
    holds: 'VO2max',
    has: ['day', 'vo2_max'],
    fields: { vo2max: { from: 'vo2_max', none: [0] } },
  },
  {
    holds: 'blood oxygen',
    has: ['day', 'spo2_percentage'],
    fields: { spO2: { from: 'spo2_percentage.average', none: [0] } },
  },
  {
    // Only the contributors tell it from other scores: by their names in JSON, as a column in a table.
    holds: 'sleep scores',
    has: ['day', 'score', 'contributors', 'timestamp'],
    hasNot: [
      'temperature_deviation',
      'steps',
      'contributors.hrv_balance',
      'contributors.stay_active',
    ],
    fields: { sleepScore: { from: 'score', none: [0] } },
  },
];

/** Answers of the API have their records in `data`; programs often save the records alone. */
const answers = (['json', 'csv'] as const).flatMap((format) =>
  kinds.map((kind): Mapping => ({ ...kind, kind: 'wellness', format, records: ['data', ''], day })),
);

export const oura: Source = {
  name: 'oura',
  title: 'Oura',
  howTo:
    'In the Oura Membership Hub (https://membership.ouraring.com) choose "Export data"; the CSV files are ' +
    'in the folder "App Data". Answers of the API v2 (https://cloud.ouraring.com/v2/docs) work as well.',
  evidence: [
    'https://cloud.ouraring.com/v2/docs',
    'https://deno.land/x/oura_api/mod.ts?s=Sleep',
    'https://gist.github.com/CraigglesO/8b22ed92e458a4b9035f35e90b5ae0dd',
    'davidronnlid/psychedevs client/src/typeModels/ouraModel.tsx',
    'mbalesni/heavy-sleeper health_analysis/loaders.py',
    'vishk23/noop Packages/StrandImport/Tests/StrandImportTests/WearableExportImporterTests.swift',
  ],
  files: [
    ...answers,
    wellness('csv', 'trends', {
      // "Trends" of the former web site, one line a day.
      has: ['date', 'Total Sleep Duration', ['Sleep Score', 'Readiness Score', 'Average HRV']],
      day: { from: 'date' },
      fields: {
        hrv: 'Average HRV',
        restingHr: 'Lowest Resting Heart Rate',
        avgSleepingHr: 'Average Resting Heart Rate',
        sleepSecs: 'Total Sleep Duration',
        sleepDeepSecs: 'Deep Sleep Duration',
        sleepRemSecs: 'REM Sleep Duration',
        sleepLightSecs: 'Light Sleep Duration',
        sleepAwakeSecs: 'Awake Time',
        sleepScore: 'Sleep Score',
        readiness: 'Readiness Score',
        respiration: 'Respiratory Rate',
        skinTemp: { from: ['Temperature Deviation (°C)', 'Temperature Deviation'] },
        steps: 'Steps',
        activeCaloriesBurned: 'Activity Burn',
        totalCaloriesBurned: 'Total Burn',
      },
    }),
  ],
};
