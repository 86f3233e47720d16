import { Phrase, type Text, renderText, joinTexts, phrase } from '../base/phrase.ts';
import { toJson } from '../base/printable.ts';
import { JSON_VERSION } from '../base/version.ts';
import type { Clock } from '../base/time.ts';
import { inAscii } from './features.ts';
import type { Io } from './io.ts';
import { NO_PROGRESS, type Progress, ProgressDisplay } from './progress.ts';
import { wrap } from './wrap.ts';
import { type SyncError, messageOf } from '../base/errors.ts';

export interface GlobalFlags {
  /** Profile named by the flag or by `SYNC_PROFILE`. */
  readonly profile?: string | undefined;
  readonly json: boolean;
  /** Print only results, warnings and errors. */
  readonly quiet: boolean;
  readonly verbose: boolean;
}

type LineFields = Readonly<Record<string, unknown>>;

/**
 * Returns a line of the schema in scripts/json-schema: its kind, the schema's version, its fields.
 *
 * @param profile the profile in use, which commands in the fields name
 */
export function jsonLine(fields: LineFields, profile: string | undefined): string {
  const line: Record<string, unknown> = { type: fields['type'], v: JSON_VERSION, ...fields };
  // A service's field of that name does not replace it.
  line['v'] = JSON_VERSION;
  return profile === undefined ? toJson(line) : toJson(line, { replacer: withProfile(profile) });
}

/** Returns a replacer that adds the profile to the commands of each phrase. */
function withProfile(profile: string) {
  return function (this: LineFields, key: string, value: unknown): unknown {
    const phrase = this[key];
    return phrase instanceof Phrase ? phrase.render(profile) : value;
  };
}

export type Output = ReturnType<typeof createOutput>;

/** @param clock of the progress */
export function createOutput(io: Io, flags: GlobalFlags, clock: Clock) {
  let summary: (() => LineFields) | undefined;
  let lines = 0;
  const readable = (text: Text) => {
    const rendered = renderText(text, flags.profile);
    return io.unicode ? rendered : inAscii(rendered);
  };
  const toLine = (object: LineFields) => jsonLine(object, flags.profile);
  const err = (text: Text) => io.err(wrap(readable(text), io.stderrColumns));
  /** Prints a text, if any, that only people read. */
  const text = (shown: Text | undefined) => {
    if (!flags.json && shown !== undefined) io.out(wrap(readable(shown), io.stdoutColumns));
  };
  return {
    json: flags.json,
    verbose: flags.verbose,
    text,
    /**
     * Prints a result: the object for programs, as docs/json.md describes it, or the text, if any, for
     * people, which is wrapped in a terminal.
     */
    result(object: LineFields, shown?: Text) {
      if (flags.json) {
        if (object['type'] === 'summary') summary = undefined;
        lines++;
        io.out(toLine(object));
      } else text(shown);
    },
    /** Prints a script of this program, unchanged, or an object with it. */
    script(object: LineFields, script: string) {
      io.out(flags.json ? toLine(object) : script);
    },
    /** Prints a remark on stderr, unless `--quiet`. */
    say(text: Text) {
      if (!flags.quiet) err(text);
    },
    warn: err,
    detail(text: string) {
      if (flags.verbose) err(text);
    },
    error(object: LineFields, text: Text) {
      if (flags.json) io.out(toLine(object));
      err(text);
    },
    /**
     * Makes a summary the last line for programs, also after a failure on the way. A line of this type that the
     * command prints replaces it.
     *
     * @param make default: the number of lines
     */
    summarise(make: () => LineFields = () => ({ type: 'summary', total: lines })) {
      summary = make;
    },
    /** Ends the run. May be called twice. @param isFailed nothing is summed up if nothing was done */
    end(isFailed: boolean) {
      if (flags.json && summary !== undefined && (lines > 0 || !isFailed))
        io.out(toLine(summary()));
      summary = undefined;
    },
    progress(): Progress {
      const isHidden = flags.quiet || flags.json || flags.verbose;
      return isHidden ? NO_PROGRESS : new ProgressDisplay(io, clock);
    },
  };
}

/** Returns an error for programs: `{"type":"error","code":...,"message":...,"hint":...}`. */
export function errorReport({ code, message, hint, details }: SyncError): Record<string, unknown> {
  const told = { type: 'error', code, message, ...(hint === undefined ? {} : { hint }) };
  return { ...told, ...details, ...told };
}

/** Returns an error for people: the message, then the hint. */
export function errorText(error: SyncError, { verbose }: Pick<GlobalFlags, 'verbose'>): Text {
  if (error.code === 'INTERRUPTED') return error.message;
  const lines: Text[] = [`Error: ${error.message}`];
  if (error.hint !== undefined) lines.push(phrase`  ${error.hint}`);
  // The cause of a fault is in its trace.
  if (verbose && error.cause !== undefined && error.code !== 'INTERNAL')
    lines.push(`  Cause: ${messageOf(error.cause)}`);
  return joinTexts(lines);
}
