import { type SyncError, messageOf } from '../base/errors.ts';
import { type Text, joinTexts, phrase } from '../base/phrase.ts';
import type { GlobalFlags } from './output.ts';

/** Returns an error for programs: `{"type":"error","code":...,"message":...,"hint":...}`. */
export function errorReport({ code, message, hint, details }: SyncError): Record<string, unknown> {
  const told = { type: 'error', code, message, ...(hint === undefined ? {} : { hint }) };
  return { ...told, ...details, ...told };
}

/** Returns an error for people: the message, then the hint. */
export function errorText(error: SyncError, { verbose }: Pick<GlobalFlags, 'verbose'>): Text {
  if (error.code === 'INTERRUPTED') return error.message;
  const lines: Text[] = [`Error: ${error.message}`];
  if (error.hint !== undefined) lines.push(phrase`  ${error.hint}`);
  // The cause of a fault is in its trace.
  if (verbose && error.cause !== undefined && error.code !== 'INTERNAL')
    lines.push(`  Cause: ${messageOf(error.cause)}`);
  return joinTexts(lines, '\n');
}
