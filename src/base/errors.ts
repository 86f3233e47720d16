/**
 * What can go wrong for a user, and what the shell is told of it.
 *
 * A failure that a user can meet is a {@link SyncError}: a code, what failed and on what, a hint
 * (the next thing to do or type) and the cause. Mistakes of the program stay plain `Error`s.
 */

/** Process exit codes. The table in the README is tested against this one. */
export const ExitCode = {
  ok: 0,
  internal: 1,
  usage: 2,
  invalidInput: 3,
  loginNeeded: 4,
  unavailable: 5,
  refused: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Stable names: scripts read them as `code` of a `{"type":"error"}` line. */
export type ErrorCode =
  /** The command line is wrong. */
  | 'USAGE'
  /** A setting is missing or wrong. */
  | 'CONFIG'
  /** A named file or record cannot be used. */
  | 'INPUT_INVALID'
  /** There is no login for this profile. */
  | 'AUTH_REQUIRED'
  /** There was a login; the service no longer accepts it. */
  | 'AUTH_EXPIRED'
  /** The athlete said no, or the service refused the login. */
  | 'AUTH_REFUSED'
  /** Nobody answered the login in time. */
  | 'AUTH_TIMEOUT'
  /** The login lacks a scope. */
  | 'SCOPE_MISSING'
  /** There is no keychain to talk to. */
  | 'KEYCHAIN_MISSING'
  /** The keychain is there but locked, or does not answer: try later. */
  | 'KEYCHAIN_LOCKED'
  /** The loopback port for the login is taken. */
  | 'PORT_IN_USE'
  /** No connection, a broken connection, or no answer in time. */
  | 'NETWORK'
  /** The service answered, but that it cannot answer now (5xx, 408, 429). */
  | 'SERVICE_UNAVAILABLE'
  /** The service answered something this program cannot read. */
  | 'SERVICE_ANSWER'
  /** The service refused the request (4xx). */
  | 'REJECTED'
  /** Sent to a service that appends, and not answered: sending it again might double it. */
  | 'FATE_UNKNOWN'
  /** Another process has it: a second daemon, a lock that is never given back. */
  | 'BUSY'
  /** This machine's own disk or database failed. */
  | 'STORAGE'
  /** Ctrl-C, or a signal. */
  | 'INTERRUPTED';

export interface SyncErrorOptions {
  /** What to do now: a sentence or a command to type. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Further facts for `--json`, such as `status`, `path`, `field`. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export class SyncError extends Error {
  override readonly name = 'SyncError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SyncErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** The exit code that a failure with this code ends the program with. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  switch (code) {
    case 'USAGE':
    case 'CONFIG':
    case 'KEYCHAIN_MISSING':
    case 'PORT_IN_USE':
    case 'BUSY':
      return ExitCode.usage;
    case 'INPUT_INVALID':
      return ExitCode.invalidInput;
    case 'AUTH_REQUIRED':
    case 'AUTH_EXPIRED':
    case 'AUTH_REFUSED':
    case 'AUTH_TIMEOUT':
    case 'SCOPE_MISSING':
      return ExitCode.loginNeeded;
    case 'KEYCHAIN_LOCKED':
    case 'NETWORK':
    case 'SERVICE_UNAVAILABLE':
    case 'FATE_UNKNOWN':
      return ExitCode.unavailable;
    case 'SERVICE_ANSWER':
    case 'REJECTED':
      return ExitCode.refused;
    case 'STORAGE':
      return ExitCode.internal;
    case 'INTERRUPTED':
      return ExitCode.interrupted;
  }
}

/**
 * The exit code for an item whose outcome is `failed`: nothing is lost, and another try may pass, with
 * a login if that is what is missing. A service that refuses an item for good is another outcome.
 */
export function exitCodeOfDelivery(code: ErrorCode): ExitCode {
  switch (code) {
    case 'SERVICE_ANSWER':
    case 'REJECTED':
    case 'BUSY':
      return ExitCode.unavailable;
    default:
      return exitCodeOf(code);
  }
}

/** Where several apply, the first of these wins: 4 before 5 before 6 before 3. */
const PRECEDENCE: readonly ExitCode[] = [
  ExitCode.interrupted,
  ExitCode.internal,
  ExitCode.usage,
  ExitCode.loginNeeded,
  ExitCode.unavailable,
  ExitCode.refused,
  ExitCode.invalidInput,
];

/** The one exit code for a run in which all of these came up. */
export function worstExitCode(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return PRECEDENCE.find((code) => seen.has(code)) ?? ExitCode.ok;
}

/** Was this thrown because somebody (a signal, a closing program) asked to stop? */
export function isAbort(error: unknown): boolean {
  return (
    (error instanceof SyncError && error.code === 'INTERRUPTED') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** The `code` that Node and SQLite put on an error (`ENOENT`, `ECONNREFUSED`), if there is one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A short text for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
