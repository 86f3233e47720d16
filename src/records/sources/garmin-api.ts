import { DEVIATION, type Mapping, type Path, type Source, type WellnessMapping } from './types.ts';

/**
 * Answers of Garmin Connect's API, as scripts with garth or python-garminconnect save them: the answer
 * itself, a list of the answers of several days, or garth's own objects with their names in snake case.
 */
const calendarDate = ['calendarDate', 'calendar_date'] as const;

/** A value that Garmin could not measure. */
const none: readonly number[] = [0, -1, -2];

/** A member of the sleep answer, in both spellings. */
function night(camel: string, snake: string): Path[] {
  return [`dailySleepDTO.${camel}`, `daily_sleep_dto.${snake}`];
}

/** Answers with one record a day, and with its date in `calendarDate`. */
const days: readonly Pick<
  WellnessMapping,
  'holds' | 'records' | 'has' | 'hasNot' | 'at' | 'fields'
>[] = [
  {
    // usersummary-service/usersummary/daily: get_stats, get_user_summary, get_stats_and_body
    holds: 'daily summaries',
    has: [
      calendarDate,
      ['totalKilocalories', 'total_kilocalories'],
      ['userDailySummaryId', 'averageStressLevel', 'average_stress_level'],
    ],
    hasNot: ['allDayStress'],
    fields: {
      restingHr: { from: ['restingHeartRate', 'resting_heart_rate'], none },
      // 0 to 100, for the whole day. The platform stores a tenth of values above 10: a tenth of all is sent.
      stress: { from: ['averageStressLevel', 'average_stress_level'], none: [-1, -2], factor: 0.1 },
      spO2: { from: ['averageSpo2', 'average_spo_2'], none },
      steps: { from: ['totalSteps', 'total_steps'] },
      distanceMeters: { from: ['totalDistanceMeters', 'total_distance_meters'] },
      floors: { from: ['floorsAscended', 'floors_ascended'] },
      totalCaloriesBurned: { from: ['totalKilocalories', 'total_kilocalories'] },
      activeCaloriesBurned: { from: ['activeKilocalories', 'active_kilocalories'] },
      restingCaloriesBurned: { from: ['bmrKilocalories', 'bmr_kilocalories'] },
    },
  },
  {
    // wellness-service/wellness/dailyHeartRate: get_heart_rates
    holds: 'heart rate',
    has: [
      calendarDate,
      ['lastSevenDaysAvgRestingHeartRate', 'last_seven_days_avg_resting_heart_rate'],
    ],
    hasNot: ['totalKilocalories', 'total_kilocalories'],
    fields: { restingHr: { from: ['restingHeartRate', 'resting_heart_rate'], none } },
  },
  {
    // userstats-service: get_rhr_day
    holds: 'resting heart rate',
    records: 'allMetrics.metricsMap.WELLNESS_RESTING_HEART_RATE',
    has: [calendarDate, 'value'],
    fields: { restingHr: { from: 'value', none } },
  },
  {
    // weight-service/weight/range and /dateRange: get_weigh_ins, get_body_composition
    holds: 'weights',
    records: [
      'dailyWeightSummaries[].allWeightMetrics[]',
      'dailyWeightSummaries[].latestWeight',
      'dateWeightList',
      '',
    ],
    has: [calendarDate, 'weight', ['samplePk', 'sample_pk']],
    // Its `date` is the local time as if it were UTC.
    at: { from: ['timestampGMT', 'timestamp_gmt'], format: 'ms' },
    fields: {
      // Grams.
      weight: { from: 'weight', factor: 0.001, none },
      bodyFat: { from: ['bodyFat', 'body_fat'], none },
    },
  },
  {
    // wellness-service/wellness/dailyStress and usersummary-service/stats/stress: get_stress_data
    holds: 'stress',
    has: [
      calendarDate,
      ['avgStressLevel', 'avg_stress_level', 'values.overallStressLevel', 'overall_stress_level'],
    ],
    fields: {
      stress: {
        from: [
          'avgStressLevel',
          'avg_stress_level',
          'values.overallStressLevel',
          'overall_stress_level',
        ],
        none: [-1, -2],
        factor: 0.1,
      },
    },
  },
  {
    // usersummary-service/stats/steps: get_daily_steps
    holds: 'steps',
    has: [calendarDate, ['totalSteps', 'total_steps'], ['stepGoal', 'step_goal']],
    fields: {
      steps: { from: ['totalSteps', 'total_steps'] },
      distanceMeters: { from: ['totalDistance', 'total_distance'] },
    },
  },
  {
    // usersummary-service: get_hydration_data
    holds: 'hydration',
    has: [calendarDate, ['valueInML', 'value_in_ml'], ['goalInML', 'goal_in_ml']],
    fields: { hydrationVolume: { from: ['valueInML', 'value_in_ml'], none: [0] } },
  },
  {
    // wellness-service/wellness/daily/spo2: get_spo2_data
    holds: 'blood oxygen',
    has: [calendarDate, 'averageSpO2'],
    fields: { spO2: { from: ['avgSleepSpO2', 'averageSpO2'], none } },
  },
  {
    // wellness-service/wellness/daily/respiration: get_respiration_data. The rate of waking hours is
    // another one.
    holds: 'respiration',
    has: [calendarDate, 'avgSleepRespirationValue'],
    fields: { respiration: { from: 'avgSleepRespirationValue', none } },
  },
  {
    // metrics-service/metrics/trainingreadiness: several a day, the latest counts.
    holds: 'training readiness',
    has: [calendarDate, 'score', ['primaryActivityTracker', 'primary_activity_tracker']],
    at: { from: 'timestamp', zone: 'utc' },
    fields: { readiness: 'score' },
  },
];

