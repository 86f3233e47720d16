import type { PushItem } from '../app/outcomes.ts';
import { pushItemJson } from '../app/words/days.ts';
import { uploadItemJson, verifiedJson } from '../app/words/uploads.ts';
import { SyncError as ProgramError, type ErrorCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { renderText } from '../base/phrase.ts';
import type { UploadItem } from '../upload/report.ts';
import type { Verified } from '../upload/verify.ts';
import { SyncError } from './errors.ts';
import type { RecordResult, UploadResult, VerifyResult } from './types.ts';

/** Converts the program's outcomes and errors to those of the package. */

export function uploadResult(item: UploadItem): UploadResult {
  return resultOf(uploadItemJson(item)) as UploadResult;
}

export function recordResult(item: PushItem): RecordResult {
  return resultOf(pushItemJson(item)) as RecordResult;
}

export function verifyResult(item: Verified, accepted: boolean): VerifyResult {
  return resultOf(verifiedJson(item, accepted)) as VerifyResult;
}

/** Returns the fields that `--json` prints, without the kind of the line. */
function resultOf(line: Readonly<Record<string, unknown>>): unknown {
  const isLogin = LOGIN_CODES.some((code) => code === line['code']);
  const hint = isLogin
    ? { hint: NEW_TOKENS }
    : line['outcome'] === 'conflict'
      ? { hint: SETTLE }
      : {};
  const result = JSON.stringify({ ...line, type: undefined, ...hint });
  // The library has options in place of flags.
  return parseJson(result.replaceAll(/ \(--[a-z-]+ [a-z ]+\)/g, ''));
}

export function publicError(error: unknown): unknown {
  if (!(error instanceof ProgramError)) return error;
  const { code, message, details, cause } = error;
  return new SyncError(code, message, { hint: hintOf(error), details, cause });
}

/** The program's hints name `sync login`, which does not log a client in. */
const NEW_TOKENS = 'Log in again, and give the client the new tokens.';
/** The program's hints about a day name `--force`. */
const SETTLE = 'Correct the day in the platform, or overwrite it with the option `force`.';
const LOGIN_CODES: readonly ErrorCode[] = ['AUTH_REQUIRED', 'AUTH_EXPIRED', 'AUTH_REFUSED'];

function hintOf({ code, hint }: ProgramError): string | undefined {
  if (LOGIN_CODES.includes(code)) return NEW_TOKENS;
  return hint === undefined ? undefined : renderText(hint, undefined);
}
