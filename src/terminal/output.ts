import { styleText } from 'node:util';
import { Phrase, type Text, renderText } from '../base/phrase.ts';
import { JSON_VERSION } from '../json/version.ts';
import type { Io } from './io.ts';

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

/** A progress line, redrawn on each update. */
export interface Progress {
  /** @param text called only if the line is shown. */
  update(text: () => string): void;
  /** Removes the line. May be called twice. */
  stop(): void;
}

/** The output of a command. */
export interface Output {
  readonly json: boolean;
  /** Prints a result: the object for programs, as src/json describes it, or the text, if any, for people. */
  result(object: Readonly<Record<string, unknown>>, text?: Text): void;
  /** Prints a remark on stderr, unless `--quiet`. */
  say(text: Text): void;
  /** Prints a warning on stderr. */
  warn(text: Text): void;
  /** Prints a line on stderr with `--verbose`. */
  detail(text: string): void;
  error(object: Readonly<Record<string, unknown>>, text: Text): void;
  progress(): Progress;
}

export function createOutput(io: Io, flags: GlobalFlags): Output {
  let shown: Progress | undefined;
  const readable = (text: Text) => printable(renderText(text, flags.profile));
  /** Returns a line of the schema in src/json: its kind, the schema's version, its fields. */
  const toJson = ({ type, ...fields }: Readonly<Record<string, unknown>>) => {
    // They come first, and a service's field of that name does not replace them.
    const head = { type, v: JSON_VERSION };
    return JSON.stringify({ ...head, ...fields, ...head }, (_key, value: unknown) =>
      value instanceof Phrase ? value.render(flags.profile) : value,
    );
  };
  const err = (text: Text) => {
    // The remark replaces the progress line, which the next update draws below it.
    shown?.stop();
    io.err(readable(text));
  };
  return {
    json: flags.json,
    result(object, text) {
      if (flags.json) io.out(toJson(object));
      else if (text !== undefined) {
        if (io.stdoutIsTerminal) shown?.stop();
        io.out(readable(text));
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
      shown?.stop();
      const safe = readable(text);
      io.err(io.colour ? safe.replace(/^Error:/, styleText('red', 'Error:', NOT_BY_STDOUT)) : safe);
    },
    progress() {
      const quiet = flags.quiet || flags.json || flags.verbose;
      const wanted = io.stderrIsTerminal && io.columns > 0 && !quiet;
      shown = wanted ? spinner() : { update: () => undefined, stop: () => undefined };
      return shown;
    },
  };
}

/** `styleText` would check stdout for a line on stderr; `Io.colour` has decided already. */
const NOT_BY_STDOUT = { validateStream: false } as const;

/** Returns a spinner, which loads its library first: a short command shows none. */
function spinner(): Progress {
  let text = '';
  let wanted = true;
  let begin: (() => Drawn) | undefined;
  let drawn: Drawn | undefined;
  void import('ora').then(({ default: ora }) => {
    begin = () => ora({ text, stream: process.stderr, discardStdin: false }).start();
    if (wanted) drawn = begin();
  });
  return {
    update(next) {
      text = printable(next()).replaceAll('\n', ' ');
      wanted = true;
      drawn ??= begin?.();
      if (drawn === undefined) return;
      drawn.text = text;
      if (!drawn.isSpinning) drawn.start();
    },
    stop() {
      wanted = false;
      drawn?.stop();
    },
  };
}

/** The part of ora's spinner in use. */
interface Drawn {
  text: string;
  readonly isSpinning: boolean;
  start(): unknown;
  stop(): unknown;
}

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
