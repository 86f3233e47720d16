import {
  DEVICE_STRESS,
  type Source,
  type WellnessMapping,
  wellness,
  type WellnessRest,
} from './types.ts';

/**
 * Answers of Garmin Connect's API, as scripts with garth or python-garminconnect save them: the answer
 * itself, a list of the answers of several days, or garth's own objects with their names in snake case.
 */

/** A value that Garmin could not measure. */
const none: readonly number[] = [0, -1, -2];

function answer(
  holds: string,
  rest: Omit<WellnessRest, 'day'> & Partial<Pick<WellnessMapping, 'day'>>,
) {
  return wellness('json', holds, { day: { from: 'calendarDate' }, ...rest });
}

const answers = [
  answer('daily summaries', {
    // usersummary-service/usersummary/daily: get_stats, get_user_summary, get_stats_and_body
    has: ['calendarDate', 'totalKilocalories', ['userDailySummaryId', 'averageStressLevel']],
    hasNot: ['allDayStress'],
    ignored: ['weight', 'bodyFat'],
    fields: {
      restingHr: { from: 'restingHeartRate', none },
      stress: { from: 'averageStressLevel', none, means: DEVICE_STRESS },
      spO2: { from: ['averageSpo2', 'average_spo_2'], none },
      steps: 'totalSteps',
      distanceMeters: 'totalDistanceMeters',
      floors: 'floorsAscended',
      totalCaloriesBurned: 'totalKilocalories',
      activeCaloriesBurned: 'activeKilocalories',
      restingCaloriesBurned: 'bmrKilocalories',
    },
  }),
  answer('heart rate', {
    // wellness-service/wellness/dailyHeartRate: get_heart_rates
    has: ['calendarDate', 'lastSevenDaysAvgRestingHeartRate'],
    hasNot: ['totalKilocalories'],
    fields: { restingHr: { from: 'restingHeartRate', none } },
  }),
  answer('resting heart rate', {
    // userstats-service: get_rhr_day
    records: 'allMetrics.metricsMap.WELLNESS_RESTING_HEART_RATE',
    has: ['calendarDate', 'value'],
    fields: { restingHr: { from: 'value', none } },
  }),
  answer('weights', {
    // weight-service/weight/range and /dateRange: get_weigh_ins, get_body_composition
    records: [
      'dailyWeightSummaries[].allWeightMetrics[]',
      'dailyWeightSummaries[].latestWeight',
      'dateWeightList',
      '',
    ],
    has: ['calendarDate', 'weight', 'samplePk'],
    // Its `date` is the local time as if it were UTC.
    at: { from: 'timestampGMT' },
    fields: {
      // Grams.
      weight: { from: 'weight', factor: 0.001, none },
      bodyFat: { from: 'bodyFat', none },
    },
  }),
  answer('stress', {
    // wellness-service/wellness/dailyStress and usersummary-service/stats/stress: get_stress_data
    has: ['calendarDate', ['avgStressLevel', 'values.overallStressLevel', 'overallStressLevel']],
    fields: {
      stress: {
        from: ['avgStressLevel', 'values.overallStressLevel', 'overallStressLevel'],
        none,
        means: DEVICE_STRESS,
      },
    },
  }),
  answer('steps', {
    // usersummary-service/stats/steps: get_daily_steps
    has: ['calendarDate', 'totalSteps', 'stepGoal'],
    fields: {
      steps: 'totalSteps',
      distanceMeters: 'totalDistance',
    },
  }),
  answer('hydration', {
    // usersummary-service: get_hydration_data
    has: ['calendarDate', 'valueInML', 'goalInML'],
    fields: { hydrationVolume: { from: 'valueInML', none: [0] } },
  }),
  answer('blood oxygen', {
    // wellness-service/wellness/daily/spo2: get_spo2_data
    has: ['calendarDate', 'averageSpO2'],
    fields: { spO2: { from: ['avgSleepSpO2', 'averageSpO2'], none } },
  }),
  answer('respiration', {
    // wellness-service/wellness/daily/respiration: get_respiration_data. The rate of waking hours is
    // another one.
    has: ['calendarDate', 'avgSleepRespirationValue'],
    fields: { respiration: { from: 'avgSleepRespirationValue', none } },
  }),
  answer('training readiness', {
    // metrics-service/metrics/trainingreadiness: several a day. The first is the morning's, before any workout.
    has: ['calendarDate', 'score', 'primaryActivityTracker'],
    ignored: ['sleepScore'],
    at: { from: 'timestamp', zone: 'utc' },
    fields: { readiness: { from: 'score', combine: 'earliest' } },
  }),
  answer('sleep', {
    // sleep-service/sleep/dailySleepData: get_sleep_data
    has: ['dailySleepDTO'],
    day: { from: 'dailySleepDTO.calendarDate' },
    fields: {
      hrv: { from: 'avgOvernightHrv', none },
      restingHr: { from: 'restingHeartRate', none },
      avgSleepingHr: {
        from: ['dailySleepDTO.avgHeartRate', 'dailySleepDTO.averageSpO2HRSleep'],
        none,
      },
      sleepSecs: { from: 'dailySleepDTO.sleepTimeSeconds', none },
      sleepDeepSecs: { from: 'dailySleepDTO.deepSleepSeconds', none },
      sleepRemSecs: { from: 'dailySleepDTO.remSleepSeconds', none },
      sleepLightSecs: { from: 'dailySleepDTO.lightSleepSeconds', none },
      sleepAwakeSecs: { from: 'dailySleepDTO.awakeSleepSeconds', none },
      sleepScore: { from: 'dailySleepDTO.sleepScores.overall.value', none },
      spO2: { from: 'dailySleepDTO.averageSpO2Value', none },
      respiration: { from: 'dailySleepDTO.averageRespirationValue', none },
      skinTemp: { from: 'avgSkinTempDeviationC' },
    },
  }),
  answer('HRV', {
    // hrv-service/hrv: get_hrv_data; hrv-service/hrv/daily in `hrvSummaries`. RMSSD.
    records: ['hrvSummaries', ''],
    has: [['lastNightAvg', 'hrvSummary.lastNightAvg']],
    day: { from: ['calendarDate', 'hrvSummary.calendarDate'] },
    fields: { hrv: { from: ['lastNightAvg', 'hrvSummary.lastNightAvg'], none } },
  }),
  answer('VO2max', {
    // metrics-service/metrics/maxmet: get_max_metrics, and a part of get_training_status. For running
    // (and walking) and for cycling.
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
  }),
];

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
  files: answers,
};
