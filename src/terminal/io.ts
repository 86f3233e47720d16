import { type Stats, fstatSync, statSync, writeSync } from 'node:fs';
import { styleText } from 'node:util';
import type { Ora } from 'ora';
import { attempt } from '../base/errors.ts';
import { type Text, renderText } from '../base/phrase.ts';
import { printable, printableLines } from '../base/printable.ts';
import type { TerminalFeatures } from './features.ts';
import type { AskOptions } from './prompt.ts';
import { wrap } from './wrap.ts';

/**
 * The standard streams: stdout for results, stderr for people. The only control sequences that
 * reach them are those of this program's colours, spinner and prompts.
 */
export interface Io {
  /** The program can ask the user: stdin and stderr are terminals. */
  readonly interactive: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Characters beyond ASCII can be shown: the locale is UTF-8. */
  readonly unicode: boolean;
  /** stderr is a terminal on which {@link spin} works. */
  readonly redraws: boolean;
  /** Width of the terminal in columns; 0 if it is unknown or stdout is no terminal. */
  readonly stdoutColumns: number;
  /** Width of the terminal in columns; 0 if it is unknown or stderr is no terminal. */
  readonly stderrColumns: number;
  /**
   * Aborted by the first line after the reader of stdout is gone (`| head`, a closed terminal).
   * Commands that only print stop then; others continue.
   */
  readonly unread: AbortSignal;
  out(line: string): void;
  /** Shows the `Error:` at the beginning of a text in red, if stderr shows colours. */
  err(line: string): void;
  /**
   * Shows a spinner on the last line of the terminal at stderr, below all output, with a text that each frame asks for.
   *
   * @returns a function that ends it
   */
  spin(line: () => string): () => void;
  /** Reads the rest of stdin. Throws the signal's reason when it is aborted. */
  readStdin(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Asks the user for a line on stderr. With `hidden`, the input is not echoed. Rejects with the
   * signal's reason if it is aborted, and with a `SyncError` `INTERRUPTED` on Ctrl-C or at the end of stdin.
   */
  ask(question: Text, options: AskOptions): Promise<string>;
}

export interface LineStream {
  /** Width in columns, if it is a terminal that knows its width. */
  readonly columns?: number | undefined;
  write(text: string): void;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): void;
}

export interface IoStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: LineStream;
  readonly stderr: NodeJS.WriteStream;
}

const DESCRIPTOR = { stdin: 0, stdout: 1, stderr: 2 } as const;

/**
 * Creates the {@link Io} of the process. Touches a stream only when it is used: creating stdin takes
 * longer than printing a help text.
 *
 * @param onLost called once if results cannot be written (a full disk).
 */
export function systemIo(
  streams: IoStreams,
  features: TerminalFeatures,
  onLost: (error: NodeJS.ErrnoException) => void,
): Io {
  const isTerminal = (name: keyof typeof DESCRIPTOR) => isTerminalAt(DESCRIPTOR[name]);
  const unread = new AbortController();
  const open = guardedOutputs(streams, unread, onLost);
  // A terminal may not know its width: `columns` is undefined or 0 then.
  const columnsOf = (name: 'stdout' | 'stderr') =>
    isTerminal(name) ? (open(name).columns ?? 0) : 0;
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
    unicode: features.unicode,
    get redraws() {
      return isTerminal('stderr') && features.redraws && columnsOf('stderr') > 0;
    },
    get stdoutColumns() {
      return columnsOf('stdout');
    },
    get stderrColumns() {
      return columnsOf('stderr');
    },
    unread: unread.signal,
    out: (line) => open('stdout').write(`${printableLines(line)}\n`),
    err(line) {
      const shown = printableLines(line);
      const hasColour = features.colour && (features.forcesColour === true || isTerminal('stderr'));
      open('stderr').write(`${hasColour ? shown.replace(/^Error:/, red) : shown}\n`);
    },
    spin: (line) => spinOn(open('stderr'), features, line),
    readStdin(signal) {
      signal.addEventListener('abort', () => streams.stdin.destroy(signal.reason as Error));
      return streams.stdin;
    },
    ask: async (question, options) => {
      const { ask } = await import('./prompt.ts');
      const text = wrap(renderText(question, undefined), columnsOf('stderr'));
      return await ask(streams, text, options);
    },
  };
}

