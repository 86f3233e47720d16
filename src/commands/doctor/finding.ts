import { SyncError } from '../../base/errors.ts';
import { type Text, joinTexts, phrase } from '../../base/phrase.ts';

/** The result of one check. `odd`: it may fail some day; `bad`: it does not work. */
export interface CheckResult {
  /** Default: the check that returned the result. */
  readonly check?: CheckName;
  readonly state: 'good' | 'odd' | 'bad';
  readonly message: Text;
  readonly hint?: Text | undefined;
}

export function good(message: Text): CheckResult {
  return { state: 'good', message };
}

export function odd(message: Text, hint?: Text): CheckResult {
  return { state: 'odd', message, ...(hint === undefined ? {} : { hint }) };
}

export function bad(message: Text, hint?: Text): CheckResult {
  return { ...odd(message, hint), state: 'bad' };
}

export type CheckName =
  | 'config'
  | 'folders'
  | 'disk'
  | 'state'
  | 'keychain'
  | 'zone'
  | 'proxy'
  | 'service'
  | 'clock'
  | 'login'
  | 'node'
  | 'zone-data'
  | 'watch'
  | 'name';

const MARKS = { good: 'ok  ', odd: 'note', bad: 'BAD ' } as const;

export function findingText({ state, message, hint }: CheckResult): Text {
  const lines: Text[] = [phrase`${MARKS[state]}  ${message}`];
  if (hint !== undefined) lines.push(phrase`      ${hint}`);
  return joinTexts(lines);
}

/**
 * Turns an error into a finding.
 *
 * @param subject precedes a message that does not name it
 * @throws other errors than a `SyncError`, and an interruption
 */
export function failed(error: unknown, result = bad, subject?: string): CheckResult {
  if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
  const { message, hint } = error;
  return result(subject === undefined ? message : `${subject}: ${message}`, hint);
}
