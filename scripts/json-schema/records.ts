/*
 * What the library passes on. In the package, these types have each field: scripts/written-types.mjs adds those of
 * src/records/fields.ts, and of the platform's objects in docs/openapi.yaml.
 */

/** The wellness of one day. */
export interface WellnessRecord {
  /** The day: `YYYY-MM-DD`, or a time in ISO 8601. */
  readonly date: string;
  readonly [field: string]: unknown;
}

/** Something that was eaten or drunk. */
export interface NutritionItem {
  /** When: ISO 8601 with an offset, or local time. */
  readonly logged_at: string;
  readonly [field: string]: unknown;
}

/** The nutrition of one day. A total overrides the sum of the items. */
export interface NutritionRecord {
  /** The day: `YYYY-MM-DD`, or a time in ISO 8601. */
  readonly date: string;
  readonly items?: readonly NutritionItem[] | null | undefined;
  readonly [field: string]: unknown;
}

/** A workout as the platform shows it: deployed platforms differ. */
export interface Workout {
  readonly [member: string]: unknown;
}

/** An athlete's profile as the platform shows it: deployed platforms differ. */
export interface Profile {
  readonly [member: string]: unknown;
}
