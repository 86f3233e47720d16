import { styleText } from 'node:util';
import { Phrase, type Text, renderText } from '../base/phrase.ts';
import { JSON_VERSION } from '../json/version.ts';
import type { Clock } from '../base/time.ts';
import { inAscii } from './glyphs.ts';
import type { Io } from './io.ts';
import { NO_PROGRESS, type Progress, ProgressDisplay } from './progress.ts';
import { wrap } from './wrap.ts';

export interface GlobalFlags {
  /** Profile named by the flag or by `SYNC_PROFILE`. */
  readonly profile?: string | undefined;
  /** Print only NDJSON on stdout. */
  readonly json: boolean;
  /** Print only results, warnings and errors. */
  readonly quiet: boolean;
  /** Print a line for each request on stderr. */
  readonly verbose: boolean;
}

/** The output of a command. */
export interface Output {
  readonly json: boolean;
  /**
   * Prints a result: the object for programs, as src/json describes it, or the text, if any, for
   * people. A text is wrapped in a terminal, unless it is `verbatim`, such as a script.
   */
  result(
    object: Readonly<Record<string, unknown>>,
    text?: Text,
    options?: { readonly verbatim?: boolean },
  ): void;
  /** Prints a remark on stderr, unless `--quiet`. */
  say(text: Text): void;
  /** Prints a warning on stderr. */
  warn(text: Text): void;
  /** Prints a line on stderr with `--verbose`. */
  detail(text: string): void;
  error(object: Readonly<Record<string, unknown>>, text: Text): void;
  progress(): Progress;
}

/** @param clock of the progress */
export function createOutput(io: Io, flags: GlobalFlags, clock: Clock): Output {
  let shown: ProgressDisplay | undefined;
  const readable = (text: Text) => {
    const safe = printable(renderText(text, flags.profile));
    return io.unicode ? safe : inAscii(safe);
  };
  /** Returns a line of the schema in src/json: its kind, the schema's version, its fields. */
  const toJson = ({ type, ...fields }: Readonly<Record<string, unknown>>) => {
    // They come first, and a service's field of that name does not replace them.
    const head = { type, v: JSON_VERSION };
    return JSON.stringify({ ...head, ...fields, ...head }, (_key, value: unknown) =>
      value instanceof Phrase ? value.render(flags.profile) : value,
    );
  };
  /** Writes a line to the terminal that the progress line is drawn on. */
  const above = (write: () => void) => {
    if (shown === undefined) write();
    else shown.above(write);
  };
  const err = (text: Text) => above(() => io.err(wrap(readable(text), io.stderrColumns)));
  return {
    json: flags.json,
    result(object, text, { verbatim = false } = {}) {
      if (flags.json) io.out(toJson(object));
      else if (text !== undefined) {
        const line = wrap(readable(text), verbatim ? 0 : io.stdoutColumns);
        if (io.stdoutIsTerminal) above(() => io.out(line));
        else io.out(line);
      }
    },
    say(text) {
      if (!flags.quiet) err(text);
    },
    warn: err,
    detail(text) {
      if (flags.verbose) err(text);
    },
    error(object, text) {
      if (flags.json) io.out(toJson(object));
      const lines = wrap(readable(text), io.stderrColumns);
      above(() =>
        io.err(
          io.colour ? lines.replace(/^Error:/, styleText('red', 'Error:', NOT_BY_STDOUT)) : lines,
        ),
      );
    },
    progress() {
      if (flags.quiet || flags.json || flags.verbose) return NO_PROGRESS;
      shown?.stop();
      shown = new ProgressDisplay(io, clock);
      return shown;
    },
  };
}

/** `styleText` would check stdout for a line on stderr; `Io.colour` has decided already. */
const NOT_BY_STDOUT = { validateStream: false } as const;

/**
 * Removes control characters and direction marks: file names and texts of a service cannot control
 * the terminal.
 */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
