import { DEVICE_STRESS, NIGHT, type Source, wellness } from './types.ts';

/** Garmin writes 0, -1 or -2 for a value that it could not measure. */
const none: readonly number[] = [0, -1, -2];

/** Floors are 10 ft. */
const FLOORS_PER_METRE = 1 / 3.048;

/**
 * The archive that Garmin sends on request. Its times are in UTC, its `calendarDate` is the athlete's day;
 * a night belongs to the day of waking.
 */
export const garminExport: Source = {
  name: 'garmin-export',
  title: 'Garmin Connect account export',
  howTo:
    'On https://www.garmin.com/account/datamanagement/exportdata choose "Request Data Export"; Garmin ' +
    'sends a link to a ZIP archive.',
  evidence: [
    'dapperAuteur/centenarian-os scripts/garmin-export-to-centos.mjs',
    'konrad-te/AirIQ backend/services/garmin_sleep.py',
    'ColonelPanicX/garmin-extract pullers/garmin_import_export.py',
    'james-langridge/garmin-export-parser src/parsers/training-parser.ts',
  ],
  files: [
    wellness('json', 'daily summaries', {
      // DI-Connect-Aggregator/UDSFile_*.json. The respiration here is the one of waking hours, not of the
      // night as in the other files: it is left out.
      has: [
        'calendarDate',
        ['totalSteps', 'totalKilocalories', 'restingHeartRate', 'currentDayRestingHeartRate'],
        ['allDayStress', 'bodyBattery', 'userProfilePK', 'wellnessStartTimeGmt'],
      ],
      hasNot: ['userDailySummaryId', 'averageStressLevel', 'lastSevenDaysAvgRestingHeartRate'],
      ignored: ['respiration'],
      day: { from: 'calendarDate' },
      fields: {
        // `restingHeartRate` is the mean of seven days (FIT SDK, `monitoring_hr_data`).
        restingHr: { from: ['currentDayRestingHeartRate', 'restingHeartRate'], none },
        stress: {
          from: 'allDayStress.aggregatorList[type=TOTAL].averageStressLevel',
          none,
          means: DEVICE_STRESS,
        },
        spO2: { from: ['averageSpo2Value', 'averageSpo2'], none },
        steps: 'totalSteps',
        distanceMeters: 'totalDistanceMeters',
        floors: { from: 'floorsAscendedInMeters', factor: FLOORS_PER_METRE },
        totalCaloriesBurned: 'totalKilocalories',
        activeCaloriesBurned: 'activeKilocalories',
        restingCaloriesBurned: 'bmrKilocalories',
      },
    }),
    wellness('json', 'sleep', {
      // DI-Connect-Wellness/*_sleepData.json
      has: ['calendarDate', 'sleepStartTimestampGMT', 'sleepWindowConfirmationType'],
      hasNot: ['sleepTimeSeconds'],
      day: { from: 'calendarDate' },
      // Naps are records, too.
      sleep: [...NIGHT, 'sleepScore', 'avgSleepingHr', 'spO2', 'respiration'],
      fields: {
        sleepSecs: {
          from: 'lightSleepSeconds',
          and: ['deepSleepSeconds', 'remSleepSeconds'],
          none,
        },
        sleepDeepSecs: { from: 'deepSleepSeconds', none },
        sleepRemSecs: { from: 'remSleepSeconds', none },
        sleepLightSecs: { from: 'lightSleepSeconds', none },
        sleepAwakeSecs: { from: 'awakeSleepSeconds', none },
        sleepScore: { from: 'sleepScores.overallScore', none },
        avgSleepingHr: { from: 'spo2SleepSummary.averageHR', none },
        spO2: { from: 'spo2SleepSummary.averageSPO2', none },
        respiration: { from: 'averageRespiration', none },
      },
    }),
    wellness('json', 'health status', {
      // DI-Connect-Wellness/*_healthStatusData.json: the night, compared with the wearer's usual range. A
      // value of 0 has the status UNKNOWN.
      has: ['calendarDate', ['metrics[type=HRV]', 'metrics[type=HR]', 'metrics[type=SPO2]']],
      day: { from: 'calendarDate' },
      fields: {
        hrv: { from: 'metrics[type=HRV].value', none },
        avgSleepingHr: { from: 'metrics[type=HR].value', none },
        spO2: { from: 'metrics[type=SPO2].value', none },
        skinTemp: { from: 'metrics[type=SKIN_TEMP_C].value', none: [0] },
        respiration: { from: 'metrics[type=RESPIRATION].value', none },
      },
    }),
    wellness('json', 'weights', {
      // DI-Connect-Wellness/*_userBioMetrics.json; most records have no weight.
      has: ['metaData.calendarDate', ['weight.weight', 'metaData.sequence']],
      hasNot: ['bloodPressure'],
      day: { from: 'metaData.calendarDate' },
      at: { from: 'weight.timestampGMT', zone: 'utc' },
      fields: {
        // Grams.
        weight: { from: 'weight.weight', factor: 0.001, none },
        bodyFat: { from: 'weight.bodyFat', none },
      },
    }),
    wellness('json', 'hydration', {
      // DI-Connect-Aggregator/HydrationLogFile_*.json. Workouts log what was sweated, with an intake of 0.
      has: ['calendarDate', 'hydrationSource'],
      day: { from: 'calendarDate' },
      fields: { hydrationVolume: { from: 'valueInML', combine: 'sum', none: [0] } },
    }),
    wellness('json', 'blood pressure', {
      // DI-Connect-Wellness/BloodPressureFile_*.json
      has: ['metaData.calendarDate', 'bloodPressure.systolic'],
      day: { from: 'metaData.calendarDate' },
      fields: { systolic: 'bloodPressure.systolic', diastolic: 'bloodPressure.diastolic' },
    }),
    wellness('json', 'VO2max', {
      // DI-Connect-Metrics/MetricsMaxMetData_*.json: for running and for cycling.
      has: ['calendarDate', 'vo2MaxValue'],
      day: { from: 'calendarDate' },
      at: { from: 'updateTimestamp', zone: 'utc' },
      fields: { vo2max: { from: 'vo2MaxValue', none } },
    }),
    wellness('json', 'training readiness', {
      // DI-Connect-Metrics/TrainingReadinessDTO_*.json: several a day. The first is the morning's, before any workout.
      has: ['calendarDate', 'score', ['recoveryTime', 'feedbackShort', 'hrvWeeklyAverage']],
      hasNot: ['primaryActivityTracker'],
      ignored: ['sleepScore'],
      day: { from: 'calendarDate' },
      at: { from: 'timestamp', zone: 'utc' },
      fields: { readiness: { from: 'score', combine: 'earliest' } },
    }),
  ],
};
