/** The deployed revisions that the sandbox can play, newest first. */
export const REVISION_NAMES = ['2026-08', '2026-07', '2026-02'] as const;
export type Revision = (typeof REVISION_NAMES)[number];

/** What differs between revisions. Every trait is also a setting of its own. */
export interface Traits {
  /**
   * What a nutrition day that is sent again does: `append` adds the items, `replace-source` first
   * drops those that this application sent earlier, `replace` empties all four meal lists.
   */
  readonly nutrition: 'append' | 'replace-source' | 'replace';
  /**
   * `full`: items may have `meal`, need no `name`, and totals follow from all that the day holds.
   * `basic`: items need a `name`, `meal` is dropped, the list follows from the time in UTC, totals
   * follow from the request alone, and a `rawJson` that is absent becomes null.
   */
  readonly nutritionFields: 'full' | 'basic';
  /** `GET /api/nutrition`: with a range of dates, with `limit` alone, or no such route. */
  readonly nutritionList: 'dates' | 'limit' | 'none';
  /** Whether `PATCH /api/nutrition/DATE/items` exists. */
  readonly nutritionEdits: boolean;
  /** `basic` lacks twelve fields, `steps` among them: they are dropped silently. */
  readonly wellnessFields: 'full' | 'basic';
  /** Whether wellness values are converted: `stress` above 10, `spO2` up to 1, decimal kcal. */
  readonly adaptsWellness: boolean;
  /** Whether upload answers list each file under `items`. */
  readonly uploadItems: boolean;
  /** Whether uploads have a `name` part. */
  readonly uploadNames: boolean;
  /** Whether `weightUnits` and the athlete's display unit count; otherwise weights are kg. */
  readonly profileUnits: boolean;
  /** Whether a login is granted any text as a scope; otherwise an unknown one is 400 on consent. */
  readonly grantsAnyScope: boolean;
  /**
   * What a refresh answers: `rotate`, a new refresh token, and the old one ends at once; `keep`, the
   * same again; `omit`, none, and the stored one stays valid.
   */
  readonly refreshToken: 'rotate' | 'keep' | 'omit';
  /** Lifetime of a login's refresh tokens, counted from the login, seconds; null: no limit. */
  readonly refreshTtl: number | null;
  /** Whether token answers carry `refresh_token_expires_in`, if there is a limit. */
  readonly announceRefreshTtl: boolean;
  /** Whether a refresh compares the client with the one that logged in. */
  readonly refreshChecksClient: boolean;
}

const NEWEST: Traits = {
  nutrition: 'append',
  nutritionFields: 'full',
  nutritionList: 'dates',
  nutritionEdits: true,
  wellnessFields: 'full',
  adaptsWellness: true,
  uploadItems: true,
  uploadNames: true,
  profileUnits: true,
  grantsAnyScope: false,
  refreshToken: 'keep',
  refreshTtl: null,
  announceRefreshTtl: true,
  refreshChecksClient: true,
};

export const REVISIONS: Readonly<Record<Revision, Traits>> = {
  '2026-08': NEWEST,
  '2026-07': { ...NEWEST, nutrition: 'replace-source', nutritionEdits: false },
  '2026-02': {
    nutrition: 'replace',
    nutritionFields: 'basic',
    nutritionList: 'limit',
    nutritionEdits: false,
    wellnessFields: 'basic',
    adaptsWellness: false,
    uploadItems: false,
    uploadNames: false,
    profileUnits: false,
    grantsAnyScope: true,
    refreshToken: 'rotate',
    refreshTtl: 30 * 24 * 3600,
    announceRefreshTtl: false,
    refreshChecksClient: false,
  },
};
