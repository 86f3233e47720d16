import { SyncError, isAbort } from '../base/errors.ts';
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
  const question = `${action.charAt(0).toUpperCase()}${action.slice(1)}? [y/N] `;
  if (!io.interactive) {
    throw new SyncError('USAGE', `${otherwise}: there is no terminal to ask on.`, {
      hint: `Run the same command with --yes to ${action}.`,
    });
  }
  try {
    if (/^y(es)?$/i.test(await io.ask(question, { signal }))) return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!isAbort(error)) throw error;
    throw new SyncError('INTERRUPTED', `${otherwise}.`, { cause: error });
  }
  output.say(`${otherwise}.`);
  return false;
}