const files: readonly Mapping[] = days.map((file) => ({
  ...file,
  kind: 'wellness',
  format: 'json',
  day: { from: calendarDate },
}));

export const garminApi: Source = {
  name: 'garmin-api',
  title: 'Garmin Connect API',
  howTo:
    'Save what garth.connectapi() or a get_ method of python-garminconnect returns with json.dump: one ' +
    'answer in a file, or a list of answers.',
  evidence: [
    'matin/garth tests/data/cassettes/test_daily_summary_get.yaml',
    'matin/garth tests/data/cassettes/test_daily_sleep_data_get.yaml',
    'matin/garth tests/data/cassettes/test_hrv_data_get.yaml',
    'matin/garth tests/data/cassettes/test_weight_data_list.yaml',
    'matin/garth tests/data/cassettes/test_training_readiness_data_get.yaml',
    'matin/garth tests/stats/cassettes/test_daily_stress.yaml',
    'matin/garth src/garth/data/sleep.py',
    'cyberjunky/python-garminconnect tests/cassettes/test_stats_and_body.yaml',
    'cyberjunky/python-garminconnect tests/cassettes/test_spo2_data.yaml',
    'cyberjunky/python-garminconnect tests/cassettes/test_respiration_data.yaml',
  ],
  files: [
    ...files,
    {
      // sleep-service/sleep/dailySleepData: get_sleep_data
      kind: 'wellness',
      holds: 'sleep',
      format: 'json',
      has: [['dailySleepDTO', 'daily_sleep_dto']],
      day: { from: night('calendarDate', 'calendar_date') },
      fields: {
        hrv: { from: ['avgOvernightHrv', 'avg_overnight_hrv'], none },
        restingHr: { from: ['restingHeartRate', 'resting_heart_rate'], none },
        avgSleepingHr: {
          from: [
            ...night('avgHeartRate', 'avg_heart_rate'),
            ...night('averageSpO2HRSleep', 'average_sp_o2_hr_sleep'),
          ],
          none,
        },
        sleepSecs: { from: night('sleepTimeSeconds', 'sleep_time_seconds'), none },
        sleepDeepSecs: { from: night('deepSleepSeconds', 'deep_sleep_seconds') },
        sleepRemSecs: { from: night('remSleepSeconds', 'rem_sleep_seconds') },
        sleepLightSecs: { from: night('lightSleepSeconds', 'light_sleep_seconds') },
        sleepAwakeSecs: { from: night('awakeSleepSeconds', 'awake_sleep_seconds') },
        sleepScore: {
          from: night('sleepScores.overall.value', 'sleep_scores.overall.value'),
          none,
        },
        spO2: { from: night('averageSpO2Value', 'average_sp_o2_value'), none },
        respiration: {
          from: night('averageRespirationValue', 'average_respiration_value'),
          none,
        },
        skinTemp: {
          from: ['avgSkinTempDeviationC', 'avg_skin_temp_deviation_c'],
          means: DEVIATION,
        },
      },
    },
    {
      // hrv-service/hrv: get_hrv_data; hrv-service/hrv/daily in `hrvSummaries`. RMSSD.
      kind: 'wellness',
      holds: 'HRV',
      format: 'json',
      records: ['hrvSummaries', ''],
      has: [
        ['lastNightAvg', 'last_night_avg', 'hrvSummary.lastNightAvg', 'hrv_summary.last_night_avg'],
      ],
      day: {
        from: [...calendarDate, 'hrvSummary.calendarDate', 'hrv_summary.calendar_date'],
      },
      fields: {
        hrv: {
          from: [
            'lastNightAvg',
            'last_night_avg',
            'hrvSummary.lastNightAvg',
            'hrv_summary.last_night_avg',
          ],
          none,
        },
      },
    },
    {
      // metrics-service/metrics/maxmet: get_max_metrics, and a part of get_training_status. For running
      // (and walking) and for cycling.
      kind: 'wellness',
      holds: 'VO2max',
      format: 'json',
      records: ['mostRecentVO2Max', ''],
      has: [['generic.vo2MaxValue', 'cycling.vo2MaxValue']],
      day: { from: ['generic.calendarDate', 'cycling.calendarDate'] },
      fields: {
        vo2max: {
          from: [
            'generic.vo2MaxPreciseValue',
            'generic.vo2MaxValue',
            'cycling.vo2MaxPreciseValue',
            'cycling.vo2MaxValue',
          ],
          none,
        },
      },
    },
  ],
};
