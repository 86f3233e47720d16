import { type ErrorCode, SyncError as ProgramError } from '../base/errors.ts';
import { renderText } from '../base/phrase.ts';
import { SyncError } from './errors.ts';

/** The program's hints name `sync login`, which does not log a client in. */
export const NEW_TOKENS = 'Log in again, and give the client the new tokens.';
export const LOGIN_CODES: readonly ErrorCode[] = [
  'AUTH_REQUIRED',
  'AUTH_EXPIRED',
  'AUTH_REFUSED',
  'SCOPE_MISSING',
];

/** Returns the error of the package for one of the program. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof ProgramError)) return error;
  const { code, details, cause } = error;
  // The library has options in place of flags.
  const message = error.message.replace(/^--(?=[a-z]+ )/, '');
  return new SyncError(code, message, { hint: hintOf(error), details, cause });
}

function hintOf({ code, hint }: ProgramError): string | undefined {
  if (LOGIN_CODES.includes(code)) return NEW_TOKENS;
  return hint === undefined ? undefined : withOptions(renderText(hint, undefined));
}

/** Returns a hint with the client's options in place of the program's settings. */
export function withOptions(hint: string): string {
  return hint.replace(
    /`sync config (?:get|set) ([\w.]+)[^`]*`/g,
    (_, setting: string) =>
      `the option ${setting.replace('endpoint.', 'endpoints.').replace('platform.kind', 'platformKind')}`,
  );
}
