// Written by `npm run generate-docs` from src/records/fields.ts and docs/openapi.yaml. Do not edit.

/** The wellness of one day. */
export interface WellnessRecord {
  /** The day: `YYYY-MM-DD`, or a time in ISO 8601. */
  readonly date: string;
  /** ms: 1 to 500. */
  readonly hrv?: number | null | undefined;
  /** ms: 1 to 500. */
  readonly hrvSdnn?: number | null | undefined;
  /** bpm: whole number, 20 to 220. */
  readonly restingHr?: number | null | undefined;
  /** bpm: whole number, 20 to 220. */
  readonly avgSleepingHr?: number | null | undefined;
  /** s (24 h): whole number, 1 to 86400. */
  readonly sleepSecs?: number | null | undefined;
  /** h: 0.01 to 24. */
  readonly sleepHours?: number | null | undefined;
  /** s (24 h): whole number, 0 to 86400. */
  readonly sleepDeepSecs?: number | null | undefined;
  /** s (24 h): whole number, 0 to 86400. */
  readonly sleepRemSecs?: number | null | undefined;
  /** s (24 h): whole number, 0 to 86400. */
  readonly sleepLightSecs?: number | null | undefined;
  /** s (24 h): whole number, 0 to 86400. */
  readonly sleepAwakeSecs?: number | null | undefined;
  /** points of 100: whole number, 1 to 100. */
  readonly sleepScore?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly sleepQuality?: number | null | undefined;
  /** points of 100: whole number, 1 to 100. */
  readonly readiness?: number | null | undefined;
  /** points of 100: whole number, 1 to 100. */
  readonly recoveryScore?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly stress?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly mood?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly motivation?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly fatigue?: number | null | undefined;
  /** points of 10: whole number, 1 to 10. */
  readonly soreness?: number | null | undefined;
  /** kg: 20 to 400. */
  readonly weight?: number | null | undefined;
  /** %: 1 to 75. */
  readonly bodyFat?: number | null | undefined;
  /** cm: 30 to 300. */
  readonly abdomen?: number | null | undefined;
  /** ml/kg/min: 5 to 100. */
  readonly vo2max?: number | null | undefined;
  /** steps: whole number, 0 to 350000. */
  readonly steps?: number | null | undefined;
  /** floors: whole number, 0 to 10000. */
  readonly floors?: number | null | undefined;
  /** m: 0 to 2000000. */
  readonly distanceMeters?: number | null | undefined;
  /** min (24 h): whole number, 0 to 1440. */
  readonly exerciseMinutes?: number | null | undefined;
  /** mmHg: whole number, 40 to 300. */
  readonly systolic?: number | null | undefined;
  /** mmHg: whole number, 20 to 200. */
  readonly diastolic?: number | null | undefined;
  /** mmol/l or mg/dl: 0.5 to 1500. */
  readonly bloodGlucose?: number | null | undefined;
  /** mmol/l: 0 to 50. */
  readonly lactate?: number | null | undefined;
  /** °C: -5 to 5. */
  readonly skinTemp?: number | null | undefined;
  /** breaths/min: 2 to 80. */
  readonly respiration?: number | null | undefined;
  /** %: 40 to 100. */
  readonly spO2?: number | null | undefined;
  /** kcal: 1 to 10000. */
  readonly restingCaloriesBurned?: number | null | undefined;
  /** kcal: 0 to 30000. */
  readonly activeCaloriesBurned?: number | null | undefined;
  /** kcal: 1 to 40000. */
  readonly totalCaloriesBurned?: number | null | undefined;
  /** ml: 0 to 30000. */
  readonly hydrationVolume?: number | null | undefined;
  /** TSS/day: 0 to 1000. */
  readonly ctl?: number | null | undefined;
  /** TSS/day: 0 to 1000. */
  readonly atl?: number | null | undefined;
  readonly injury?: string | null | undefined;
  readonly menstrualPhase?: string | null | undefined;
  readonly comments?: string | null | undefined;
  /** The original record. */
  readonly rawJson?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Something that was eaten or drunk. */
export interface NutritionItem {
  /** When: ISO 8601 with an offset, or local time. */
  readonly logged_at: string;
  readonly name?: string | null | undefined;
  /** kcal: 0 to 2147483647. */
  readonly calories?: number | null | undefined;
  /** g: 0 or more. */
  readonly carbs?: number | null | undefined;
  /** g: 0 or more. */
  readonly protein?: number | null | undefined;
  /** g: 0 or more. */
  readonly fat?: number | null | undefined;
  /** g: 0 or more. */
  readonly fiber?: number | null | undefined;
  /** g: 0 or more. */
  readonly sugar?: number | null | undefined;
  readonly quantity?: string | null | undefined;
  readonly meal?: 'BREAKFAST' | 'LUNCH' | 'DINNER' | 'SNACK' | 'OTHER' | null | undefined;
  readonly absorptionType?:
    'RAPID' | 'FAST' | 'BALANCED' | 'DENSE' | 'HYPER_LOAD' | null | undefined;
}

/** The nutrition of one day. A total overrides the sum of the items. */
export interface NutritionRecord {
  /** The day: `YYYY-MM-DD`, or a time in ISO 8601. */
  readonly date: string;
  readonly items?: readonly NutritionItem[] | null | undefined;
  /** kcal: whole number, 0 to 2147483647. */
  readonly calories?: number | null | undefined;
  /** g: 0 or more. */
  readonly carbs?: number | null | undefined;
  /** g: 0 or more. */
  readonly protein?: number | null | undefined;
  /** g: 0 or more. */
  readonly fat?: number | null | undefined;
  /** ml: whole number, 0 to 2147483647. */
  readonly waterMl?: number | null | undefined;
  /** The original record. */
  readonly rawJson?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A workout as the platform shows it: deployed platforms differ. */
export interface Workout {
  readonly id?: string;
  readonly userId?: string;
  /** fit_<start in ms>_<file name with _ for each non-word character>. */
  readonly externalId?: string;
  /** fit_file for an upload. */
  readonly source?: string;
  readonly date?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly type?: string | null;
  readonly durationSec?: number | null;
  readonly distanceMeters?: number | null;
  readonly averageWatts?: number | null;
  readonly averageHr?: number | null;
  readonly tss?: number | null;
  readonly isDuplicate?: boolean;
  readonly [member: string]: unknown;
}

/** An athlete's profile as the platform shows it: deployed platforms differ. */
export interface Profile {
  readonly id?: string;
  readonly name?: string | null;
  readonly email?: string;
  readonly timezone?: string | null;
  /** Kilograms. */
  readonly weight?: number | null;
  /** What the athlete reads. */
  readonly weightUnits?: 'Kilograms' | 'Pounds';
  /** Watts. */
  readonly ftp?: number | null;
  /** Beats per minute. */
  readonly maxHr?: number | null;
  /** Beats per minute. */
  readonly lthr?: number | null;
  /** Kilograms; the newest of the wellness days and the updates. */
  readonly effectiveWeight?: number | null;
  readonly effectiveWeightSource?: Readonly<Record<string, unknown>> | null;
  readonly nickname?: string | null;
  readonly language?: string | null;
  readonly uiLanguage?: string | null;
  readonly weightSourceMode?: string | null;
  readonly heightUnits?: string | null;
  readonly distanceUnits?: string | null;
  readonly temperatureUnits?: string | null;
  readonly visibility?: string | null;
  readonly sex?: string | null;
  readonly dob?: string | null;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly country?: string | null;
  readonly height?: number | null;
  readonly restingHr?: number | null;
  readonly [member: string]: unknown;
}
