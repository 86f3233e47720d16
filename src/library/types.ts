/// <reference lib="esnext.disposable" preserve="true" />
import type {
  NutritionRecord,
  Profile,
  WellnessRecord,
  Workout,
} from '../../scripts/json-schema/records.ts';
import type {
  RecordResult,
  UploadResult,
  VerifyResult,
} from '../../scripts/json-schema/results.ts';

export type * from '../../scripts/json-schema/records.ts';
export type { RecordResult, UploadResult, VerifyResult };

/*
 * The types of the package's client. They import nothing of the program, so that its inner types may
 * change in a patch release: docs/library.md has the promise. A result has the fields of its line of
 * `--json`, and its type follows from the schema of that line.
 */

/** The tokens of one login. */
export interface Tokens {
  /** Absent: the refresh token gets one. */
  readonly accessToken?: string | undefined;
  /** Absent: the login ends with the access token. */
  readonly refreshToken?: string | undefined;
  /** When the access token expires (ms since 1970). */
  readonly expiresAt?: number | undefined;
  /** The granted scopes. */
  readonly scopes?: readonly string[] | undefined;
}

/** Keeps the tokens of one login. A rejection is reported as `STORAGE`, and no token is lost. */
export interface TokenStore {
  load(): Promise<Tokens | null | undefined>;
  /**
   * Replaces the stored tokens, and resolves when they would survive a crash. It is also called with the
   * tokens so far, before a refresh: that proves that new ones can be saved.
   */
  save(tokens: Tokens): Promise<void>;
}

/** The options of every client. */
export interface CommonOptions {
  /** The address of the platform: https, or http on this machine. */
  readonly baseUrl: string | URL;
  /** The OAuth client that the tokens were issued to; needed to refresh them. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /**
   * A folder of this login for the ledger, which records sent data. Only one athlete may use it. By
   * default it is a temporary folder, and the next client knows nothing of this one.
   */
  readonly stateDir?: string | undefined;
  /** The zone that decides about days, such as `Europe/Berlin`. Default: that of this machine. */
  readonly timezone?: string | undefined;
  /**
   * `interface`: the platform does what the interface says, so a nutrition day that is sent again is replaced.
   * `coach-watts`: its items are added. Default: the answers of the platform show it.
   */
  readonly platformKind?: 'interface' | 'coach-watts' | undefined;
  /** Paths of the platform that differ from those of the interface, such as `{ wellness: '/v2/days' }`. */
  readonly endpoints?:
    | Readonly<
        Partial<
          Record<
            'token' | 'userinfo' | 'uploadFit' | 'wellness' | 'nutrition' | 'workouts' | 'profile',
            string
          >
        >
      >
    | undefined;
  /** Name of the file part of an upload. Default: `file`. */
  readonly filePart?: string | undefined;
  /** Requests in flight at once, 1 to 32. Default: 4. */
  readonly jobs?: number | undefined;
  /**
   * Longest pause before a retry (ms); if the platform asks for a longer one (`Retry-After`), the request fails.
   * Default: a minute. With 10, a test of faults takes milliseconds.
   */
  readonly maxRetryWait?: number | undefined;
  /** The clock (ms since 1970). Default: that of this machine. */
  readonly now?: (() => number) | undefined;
  /** Aborts every operation of the client. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what stops no operation, but may matter to a person. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** With `tokens`, refreshed ones are lost with the client; a `store` keeps them. */
export type ClientOptions = CommonOptions &
  ({ readonly tokens: Tokens } | { readonly store: TokenStore });

/** A client of the platform for one login. All methods reject with a `SyncError`, or with the reason of its `signal`. */
export interface Client extends AsyncDisposable {
  /** Uploads a FIT recording in memory, once. */
  upload(recording: RecordingBytes, options?: UploadOptions): Promise<UploadResult>;
  /**
   * Uploads FIT recordings, each once: files, folders and zip archives by their paths, and recordings in
   * memory. One result for each recording, in no fixed order.
   */
  upload(
    recordings: string | readonly (string | RecordingBytes)[],
    options?: UploadOptions,
  ): Promise<UploadResult[]>;
  /** Sends the wellness of a day, in the platform's form. */
  pushWellness(record: WellnessRecord, options?: PushOptions): Promise<RecordResult>;
  /**
   * Sends wellness: a list of records, or the path of a file that `sync push wellness` takes. One result for
   * each day and each unusable record.
   */
  pushWellness(
    records: string | readonly WellnessRecord[],
    options?: PushOptions,
  ): Promise<RecordResult[]>;
  /** Sends the nutrition of a day: each item arrives once. Calls for one day add up: see `merge`. */
  pushNutrition(record: NutritionRecord, options?: NutritionOptions): Promise<RecordResult>;
  /** Sends nutrition: a list of records, or the path of a file that `sync push nutrition` takes. */
  pushNutrition(
    records: string | readonly NutritionRecord[],
    options?: NutritionOptions,
  ): Promise<RecordResult[]>;
  /**
   * Removes from a day (`YYYY-MM-DD`) the nutrition items that this client sent, or those of one `origin`. Items
   * of others stay.
   */
  undoNutrition(date: string, options?: UndoOptions): Promise<RecordResult>;
  /**
   * Returns the athlete's profile as the platform shows it, after the change if there is one. Undefined: the
   * platform shows none.
   */
  profile(change?: ProfileChange): Promise<Profile | undefined>;
  /** Lists workouts as the platform shows them, newest first. */
  workouts(options?: WorkoutOptions): Promise<Workout[]>;
  /** Compares the recordings in the ledger with the platform's workouts. */
  verify(): Promise<VerifyResult[]>;
  /** Ends operations in flight, waits for a refresh, and closes connections and ledger. May be called twice. */
  close(): Promise<void>;
}

/** A recording in memory. */
export interface RecordingBytes {
  /** Its file name, which the platform shows: `ride.fit`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface UploadOptions {
  /** Display name. Default: from the recording. */
  readonly name?: string | undefined;
  /** Further metadata for the platform. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Also sends recordings that were uploaded before. */
  readonly force?: boolean | undefined;
  /** Also sends FIT files that are not activities. */
  readonly anyType?: boolean | undefined;
}

export interface PushOptions {
  /** Also sends days that have not changed. */
  readonly force?: boolean | undefined;
  /** Refuses unknown fields, days far ahead, and values that need adapting. */
  readonly strict?: boolean | undefined;
}

export interface NutritionOptions extends PushOptions {
  /**
   * What happens to items that earlier calls sent for the day, and that these records lack: `add` keeps all,
   * `update` removes those of the same `origin`, `replace-day` removes all. Default: `add` for records without
   * an `origin`, otherwise `update`. An item with the time and name of an earlier one is its new version.
   */
  readonly merge?: 'update' | 'add' | 'replace-day' | undefined;
  /**
   * A name for the place that the records are from, such as `lunch` or `my-diary`: a call replaces what an
   * earlier call of the same origin sent for the day. By default, the origin of a file is its path, or the program
   * that wrote it.
   */
  readonly origin?: string | undefined;
}

export interface UndoOptions {
  /** Removes only what this origin holds. */
  readonly origin?: string | undefined;
}

/** Only the given members change. */
export interface ProfileChange {
  /** kg */
  readonly weight?: number | undefined;
  /** W */
  readonly ftp?: number | undefined;
}

export interface WorkoutOptions {
  /** The first and the last day: `YYYY-MM-DD` in the client's zone. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Default: 20. */
  readonly limit?: number | undefined;
}
