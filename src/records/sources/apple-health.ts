import {
  KCAL_PER_KJ,
  KG_PER_POUND,
  METRES_PER_MILE,
  ML_PER_FLUID_OUNCE,
} from '../../base/units.ts';
import { type MappingRule, type Source, wellness } from './types.ts';

/** A quantity, by the end of its type's name. */
function quantity(type: string, rule: Omit<MappingRule, 'from' | 'named'>): MappingRule {
  return { from: 'value', named: `HKQuantityTypeIdentifier${type}`, ...rule };
}

function inUnits(factors: Readonly<Record<string, number>>): Pick<MappingRule, 'unit'> {
  return { unit: { from: 'unit', factors } };
}

/** `cal` are small calories, a thousandth of `Cal` (`HKUnit`). */
const ENERGY = inUnits({ kcal: 1, Cal: 1, cal: 0.001, kJ: KCAL_PER_KJ });
const LENGTH_CM = inUnits({ cm: 1, m: 100, in: 2.54, ft: 30.48 });
/** Apple writes percentages as fractions: `0.185` with the unit `%`. */
const PERCENT = { factor: 100, decimals: 1 };

/** The time of sleep with one of these values of `HKCategoryValueSleepAnalysis`. */
function sleep(...values: string[]): MappingRule {
  const words = values.map((value) => [`HKCategoryValueSleepAnalysis${value}`, 1]);
  return {
    from: 'value',
    named: 'HKCategoryTypeIdentifierSleepAnalysis',
    words: Object.fromEntries(words) as Record<string, number>,
    combine: 'night',
  };
}

export const appleHealth: Source = {
  name: 'apple-health',
  title: 'Apple Health export',
  howTo:
    'On the iPhone: Health > your picture > Export All Health Data. Send export.zip to this computer; it need not be unpacked.',
  evidence: [
    'https://developer.apple.com/documentation/healthkit/hkquantitytypeidentifier',
    'https://developer.apple.com/documentation/healthkit/hkcategoryvaluesleepanalysis',
    'dogsheep/healthkit-to-sqlite tests/export.xml',
  ],
  files: [
    wellness('xml', 'health records', {
      records: 'Record',
      has: ['HealthData'],
      name: 'type',
      day: { from: 'startDate' },
      span: {
        from: { from: 'startDate' },
        to: { from: 'endDate' },
        origin: 'sourceName',
        prefer: ['watch'],
      },
      fields: {
        weight: quantity(
          'BodyMass',
          inUnits({ kg: 1, g: 0.001, lb: KG_PER_POUND, st: 14 * KG_PER_POUND }),
        ),
        bodyFat: quantity('BodyFatPercentage', PERCENT),
        abdomen: quantity('WaistCircumference', LENGTH_CM),
        restingHr: quantity('RestingHeartRate', {}),
        // Apple measures SDNN at several times of the day; the Health app shows their mean.
        hrvSdnn: quantity('HeartRateVariabilitySDNN', { combine: 'mean', decimals: 1 }),
        respiration: quantity('RespiratoryRate', { combine: 'mean', decimals: 1 }),
        spO2: quantity('OxygenSaturation', { ...PERCENT, combine: 'mean' }),
        // The wrist temperature of a night is left out: its record starts on the evening before.
        vo2max: quantity('VO2Max', {}),
        systolic: quantity('BloodPressureSystolic', inUnits({ mmHg: 1 })),
        diastolic: quantity('BloodPressureDiastolic', inUnits({ mmHg: 1 })),
        hydrationVolume: quantity('DietaryWater', {
          ...inUnits({
            mL: 1,
            cL: 10,
            dL: 100,
            L: 1_000,
            fl_oz_us: ML_PER_FLUID_OUNCE,
            fl_oz_imp: 28.4131,
            cup_us: 236.588,
            cup_imp: 284.131,
            pt_us: 473.176,
            pt_imp: 568.261,
          }),
          combine: 'once',
        }),
        steps: quantity('StepCount', { combine: 'once' }),
        floors: quantity('FlightsClimbed', { combine: 'once' }),
        distanceMeters: quantity('DistanceWalkingRunning', {
          ...inUnits({ km: 1_000, m: 1, mi: METRES_PER_MILE, ft: 0.3048 }),
          combine: 'once',
          decimals: 0,
        }),
        exerciseMinutes: quantity('AppleExerciseTime', { ...inUnits({ min: 1 }), combine: 'once' }),
        activeCaloriesBurned: quantity('ActiveEnergyBurned', {
          ...ENERGY,
          combine: 'once',
          decimals: 0,
        }),
        restingCaloriesBurned: quantity('BasalEnergyBurned', {
          ...ENERGY,
          combine: 'once',
          decimals: 0,
        }),
        sleepSecs: sleep('Asleep', 'AsleepUnspecified', 'AsleepCore', 'AsleepDeep', 'AsleepREM'),
        sleepDeepSecs: sleep('AsleepDeep'),
        sleepLightSecs: sleep('AsleepCore'),
        sleepRemSecs: sleep('AsleepREM'),
        sleepAwakeSecs: sleep('Awake'),
      },
    }),
  ],
};
