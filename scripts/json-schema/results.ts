// Written by `npm run generate-docs` from the table in this folder. Do not edit.

/** The fields that several results have. */
interface Fields {
  /** The file as the command line names it, or the path of a file in a folder of the command line. */
  readonly path: string;
  /** The activity. Only if the recording was read and states something. */
  readonly activity?: {
    /** Display name. Only if the sport is known or a name was given. */
    readonly name?: string;
    /** When it began, with the offset that the device recorded, else in UTC (ISO 8601). Only if the recording states it. */
    readonly startedAt?: string;
    /** Time without pauses (s). Only if the recording states it. */
    readonly durationSecs?: number;
    /** Distance (m). Only if the recording states it. */
    readonly distanceMeters?: number;
  };
  /** SHA-256 of the recording, unpacked. */
  readonly sha256: string;
  /** Size of the recording, unpacked (bytes). */
  readonly size: number;
  /** Requests of this run that were to change it, repetitions included. */
  readonly attempts: number;
  /** `sync push wellness` sends what it holds. Only if it does. */
  readonly wellness?: boolean;
  /** What to do or to type next. Only if there is something to do. */
  readonly hint?: string;
  /** HTTP status. Only if the status was the refusal. */
  readonly status?: number;
  /** What the platform said, as a sentence. */
  readonly message: string;
  /** What failed: a code of the `error` line. */
  readonly code:
    | 'USAGE'
    | 'CONFIG'
    | 'INPUT_INVALID'
    | 'FOLDER_GONE'
    | 'AUTH_REQUIRED'
    | 'AUTH_EXPIRED'
    | 'AUTH_REFUSED'
    | 'AUTH_TIMEOUT'
    | 'SCOPE_MISSING'
    | 'KEYCHAIN_MISSING'
    | 'KEYCHAIN_LOCKED'
    | 'PORT_IN_USE'
    | 'NETWORK'
    | 'SERVICE_UNAVAILABLE'
    | 'SERVICE_ANSWER'
    | 'REJECTED'
    | 'FATE_UNKNOWN'
    | 'BUSY'
    | 'STORAGE'
    | 'INTERRUPTED'
    | 'INTERNAL';
  /** The local calendar date. */
  readonly date: string;
  /** The first of `sources`. Only if there is one. */
  readonly source?: string;
  /** Every input record in it: a file, `FILE#/POINTER` (RFC 6901) or `FILE:LINE`. */
  readonly sources: readonly string[];
  /** Notes on values that were accepted, and may be mistakes. */
  readonly warnings: readonly {
    /** The input record. */
    readonly source: string;
    /** The field as the input spells it. Only if it is about a field. */
    readonly field?: string;
    /** A sentence. */
    readonly message: string;
  }[];
  /** Whether the zone decided the date or an offset. */
  readonly zoneUsed: boolean;
}

/** The outcome of one recording. */
export type UploadResult =
  | ({
      /** `uploaded`: the platform took it; `duplicate`: the platform had it already. */
      readonly outcome: 'uploaded' | 'duplicate';
      /** The platform's answer. */
      readonly service: {
        /** How far the platform is, such as `queued`. Only if the platform says so. */
        readonly state?: string;
        /** The platform's identifier of the file. Only if the platform names it. */
        readonly fitFileId?: string;
        /** Identifier of the workout. Only if the platform names it. */
        readonly workoutId?: string;
        /** Identifier of the processing. Only if the platform names it. */
        readonly jobId?: string;
      };
      /** What became of `--name`, or of another workout. Only if there is more to say. */
      readonly note?: string;
    } & Pick<Fields, 'path' | 'activity' | 'sha256' | 'size' | 'attempts'>)
  | ({
      /** `skipped`: not sent, and nothing is wrong with that. */
      readonly outcome: 'skipped';
      /** Why. `already-uploaded`: the platform confirmed it before; `not-an-activity`: a FIT file of another kind, found in a folder; `before-since`: it began before the day of `--since`; `undoing`: `sync undo upload` was interrupted: the same command finishes it; `undone`: `sync undo upload` took it back; `--force` sends it again; `shorter`: a longer recording with its start and file identifier was sent; `--force` replaces its workout; `refused-before`: the platform refused it; `sync watch` waits before it retries. */
      readonly reason:
        | 'already-uploaded'
        | 'not-an-activity'
        | 'before-since'
        | 'undoing'
        | 'undone'
        | 'shorter'
        | 'refused-before';
      /** SHA-256 of the recording, unpacked. Only if it was read. */
      readonly sha256?: string;
      /** The reason as a sentence. Only if there is more to say. */
      readonly detail?: string;
    } & Pick<Fields, 'path' | 'wellness'>)
  | ({
      /** `invalid`: not sent: it cannot be used. */
      readonly outcome: 'invalid';
      /** Why. `not-fit`: no FIT file; `incomplete`: the end of the file is missing; `corrupt`: the content is damaged; `not-an-activity`: a FIT file of another kind, named on the command line; `unreadable`: the file cannot be read. */
      readonly reason: 'not-fit' | 'incomplete' | 'corrupt' | 'not-an-activity' | 'unreadable';
      /** The reason as a sentence. */
      readonly detail: string;
      /** What to type next. Only if there is a command that may help. */
      readonly hint?: string;
    } & Pick<Fields, 'path' | 'wellness'>)
  | ({
      /** `rejected`: the platform refused it for good. */
      readonly outcome: 'rejected';
    } & Pick<Fields, 'path' | 'status' | 'message' | 'activity' | 'sha256' | 'size' | 'attempts'>)
  | ({
      /** `failed`: not delivered; the same command again continues. */
      readonly outcome: 'failed';
      /** What failed and why, as a sentence. */
      readonly message: string;
      /** SHA-256 of the recording, unpacked. Only if it was read. */
      readonly sha256?: string;
      /** Size of the recording, unpacked (bytes). Only if it was read. */
      readonly size?: number;
      /** Requests of this run that were to change it, repetitions included. Only if a request was made. */
      readonly attempts?: number;
    } & Pick<Fields, 'path' | 'code' | 'hint' | 'activity'>);

