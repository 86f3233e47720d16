import { SyncError } from '../base/errors.ts';
import { capital } from '../terminal/words.ts';
import type { AppContext } from './context.ts';

type Asking = Pick<AppContext, 'io' | 'signal'>;

/**
 * Asks before something is done, on a command with `--yes`.
 *
 * @param action such as `send it`
 * @param otherwise says that nothing was done, such as `Nothing was sent`
 * @throws SyncError `USAGE` without a terminal; as {@link agrees}
 */
export async function confirmed(
  context: Asking & Pick<AppContext, 'output'>,
  action: string,
  otherwise: string,
): Promise<boolean> {
  const { io, output } = context;
  if (!io.interactive) {
    throw new SyncError('USAGE', `${otherwise}: there is no terminal to ask on.`, {
      hint: `Run the same command with --yes to ${action}.`,
    });
  }
  if (await agrees(context, `${capital(action)}?`, { cancelled: `${otherwise}.` })) return true;
  output.say(`${otherwise}.`);
  return false;
}

/**
 * Asks for a yes or a no. Any answer but a plain yes is a no.
 *
 * @param options `onEnter`: the meaning of an empty answer
 * @throws SyncError `INTERRUPTED` on Ctrl-C and at the end of stdin; the signal's reason
 */
export async function agrees(
  { io, signal }: Asking,
  question: string,
  { onEnter = false, cancelled = 'Cancelled.' } = {},
): Promise<boolean> {
  const choice = onEnter ? '[Y/n]' : '[y/N]';
  const answer = (await io.ask(`${question} ${choice} `, { signal, cancelled })).trim();
  return answer === '' ? onEnter : /^y(es)?$/i.test(answer);
}
