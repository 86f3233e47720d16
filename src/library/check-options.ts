import { SyncError } from './errors.ts';

/** @throws SyncError `USAGE` for an option that `method` does not have */
export function refuseOptions(method: string, given: object, known: object = {}): void {
  const name = Object.keys(given).find((each) => !(each in known));
  if (name !== undefined) throw new SyncError('USAGE', `${method}: there is no option ${name}.`);
}

/** @throws SyncError `USAGE` unless it is a path, or bytes with one */
export function checkRecording(given: unknown): void {
  const isFile = typeof given === 'object' && given !== null && 'path' in given && 'bytes' in given;
  if (isFile && typeof given.path === 'string' && given.bytes instanceof Uint8Array) return;
  throw new SyncError('USAGE', 'upload: a path, or an object with path and bytes, is expected.');
}

/** @throws SyncError `USAGE` for a word that an option does not take */
export function checkWord(
  option: string,
  word: string | undefined,
  known: readonly string[],
): void {
  if (word === undefined || known.includes(word)) return;
  const hint = `It takes ${known.join(', ')}.`;
  throw new SyncError('USAGE', `${option}: "${word}" is none of its values.`, { hint });
}

/** @throws SyncError `USAGE` for a value that JSON cannot hold, such as a BigInt */
export function checkJson(option: string, value: unknown): void {
  try {
    JSON.stringify(value);
  } catch (cause) {
    throw new SyncError('USAGE', `${option}: it cannot be written as JSON.`, { cause });
  }
}

/** @throws SyncError `USAGE` for a number out of the range, such as NaN */
export function checkNumber(
  option: string,
  given: number | undefined,
  least: number,
  most = Infinity,
): void {
  if (given === undefined || (given >= least && given <= most)) return;
  throw new SyncError('USAGE', `${option}: ${given} is not a number from ${least} to ${most}.`);
}