/** The outcome of one day of wellness or of nutrition, or of a record that cannot be used. */
export type RecordResult =
  | ({
      /** `pushed`: the platform took it, new or changed. */
      readonly outcome: 'pushed';
      /** Always true: what others wrote on the day was not seen, and is erased. Only if the platform replaces days of nutrition, and the login may not read them. */
      readonly unseen?: boolean;
    } & Pick<Fields, 'date' | 'source' | 'sources' | 'warnings' | 'zoneUsed' | 'attempts'>)
  | ({
      /** `undone`: `sync undo` took back what was sent from here. */
      readonly outcome: 'undone';
    } & Pick<Fields, 'date' | 'source' | 'sources' | 'warnings' | 'zoneUsed' | 'attempts'>)
  | ({
      /** `skipped`: not sent. */
      readonly outcome: 'skipped';
      /** Why. `unchanged`: the platform has it; `undone`: `sync undo` took it back; only `--force` sends it again. */
      readonly reason: 'unchanged' | 'undone';
    } & Pick<Fields, 'date' | 'source' | 'sources' | 'warnings' | 'zoneUsed'>)
  | {
      /** `invalid`: not sent: it cannot be used. */
      readonly outcome: 'invalid';
      /** The input record, or the input if it cannot be read as a whole. */
      readonly source: string;
      /** The local calendar date. Only if it is known. */
      readonly date?: string;
      /** The field as the input spells it. Only if the problem is about a field. */
      readonly field?: string;
      /** The problem. */
      readonly problem: string;
      /** All problems; the first is `field` and `problem`, too. */
      readonly problems: readonly {
        /** The field as the input spells it. Only if the problem is about a field. */
        readonly field?: string;
        /** The problem. */
        readonly problem: string;
      }[];
      /** Why. Only if no record of the input can be read. `unreadable`: the input cannot be read as a whole. */
      readonly reason?: 'unreadable';
      /** What to do or to type next. Only if no record of the input can be read. */
      readonly hint?: string;
    }
  | ({
      /** `rejected`: the platform refused it for good. */
      readonly outcome: 'rejected';
    } & Pick<
      Fields,
      | 'date'
      | 'source'
      | 'sources'
      | 'warnings'
      | 'zoneUsed'
      | 'status'
      | 'message'
      | 'hint'
      | 'attempts'
    >)
  | ({
      /** `conflict`: the platform holds something else, and cannot be corrected from here. */
      readonly outcome: 'conflict';
      /** The items that the platform holds and should not. */
      readonly stored: readonly Readonly<Record<string, unknown>>[];
      /** The items that it should hold instead. */
      readonly intended: readonly Readonly<Record<string, unknown>>[];
      /** What differs, as a sentence. */
      readonly message: string;
      /** What to do in the platform. */
      readonly hint: string;
    } & Pick<Fields, 'date' | 'source' | 'sources' | 'warnings' | 'zoneUsed' | 'attempts'>)
  | ({
      /** `failed`: not delivered; the same command again continues. */
      readonly outcome: 'failed';
      /** What failed and why, as a sentence. */
      readonly message: string;
      /** Requests of this run that were to change it, repetitions included. Only if the run came to it. */
      readonly attempts?: number;
    } & Pick<Fields, 'date' | 'source' | 'sources' | 'warnings' | 'zoneUsed' | 'code' | 'hint'>);

/** Whether a recording that the platform took became a workout. */
export type VerifyResult = {
  /** The file that was uploaded. */
  readonly path: string;
  /** SHA-256 of the recording. */
  readonly sha256: string;
  /** What the platform holds. `present`: it is a workout; `pending`: not a workout yet; the platform took it less than an hour ago; `missing`: not a workout: it could not be processed, or the workout was deleted. */
  readonly outcome: 'present' | 'pending' | 'missing';
  /** Start of the recording (ISO 8601). Only if the recording says so. */
  readonly startedAt?: string;
  /** When the platform took it (ISO 8601). */
  readonly uploadedAt: string;
  /** Identifier of the workout. Only if the platform names it. */
  readonly workoutId?: string;
  /** Always true: the platform accepts recordings without naming them. Only if it never named one. */
  readonly accepted?: boolean;
  /** The workout. Only if it is shorter than the recording. */
  readonly shortened?: {
    /** Duration of the workout (s). Only if the platform shows it. */
    readonly durationSecs?: number;
    /** Distance of the workout (m). Only if the platform shows it. */
    readonly distanceMeters?: number;
    /** Whether it is one leg of a recording with several. */
    readonly isLeg: boolean;
  };
};
