import { SyncError } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import { sentence } from '../terminal/words.ts';

/** Returns the error of an input that is refused as a whole. @param about also its line and column */
export function refusedInput(
  path: string,
  found: string,
  hint?: Text,
  { cause, ...place }: Readonly<Partial<Record<'cause' | 'line' | 'column', unknown>>> = {},
): SyncError {
  const details = { path, ...place };
  return new SyncError('INPUT_INVALID', sentence(found), { hint, cause, details });
}
