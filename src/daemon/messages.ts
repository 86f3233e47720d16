import { type ErrorCode, SyncError, isErrorCode } from '../base/errors.ts';
import { isObject } from '../api/wire.ts';

/** The one thing a daemon tells the process that started it: that it is up, or why it is not. */
export type StartMessage =
  | { readonly state: 'watching'; readonly pid: number }
  | {
      readonly state: 'failed';
      /** Absent: a fault of the program itself. */
      readonly code?: ErrorCode;
      readonly message: string;
      readonly hint?: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

export function failedToStart(error: unknown): StartMessage {
  if (!(error instanceof SyncError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { state: 'failed', message: text, details: {} };
  }
  const { code, message, hint, details } = error;
  return { state: 'failed', code, message, ...(hint === undefined ? {} : { hint }), details };
}

/** The failure, as if it had happened here: with its message, its hint and its exit code. */
export function asError(message: Extract<StartMessage, { state: 'failed' }>): Error {
  const { code, hint, details } = message;
  if (code === undefined) return new Error(`The daemon did not start.\n${message.message}`);
  return new SyncError(code, message.message, { hint, details });
}

export function readStartMessage(value: unknown): StartMessage | undefined {
  if (!isObject(value)) return undefined;
  const { state, pid, code, message, hint, details } = value;
  if (state === 'watching' && typeof pid === 'number') return { state, pid };
  if (state !== 'failed' || typeof message !== 'string') return undefined;
  return {
    state,
    message,
    details: isObject(details) ? details : {},
    ...(isErrorCode(code) ? { code } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
}
