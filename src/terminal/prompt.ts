import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SyncError } from '../base/errors.ts';

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly hidden?: boolean;
  /** The message of the `SyncError`; default: `Cancelled.` */
  readonly cancelled?: string;
}

/** Asks the user for a line on stderr, as `Io.ask` describes. */
export async function ask(
  { stdin, stderr }: { readonly stdin: NodeJS.ReadStream; readonly stderr: NodeJS.WriteStream },
  question: string,
  { signal, hidden = false, cancelled = 'Cancelled.' }: AskOptions,
): Promise<string> {
  signal.throwIfAborted();
  // readline echoes the input to its output, which discards hidden input.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({
    input: stdin,
    output: hidden ? nowhere : stderr,
    terminal: stdin.isTTY,
  });
  const closed = new AbortController();
  reader.once('close', () => closed.abort(new SyncError('INTERRUPTED', cancelled)));
  const ended = AbortSignal.any([signal, closed.signal]);
  try {
    // Written after readline turned off the terminal's echo: the user may paste at once.
    if (hidden) stderr.write(question);
    return (await reader.question(hidden ? '' : question, { signal: ended })).trim();
  } catch (error) {
    ended.throwIfAborted();
    throw error;
  } finally {
    reader.close();
    // The next output starts on a new line, which readline does with visible input.
    if (hidden) stderr.write('\n');
  }
}
