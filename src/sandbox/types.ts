import type { RouteName } from './http/routes.ts';
import type { Scope } from './oauth/scopes.ts';

/** What the sandbox holds, received and does on request. The library shows these types: they import no package. */

export interface AthleteProfile {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** `Europe/Stockholm` */
  readonly timezone: string;
  /** kg, independent of the display unit. */
  readonly weight: number;
  /** When an update last set it (ms since the epoch). */
  readonly weighedAt?: number;
  /** The athlete's display unit, and the unit of a `weight` sent without one. */
  readonly weightUnits: 'Kilograms' | 'Pounds';
  /** W */
  readonly ftp: number;
  /** bpm */
  readonly maxHr: number;
  /** bpm */
  readonly lthr: number;
}

export interface RecordingState {
  readonly fitFileId: string;
  readonly sha256: string;
  /** bytes */
  readonly size: number;
  readonly fileName: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly receivedCount: number;
  readonly firstReceivedAt: string;
  readonly lastReceivedAt: string;
  /** `queued`: not processed yet; `none`: it became no workout. */
  readonly processing: 'queued' | 'workout' | 'none';
}

/** A stored wellness or nutrition record: one for each athlete, kind and date. */
export interface DailyState {
  readonly id: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** Accepted requests for this date; edits in the app do not count. */
  readonly receivedCount: number;
  readonly firstReceivedAt: string;
  readonly lastReceivedAt: string;
}

export interface LoginState {
  readonly id: string;
  readonly clientId: string;
  readonly scope: string;
  readonly createdAt: string;
  readonly revoked: boolean;
}

export interface AthleteState {
  readonly athlete: string;
  readonly profile: AthleteProfile;
  /** In the order of first arrival. */
  readonly recordings: readonly RecordingState[];
  /** By date. */
  readonly wellness: readonly DailyState[];
  /** By date. */
  readonly nutrition: readonly DailyState[];
  readonly logins: readonly LoginState[];
}

/** One part of a multipart request, without its bytes. */
export interface PartRecord {
  readonly name: string;
  /** null: the part is a text. */
  readonly fileName: string | null;
  readonly contentType: string | null;
  /** bytes */
  readonly size: number;
  readonly sha256: string;
  readonly text?: string;
}

export interface RequestRecord {
  /** 1 for the first request since the start; clearing the log does not reset it. */
  readonly ordinal: number;
  /** ISO 8601 */
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Name of the endpoint, as in a fault: `upload-fit`; null: unknown. */
  readonly route: RouteName | null;
  /** The last value of a name that occurs twice. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; Authorization and Cookie as fingerprints. */
  readonly headers: Readonly<Record<string, string>>;
  /** Size of the body (bytes); 0 until it is read. */
  size: number;
  /** A JSON body, or a form as an object of strings; secrets as fingerprints. */
  body?: unknown;
  parts?: readonly PartRecord[];
  /** The status that was sent; null if none was sent yet. */
  status: number | null;
  /** Whose token it had; null: none. */
  athlete: string | null;
  /** The faults that it met. */
  faults: readonly string[];
  /** From the request's headers to the start of the answer (ms); null if not answered. */
  durationMs: number | null;
}

/** An answer as it was sent, with secrets as fingerprints. */
export interface AnswerRecord {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded JSON, or other text; absent if it is not kept. */
  readonly body?: unknown;
}

/** A request with its answer; null if none was sent, or a fault broke it off. */
export interface AnsweredRequest extends RequestRecord {
  readonly answer: AnswerRecord | null;
}

export interface RequestFilter {
  readonly route?: string | undefined;
  readonly athlete?: string | undefined;
  /** The ordinal of an earlier request. */
  readonly after?: number | undefined;
}

/** A scripted fault with its remaining skips and hits; null: every request. */
export interface ActiveFault {
  readonly spec: string;
  readonly skipLeft: number;
  readonly hitsLeft: number | null;
}

/** An answer of the token endpoint (RFC 6749 section 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** s */
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
  /** s */
  readonly refresh_token_expires_in?: number;
}

/** Default: the first athlete, every scope of the platform, the public client, the lifetimes of the settings. */
export interface MintRequest {
  readonly athlete?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** s */
  readonly accessTtl?: number | undefined;
  /** s; null: it never expires */
  readonly refreshTtl?: number | null | undefined;
}

export interface FoodRequest {
  /** Default: the first athlete. */
  readonly athlete?: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly meal: 'breakfast' | 'lunch' | 'dinner' | 'snacks';
  /** Default: `manual`. */
  readonly source?: string;
  /** Members as the platform stores them; `logged_at` in ISO 8601. */
  readonly item: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly logged_at: string;
  };
}

/** Chooses logins; default: all. */
export interface LoginChoice {
  readonly athlete?: string | undefined;
  readonly login?: string | undefined;
}

/** Operations for tests and scripts that no deployed service has. Each throws an Error for a wrong request. */
export interface Control {
  /** Returns everything that the platform holds, of one athlete or of all. */
  state(athlete?: string): { readonly athletes: readonly AthleteState[] };
  /** Deletes recordings, wellness and nutrition; keeps logins and profiles. */
  clearState(): void;
  /** Returns the bytes of a recording that arrived, or null. */
  recordingBytes(sha256: string, athlete?: string): Uint8Array | null;
  /**
   * Processes queued recordings now, regardless of `processingMs`: one by its hash, or all of an athlete.
   * `none` ends processing for good without a workout; `duplicate` creates a workout that the platform
   * hides as a duplicate of one from another source.
   */
  process(request?: {
    readonly athlete?: string;
    readonly sha256?: string;
    readonly outcome?: 'workout' | 'none' | 'duplicate';
  }): Promise<void>;
  /** Returns the requests in the log, oldest first, without those to the control endpoints. */
  requests(filter?: RequestFilter): RequestRecord[];
  /** Returns a request with its answer. */
  request(ordinal: number): AnsweredRequest;
  /** Counts all requests since the start, including those no longer in the log. */
  requestCount(): number;
  clearRequests(): void;
  /** Changes the given settings, and returns all. An error changes none. */
  settings(change?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  faults(): readonly ActiveFault[];
  /** Lets requests fail: `upload-fit:503*2`. An error adds none. */
  addFaults(...specs: readonly string[]): void;
  /** Removes all faults, or the first with this spec. */
  clearFaults(spec?: string): void;
  /** Issues tokens as a login does, without a browser. */
  mint(request?: MintRequest): TokenAnswer;
  /** Expires access or refresh tokens now. Returns how many were still valid. */
  expire(request?: LoginChoice & { readonly kind?: 'access' | 'refresh' }): number;
  /** Revokes logins, as an athlete does who removes the application. Returns how many there were. */
  revoke(request?: LoginChoice): number;
  /** Adds an item as the athlete does in the app, or as another source. Returns it with its id. */
  addFood(request: FoodRequest): Readonly<Record<string, unknown>> & { readonly id: string };
  /** Changes fields of an item as the athlete does in the app; null removes the item. */
  editFood(id: string, changes: Readonly<Record<string, unknown>> | null): void;
}
