import { SyncError, messageOf } from '../base/errors.ts';
import { type Text, joinTexts, phrase } from '../base/phrase.ts';
import type { GlobalFlags } from './output.ts';

/** Returns an error for programs: `{"type":"error","code":...,"message":...,"hint":...}`. */
export function errorReport(error: unknown): Record<string, unknown> {
  if (!(error instanceof SyncError)) {
    return { type: 'error', code: 'INTERNAL', message: messageOf(error) };
  }
  const { code, message, hint, details } = error;
  const told = { type: 'error', code, message, ...(hint === undefined ? {} : { hint }) };
  return { ...told, ...details, ...told };
}

/** Returns an error for people: the message, then the hint. */
export function errorText(error: unknown, { verbose }: Pick<GlobalFlags, 'verbose'>): Text {
  if (!(error instanceof SyncError)) {
    const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `This is a fault of sync itself; please report it.\n${shown}`;
  }
  if (error.code === 'INTERRUPTED') return error.message;
  const lines: Text[] = [`Error: ${error.message}`];
  if (error.hint !== undefined) lines.push(phrase`  ${error.hint}`);
  if (verbose && error.cause !== undefined) lines.push(`  Cause: ${messageOf(error.cause)}`);
  return joinTexts(lines, '\n');
}