function red(text: string): string {
  return styleText('red', text, { validateStream: false });
}

/** Returns a function that opens an output stream, and handles its errors from the first time on. */
function guardedOutputs(
  streams: IoStreams,
  unread: AbortController,
  onLost: (error: NodeJS.ErrnoException) => void,
) {
  const guarded = new Set<'stdout' | 'stderr'>();
  let lost = false;
  return <T extends 'stdout' | 'stderr'>(name: T): IoStreams[T] => {
    const stream = streams[name];
    if (guarded.has(name)) return stream;
    guarded.add(name);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // There is no place to report a failure of stderr.
      if (name === 'stderr') return;
      // A reader that closed the pipe (`sync workouts | head`) or a closed terminal is not an error.
      if (error.code === 'EPIPE' || error.code === 'EIO') unread.abort(error);
      else if (!lost) {
        lost = true;
        onLost(error);
      }
    });
    return stream;
  };
}

/** The library is loaded with the first spinner: a short command shows none. */
function spinOn(
  stream: NodeJS.WriteStream,
  { unicode, colour }: TerminalFeatures,
  line: () => string,
): () => void {
  let isEnded = false;
  let spinner: Ora | undefined;
  const start = async () => {
    const { default: ora } = await import('ora');
    if (isEnded) return;
    spinner = ora({
      stream,
      isEnabled: true,
      discardStdin: false,
      color: colour ? 'cyan' : false,
      spinner: unicode ? 'dots' : 'line',
      suffixText: () => printable(line()),
    }).start();
  };
  void start();
  return () => {
    isEnded = true;
    spinner?.stop();
  };
}

/**
 * Returns the streams of the process, each created at its first use. A file at stdout is written without
 * Node's streams, which take 2 ms to load.
 */
export function standardStreams(): IoStreams {
  let stdout: LineStream | undefined;
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= isFile(1) ? new FileStream(1) : process.stdout);
    },
    get stderr() {
      return process.stderr;
    },
  };
}

/** Returns whether a descriptor is a terminal. Only a device may be one: `node:tty` takes 3 ms to load. */
function isTerminalAt(fd: number): boolean {
  const stats = statsOf(fd);
  if (stats !== undefined && (!stats.isCharacterDevice() || isNullDevice(stats))) return false;
  return process.getBuiltinModule('node:tty').isatty(fd);
}

/** Returns whether a standard stream is a terminal. */
export function hasTerminal(): boolean {
  return Object.values(DESCRIPTOR).some(isTerminalAt);
}

function isFile(fd: number): boolean {
  const stats = statsOf(fd);
  return stats !== undefined && (stats.isFile() || isNullDevice(stats));
}

/** Returns undefined for a closed descriptor. */
function statsOf(fd: number) {
  return attempt(() => fstatSync(fd));
}

function isNullDevice(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null', NOT_ON_WINDOWS)?.rdev;
}

const NOT_ON_WINDOWS = { throwIfNoEntry: false } as const;

/** A descriptor that never lets its writer wait. After an error, nothing more is written. */
class FileStream implements LineStream {
  readonly columns = undefined;
  readonly #fd: number;
  #onError: (error: NodeJS.ErrnoException) => void = () => undefined;
  #failed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  on(_event: 'error', listener: (error: NodeJS.ErrnoException) => void): void {
    this.#onError = listener;
  }

  write(text: string): void {
    try {
      for (let rest = Buffer.from(text); rest.length > 0 && !this.#failed;) {
        rest = rest.subarray(writeSync(this.#fd, rest));
      }
    } catch (error) {
      this.#failed = true;
      this.#onError(error as NodeJS.ErrnoException);
    }
  }
}
