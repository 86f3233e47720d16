import type { ErrorCode } from '../base/errors.ts';

export type { ErrorCode };

/** A failure of a {@link Client}. Faults of this package stay plain `Error`s. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
  /** What failed, for programs; docs/json.md lists the codes. */
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Facts such as `status`, `path` or `field`. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly hint?: string | undefined;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
  /** Includes the message, which `JSON.stringify` leaves out of an `Error`. */
  toJSON(): object {
    const { name, code, message, hint, details } = this;
    return { name, code, message, hint, details };
  }
}
