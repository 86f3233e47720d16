/**
 * Errors that a user can meet, and exit codes.
 *
 * A {@link SyncError} has a code, a message (what failed, on what), a hint (the next command) and a
 * cause. Bugs of the program stay plain `Error`s.
 */

import type { Text } from './phrase.ts';

/** The exit codes, by precedence: of several, the first one is the run's. */
export const ExitCode = {
  interrupted: 130,
  internal: 1,
  usage: 2,
  loginNeeded: 4,
  unavailable: 5,
  refused: 6,
  invalidInput: 3,
  ok: 0,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

interface ErrorFacts {
  readonly exitCode: ExitCode;
  readonly source: string;
  /** The operation may succeed later, although the user changes nothing. */
  readonly temporary?: true;
}

/** Every error code. Scripts read it as `code` of a `{"type":"error"}` line. */
const ERRORS = {
  USAGE: { exitCode: ExitCode.usage, source: 'command' },
  CONFIG: { exitCode: ExitCode.usage, source: 'command' },
  INPUT_INVALID: { exitCode: ExitCode.invalidInput, source: 'command' },
  /** A folder of the command line is gone, such as that of an unplugged device. */
  FOLDER_GONE: { exitCode: ExitCode.unavailable, source: 'command', temporary: true },
  AUTH_REQUIRED: { exitCode: ExitCode.loginNeeded, source: 'login' },
  /** The service no longer accepts the login. */
  AUTH_EXPIRED: { exitCode: ExitCode.loginNeeded, source: 'login' },
  /** The athlete denied the login, or the service refused it. */
  AUTH_REFUSED: { exitCode: ExitCode.loginNeeded, source: 'login' },
  /** The athlete did not approve the login in time. */
  AUTH_TIMEOUT: { exitCode: ExitCode.loginNeeded, source: 'login' },
  SCOPE_MISSING: { exitCode: ExitCode.loginNeeded, source: 'login' },
  /** This machine has no keychain. */
  KEYCHAIN_MISSING: { exitCode: ExitCode.usage, source: 'keychain' },
  /** The keychain is locked or does not respond. */
  KEYCHAIN_LOCKED: { exitCode: ExitCode.unavailable, source: 'keychain', temporary: true },
  /** Another program uses the loopback port of the login. */
  PORT_IN_USE: { exitCode: ExitCode.usage, source: 'command' },
  /** No connection, a broken connection, or no response in time. */
  NETWORK: { exitCode: ExitCode.unavailable, source: 'network', temporary: true },
  /** The service cannot handle requests at present (5xx, 408, 429). */
  SERVICE_UNAVAILABLE: { exitCode: ExitCode.unavailable, source: 'service', temporary: true },
  /** The service sent a response that this program cannot read. */
  SERVICE_ANSWER: { exitCode: ExitCode.refused, source: 'service', temporary: true },
  /** The service refused the request (4xx). */
  REJECTED: { exitCode: ExitCode.refused, source: 'service' },
  /** The service appends and did not respond: sending the request again might double the data. */
  FATE_UNKNOWN: { exitCode: ExitCode.unavailable, source: 'service' },
  /** Another process holds the lock, such as a second daemon. */
  BUSY: { exitCode: ExitCode.usage, source: 'process', temporary: true },
  STORAGE: { exitCode: ExitCode.internal, source: 'storage', temporary: true },
  INTERRUPTED: { exitCode: ExitCode.interrupted, source: 'signal' },
  /** A fault of this program. Only the end of a run makes it, of any other error. */
  INTERNAL: { exitCode: ExitCode.internal, source: 'program' },
} as const satisfies Readonly<Record<string, ErrorFacts>>;

export type ErrorCode = keyof typeof ERRORS;

export interface SyncErrorOptions {
  /** The next step: a sentence or a command. */
  readonly hint?: Text | undefined;
  readonly cause?: unknown;
  /** Further fields for `--json`, such as `status`, `path`, `field`. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export class SyncError extends Error {
  override readonly name = 'SyncError';
  readonly code: ErrorCode;
  readonly hint: Text | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SyncErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }

  /** Returns the same failure in other words, or with further details. */
  with({
    code = this.code,
    message = this.message,
    hint = this.hint,
    details,
  }: Partial<Pick<SyncError, 'code' | 'message' | 'hint' | 'details'>>): SyncError {
    const { cause } = this;
    return new SyncError(code, message, { hint, cause, details: { ...this.details, ...details } });
  }
}

/** What a {@link SyncError} says, without being thrown. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: Text | undefined;
}

/** The next step after a failure that passes. */
export const CONTINUES = 'The same command again continues.';

const HINT = 'The same command again continues; --verbose shows each request.';

/** Returns what an error says, with a next step. */
export function failureOf({ code, message, hint = HINT }: Failure) {
  return { code, message, hint };
}

export function exitCodeOf(code: ErrorCode): ExitCode {
  return ERRORS[code].exitCode;
}

/** Returns whose fault an error is: `command` is the command line, a setting, or the input. */
export function sourceOf(code: ErrorCode) {
  return ERRORS[code].source;
}

/** Returns whether the operation may succeed later, although the user changes nothing. */
export function isTemporary(code: ErrorCode): boolean {
  return 'temporary' in ERRORS[code];
}

/** Returns whether a failure says that the service cannot be reached at present. */
export function isOutage(code: ErrorCode): boolean {
  return code === 'NETWORK' || code === 'SERVICE_UNAVAILABLE';
}

/**
 * Returns the exit code for an item with the outcome `failed`. The next run sends the item again, so
 * that a failure of the service or of a lock counts as unavailable. An item that the service refuses
 * for its content has the outcome `rejected` instead.
 */
export function exitCodeOfDelivery(code: ErrorCode): ExitCode {
  const { exitCode, source } = ERRORS[code];
  return source === 'service' || source === 'process' ? ExitCode.unavailable : exitCode;
}

/** Returns whether a failure with one item ends the whole run: the other items would fail too. */
export function endsRun(code: ErrorCode): boolean {
  const source = sourceOf(code);
  return source === 'storage' || source === 'signal';
}

/** Returns the exit code of a run in which all of these occurred. */
export function worstExitCode(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return Object.values(ExitCode).find((code) => seen.has(code)) ?? ExitCode.ok;
}

/** Returns whether an error comes from a signal or from a closing program. */
export function isAbort(error: unknown): boolean {
  return (
    (error instanceof SyncError && error.code === 'INTERRUPTED') ||
    (error instanceof Error && error.name === 'AbortError')
  );
}

/** Returns the `code` of an error from Node or SQLite, such as `ENOENT` or `ERR_SQLITE_ERROR`. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the result of a function, or undefined if it throws: for what may be missing, such as a file. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
