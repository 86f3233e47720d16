import { styleText } from 'node:util';
import { JSON_VERSION } from '../json/version.ts';
import type { Io } from './io.ts';
import { namingProfile } from './profile-hint.ts';

export interface GlobalFlags {
  /** The one in use, if any was named: by the flag, or by `SYNC_PROFILE`. */
  readonly profile?: string | undefined;
  /** NDJSON on stdout, and nothing else there. */
  readonly json: boolean;
  /** No progress and no remarks: results and errors alone. */
  readonly quiet: boolean;
  /** A line for each request, on stderr. */
  readonly verbose: boolean;
}

/** A line that is drawn over and over while something takes its time. */
export interface Progress {
  /** @param text is only asked for where the line is shown. */
  update(text: () => string): void;
  /** Takes the line away. May be called twice. */
  stop(): void;
}

/** What a command says, sorted by who it is for. */
export interface Output {
  readonly json: boolean;
  /**
   * A result: an object for programs, as src/json describes it, or the text for people (none: nothing
   * is printed).
   */
  result(object: Readonly<Record<string, unknown>>, text?: string): void;
  /** A remark for people, on stderr; silenced by `--quiet`. */
  say(text: string): void;
  /** A warning for people, on stderr. */
  warn(text: string): void;
  /** Only with `--verbose`, on stderr. */
  detail(text: string): void;
  error(object: Readonly<Record<string, unknown>>, text: string): void;
  progress(): Progress;
}

export function createOutput(io: Io, flags: GlobalFlags): Output {
  let shown: Progress | undefined;
  const readable = (text: string) => printable(namingProfile(text, flags.profile));
  /** A line of the schema in src/json: its kind, the schema's version, its fields. */
  const toJson = ({ type, ...fields }: Readonly<Record<string, unknown>>) => {
    // They come first, and a service's field of that name does not replace them.
    const head = { type, v: JSON_VERSION };
    return JSON.stringify({ ...head, ...fields, ...head }, (key, value: unknown) =>
      key === 'hint' && typeof value === 'string' ? namingProfile(value, flags.profile) : value,
    );
  };
  const err = (text: string) => {
    // A remark takes the place of the progress line, which is drawn again below it.
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

/** Where colour is welcome is decided (io.ts); `styleText` would ask stdout, for a line on stderr. */
const NOT_BY_STDOUT = { validateStream: false } as const;

/** A spinner, loaded when it is wanted: what ends sooner shows none. */
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

/** What is used of ora's spinner. */
interface Drawn {
  text: string;
  readonly isSpinning: boolean;
  start(): unknown;
  stop(): unknown;
}

/**
 * Names of files, and what a service says, cannot command the terminal: no control characters, and
 * none that turn the direction of what follows.
 */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what this takes out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
