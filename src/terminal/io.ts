/** The terminal, or what stands in its place: stdout for results, stderr for people. */
export interface Io {
  /** A person can be asked: stdin and stderr are terminals. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Colour is welcome on stderr and stdout (a terminal, and no `NO_COLOR`). */
  readonly colour: boolean;
  /** Width of the terminal in columns; 0 where there is none, or it does not say. */
  readonly columns: number;
  /**
   * Aborted when nobody reads stdout any more (`| head`, a terminal that was closed), as the next
   * line shows: what does nothing but print ends then. What does other work goes on.
   */
  readonly unread: AbortSignal;
  /** Writes one line of results to stdout. */
  out(line: string): void;
  /** Writes one line for people to stderr. */
  err(line: string): void;
  /** Everything on stdin, in the pieces in which it comes. */
  readStdin(): AsyncIterable<Uint8Array>;
  /**
   * Asks a person for a line, on stderr. With `hidden` nothing that is typed is shown.
   * Rejects with the signal's reason when it is aborted, and with an `AbortError` on Ctrl-C or at
   * the end of stdin.
   */
  ask(question: string, options: { hidden?: boolean; signal: AbortSignal }): Promise<string>;
}

/** Where the streams are taken from: `process`, whose streams are made when they are first used. */
export interface IoStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const DESCRIPTOR = { stdin: 0, stdout: 1, stderr: 2 } as const;

/**
 * The real terminal. `noColour`: what the environment's `NO_COLOR` says. A stream is not touched
 * before it is used: making stdin alone takes longer than printing a help text.
 *
 * @param onLost told when results could not be written (a full disk); once.
 */
export function systemIo(
  streams: IoStreams,
  noColour: boolean,
  onLost: (error: NodeJS.ErrnoException) => void,
): Io {
  // `node:tty` brings the network with it: it is loaded by who asks.
  const isTerminal = (name: keyof typeof DESCRIPTOR) =>
    process.getBuiltinModule('node:tty').isatty(DESCRIPTOR[name]);
  const guarded = new Set<'stdout' | 'stderr'>();
  const unread = new AbortController();
  let lost = false;
  const open = (name: 'stdout' | 'stderr'): NodeJS.WriteStream => {
    const stream = streams[name];
    if (guarded.has(name)) return stream;
    guarded.add(name);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // What nobody can be told is not told.
      if (name === 'stderr') return;
      // A reader that went away (`sync workouts | head`), or a terminal that was closed, is no fault:
      // what is left is not wanted.
      if (error.code === 'EPIPE' || error.code === 'EIO') unread.abort(error);
      else if (!lost) {
        lost = true;
        onLost(error);
      }
    });
    return stream;
  };
  return {
    get interactive() {
      return isTerminal('stdin') && isTerminal('stderr');
    },
    get stdoutIsTerminal() {
      return isTerminal('stdout');
    },
    get stderrIsTerminal() {
      return isTerminal('stderr');
    },
    get colour() {
      return isTerminal('stderr') && !noColour;
    },
    get columns() {
      return isTerminal('stderr') ? open('stderr').columns : 0;
    },
    unread: unread.signal,
    out: (line) => void open('stdout').write(`${line}\n`),
    err: (line) => void open('stderr').write(`${line}\n`),
    readStdin: () => streams.stdin,
    ask: (question, { hidden = false, signal }) => ask(streams, question, hidden, signal),
  };
}

async function ask(
  { stdin, stderr }: IoStreams,
  question: string,
  hidden: boolean,
  signal: AbortSignal,
): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  return await new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // readline echoes what is typed to its output: for hidden input that is nowhere.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({
      input: stdin,
      output: hidden ? nowhere : stderr,
      terminal: stdin.isTTY,
    });
    // Not before the terminal stopped echoing by itself: somebody may type, or paste, at once.
    stderr.write(question);
    if (!hidden) reader.setPrompt(question);
    const cancel = (reason: unknown) => {
      settle();
      reject(reason instanceof Error ? reason : new DOMException('Cancelled', 'AbortError'));
    };
    const onAbort = () => cancel(signal.reason);
    const onClose = () => cancel(new DOMException('No answer', 'AbortError'));
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
