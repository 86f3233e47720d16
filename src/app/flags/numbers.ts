import { SyncError } from '../../base/errors.ts';

/** Parses a flag's whole number. @throws SyncError `USAGE` that names the range */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new SyncError('USAGE', `${flag} ${text}: not a whole number from ${least} to ${most}.`);
  }
  return number;
}
