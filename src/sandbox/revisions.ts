/** The deployed revisions that the sandbox can play, newest first. */
export const REVISION_NAMES = ['2026-08', '2026-07', '2026-02'] as const;
export type Revision = (typeof REVISION_NAMES)[number];

/** Differences between revisions. Every trait is also a setting. */
export interface Traits {
  /**
   * Effect of sending a nutrition day again: `append` adds the items, `replace-source` first drops
   * the earlier items of this application, `replace` empties all four meal lists.
   */
  readonly nutrition: 'append' | 'replace-source' | 'replace';
  /**
   * `full`: items may have a `meal` and need no `name`; totals cover the whole day. `basic`: items
   * need a `name`, `meal` is dropped, the UTC time decides the list, totals cover only the request,
   * and an absent `rawJson` becomes null.
   */
  readonly nutritionFields: 'full' | 'basic';
  /** `GET /api/nutrition`: with a date range, with only `limit`, or no such route. */
  readonly nutritionList: 'dates' | 'limit' | 'none';
  /** Whether `PATCH /api/nutrition/DATE/items` exists. */
  readonly nutritionEdits: boolean;
  /** `basic` silently drops twelve fields, `steps` among them. */
  readonly wellnessFields: 'full' | 'basic';
  /** Whether wellness values are converted: `stress` above 10, `spO2` up to 1, decimal kcal. */
  readonly adaptsWellness: boolean;
  /** Whether upload answers list each file under `items`. */
  readonly uploadItems: boolean;
  /** Whether uploads have a `name` part. */
  readonly uploadNames: boolean;
  /** Whether `weightUnits` and the display unit apply; otherwise weights are kg. */
  readonly profileUnits: boolean;
  /** Whether unknown scopes are granted; otherwise consent to one fails with 400. */
  readonly grantsAnyScope: boolean;
  /**
   * Refresh token in the answer to a refresh. `rotate`: a new one, and the old one ends at once.
   * `keep`: the same one. `omit`: none, and the old one stays valid.
   */
  readonly refreshToken: 'rotate' | 'keep' | 'omit';
  /** Lifetime of refresh tokens, counted from the login (s); null for no limit. */
  readonly refreshTtl: number | null;
  /** Whether token answers contain `refresh_token_expires_in` if there is a limit. */
  readonly announceRefreshTtl: boolean;
  /** Whether only the client that logged in may refresh. */
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
