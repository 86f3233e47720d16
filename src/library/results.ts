import type { Failure } from '../api/batch-breaker.ts';
import { SyncError as ProgramError, type ErrorCode } from '../base/errors.ts';
import { type Text, renderText } from '../base/phrase.ts';
import type { RecordItem } from '../records/deliver.ts';
import type { UnreadableInput } from '../records/prepare.ts';
import type { InvalidRecord } from '../records/types.ts';
import type { UploadItem } from '../upload/report.ts';
import { SyncError } from './errors.ts';
import type { RecordResult, UploadResult } from './types.ts';

/** Converts the program's outcomes and errors to the types of the package. */

export function uploadResult(item: UploadItem): UploadResult {
  const { path } = item;
  switch (item.outcome) {
    case 'uploaded':
    case 'duplicate': {
      const { outcome, activity, sha256, size, attempts, service } = item;
      return { path, outcome, activity, sha256, size, attempts, service: { ...service } };
    }
    case 'skipped': {
      const { outcome, reason, sha256 } = item;
      return { path, outcome, reason, sha256 };
    }
    case 'invalid':
      return { path, outcome: 'invalid', reason: item.reason, message: item.detail };
    case 'rejected': {
      const { outcome, activity, sha256, size, attempts, status, message } = item;
      return { path, outcome, activity, sha256, size, attempts, status, message };
    }
    case 'failed': {
      const { outcome, code, message, hint, ...sent } = item;
      return { ...sent, outcome, error: errorOf({ code, message, hint }) };
    }
    case 'would-upload':
      throw new Error('the client has no dry run');
  }
}

export function recordResult(item: RecordItem | InvalidRecord | UnreadableInput): RecordResult {
  if (item.outcome === 'invalid') {
    const { outcome, source, problems } = item;
    return { outcome, source, problems, ...('date' in item ? { date: item.date } : {}) };
  }
  const { date } = item;
  const warnings = item.warnings.map(({ field, message }) =>
    field === undefined ? textOf(message) : `${field}: ${textOf(message)}`,
  );
  const day = { date, warnings };
  switch (item.outcome) {
    case 'pushed':
      return { ...day, outcome: 'pushed', attempts: item.attempts };
    case 'skipped':
      return { ...day, outcome: 'skipped', reason: item.reason };
    case 'rejected':
      return { ...day, outcome: 'rejected', status: item.status, message: item.message };
    case 'conflict': {
      const { outcome, message, stored, intended } = item;
      return { ...day, outcome, message, hint: textOf(item.hint), stored, intended };
    }
    case 'failed':
      return { ...day, outcome: 'failed', error: errorOf(item) };
    case 'would-push':
      throw new Error('the client has no dry run');
  }
}

/** Converts an error of the program; returns any other one unchanged. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof ProgramError)) return error;
  const { code, message, details, cause } = error;
  return new SyncError(code, message, { hint: hintOf(error), details, cause });
}

function errorOf(failure: WithHint): SyncError {
  return new SyncError(failure.code, failure.message, { hint: hintOf(failure) });
}

type WithHint = Pick<Failure, 'code' | 'message'> & { readonly hint?: Text | undefined };

/** The program's hints name `sync login`, which does not log a client in. */
const NEW_TOKENS = 'Log in again, and give the client the new tokens.';
const LOGIN_CODES: readonly ErrorCode[] = ['AUTH_REQUIRED', 'AUTH_EXPIRED', 'AUTH_REFUSED'];

function hintOf({ code, hint }: WithHint): string | undefined {
  if (LOGIN_CODES.includes(code)) return NEW_TOKENS;
  return hint === undefined ? undefined : textOf(hint);
}

function textOf(text: Text): string {
  return renderText(text, undefined);
}
