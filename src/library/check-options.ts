import { isObject } from '../base/json.ts';
import { SyncError } from './errors.ts';
import type { ClientOptions, Tokens } from './types.ts';

/** @throws SyncError `USAGE` for what is no object, or an option that `method` does not have */
export function refuseOptions(method: string, given: unknown, known: object = {}): void {
  if (!isObject(given)) throw new SyncError('USAGE', `${method}: an object is expected.`);
  const name = Object.keys(given).find((each) => !(each in known));
  if (name !== undefined) throw new SyncError('USAGE', `${method}: there is no option ${name}.`);
}

const TOKENS: Record<keyof Tokens, true> = {
  accessToken: true,
  refreshToken: true,
  expiresAt: true,
  scopes: true,
};

/** @throws SyncError `USAGE` unless it has either tokens or a store of them */
export function checkLogin(options: ClientOptions): void {
  const { tokens, store }: { tokens?: unknown; store?: unknown } = options;
  if ('tokens' in options === 'store' in options)
    throw new SyncError('USAGE', 'createClient: either tokens or store is expected.');
  if ('tokens' in options) refuseOptions('tokens', tokens, TOKENS);
  const isStore = isObject(store) && 'load' in store && 'save' in store;
  if ('store' in options && !isStore)
    throw new SyncError('USAGE', 'store: an object with load and save is expected.');
}

/** @throws SyncError `USAGE` unless it is a path, or bytes with one */
export function checkRecording(given: unknown): void {
  const { path, bytes } = isObject(given) ? given : {};
  if (typeof path === 'string' && bytes instanceof Uint8Array) return;
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
