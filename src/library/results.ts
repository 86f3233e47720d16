import type { PushItem } from '../app/outcomes.ts';
import { pushItemJson } from '../app/words/days.ts';
import { uploadItemJson, verifiedJson } from '../app/words/uploads.ts';
import { parseJson } from '../base/json.ts';
import type { UploadItem } from '../upload/report.ts';
import type { Verified } from '../upload/verify.ts';
import { LOGIN_CODES, NEW_TOKENS, withOptions } from './public-error.ts';
import type { RecordResult, UploadResult, VerifyResult } from './types.ts';

/** Converts the program's outcomes to those of the package. */

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
  return parseJson(withOptions(result.replaceAll(/ \(--[a-z-]+ [a-z ]+\)/g, '')));
}

/** The program's hints about a day name `--force`. */
const SETTLE = 'Correct the day in the platform, or overwrite it with the option `force`.';
