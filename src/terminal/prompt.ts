import { createInterface } from 'node:readline';
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
  return await new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // readline echoes the input to its output, which discards hidden input.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({
      input: stdin,
      output: hidden ? nowhere : stderr,
      terminal: stdin.isTTY,
    });
    // Written after readline turned off the terminal's echo: the user may paste at once.
    stderr.write(question);
    if (!hidden) reader.setPrompt(question);
    const cancel = (reason: Error) => {
      settle();
      // The next output starts on a new line.
      if (!hidden) stderr.write('\n');
      reject(reason);
    };
    const onAbort = () => cancel(signal.reason as Error);
    const onClose = () => cancel(new SyncError('INTERRUPTED', cancelled));
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      reader.off('close', onClose);
      reader.close();
      stdin.pause();
      if (hidden) stderr.write('\n');
    };
    signal.addEventListener('abort', onAbort, { once: true });
    reader.once('close', onClose);
    reader.once('SIGINT', onClose);
    reader.once('line', (line) => {
      settle();
      resolve(line.trim());
    });
  });
}
