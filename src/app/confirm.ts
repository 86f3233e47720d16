import { SyncError, isAbort } from '../base/errors.ts';
import { capital } from '../terminal/words.ts';
import type { AppContext } from './context.ts';

/**
 * Asks before something is done, on a command with `--yes`. Anything but a plain yes is a no.
 *
 * @param action such as `send it`
 * @param otherwise says that nothing was done, such as `Nothing was sent`
 * @throws SyncError `USAGE` without a terminal; `INTERRUPTED` on Ctrl-C; the signal's reason
 */
export async function confirmed(
  { io, output, signal }: Pick<AppContext, 'io' | 'output' | 'signal'>,
  action: string,
  otherwise: string,
): Promise<boolean> {
  const question = `${capital(action)}? [y/N] `;
  if (!io.interactive) {
    throw new SyncError('USAGE', `${otherwise}: there is no terminal to ask on.`, {
      hint: `Run the same command with --yes to ${action}.`,
    });
  }
  if (isYes(await ask({ io, signal }, question, { cancelled: `${otherwise}.` }))) return true;
  output.say(`${otherwise}.`);
  return false;
}

/** Returns whether an answer is a plain yes; any other answer is a no. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer);
}

/** @throws SyncError `INTERRUPTED` on Ctrl-C and at the end of stdin; the signal's reason. */
export async function ask(
  { io, signal }: Pick<AppContext, 'io' | 'signal'>,
  question: string,
  { hidden = false, cancelled = 'Cancelled.' } = {},
): Promise<string> {
  try {
    return await io.ask(question, { hidden, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isAbort(error)) throw error;
    throw new SyncError('INTERRUPTED', cancelled, { cause: error });
  }
}
