import { existsSync, lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SyncError, systemCode } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { fileOf } from '../../inputs/recording-names.ts';
import type { AppContext } from '../context.ts';
import { DATE_HINT, readDay } from './date.ts';

/** The absolute path of a file or of a recording in it, or a date (`YYYY-MM-DD`). */
export type Subject = { readonly file: string } | { readonly date: string };

/**
 * Returns what an argument FILE|DATE names.
 *
 * @param zone as in {@link readDay}
 * @throws SyncError `USAGE` if it is neither a file nor a date; `INPUT_INVALID` for a folder
 */
export function findSubject(given: string, zone: string, { clock, cwd }: AppContext): Subject {
  const file = resolve(cwd, given);
  if (existsSync(file)) {
    if (!statSync(file).isDirectory()) return { file };
    throw new SyncError('INPUT_INVALID', `${given} is a folder.`, {
      hint: phrase`Name one file in it. ${sync('upload', given, '--dry-run')} looks at all of them.`,
    });
  }
  if (existsSync(fileOf(file))) return { file };
  const date = readDay(given, zone, clock.now());
  if (date !== undefined) return { date };
  // `ride.fit` was meant as a file, `21.11.2026` and `21/11/2026` as dates.
  if (/[a-z]/i.test(given) && /[\\/.]/.test(given)) {
    throw new SyncError('USAGE', `${given}: ${whyMissing(file)}`);
  }
  const problem = /^\d{4}-\d\d-\d\d$/.test(given)
    ? `There is no ${given}.`
    : `${given} is neither a file nor a date.`;
  throw new SyncError('USAGE', problem, { hint: DATE_HINT });
}

function whyMissing(file: string): string {
  try {
    lstatSync(file);
  } catch (error) {
    if (systemCode(error) === 'EACCES') return 'this user may not look into its folder.';
  }
  return 'there is no such file, or it is a broken link.';
}
