import type { Env } from '../base/env.ts';

export interface TerminalFeatures {
  readonly unicode: boolean;
  /** Shows colours, and the user did not turn them off. */
  readonly colour: boolean;
  /** The user wants colours, also if the output is no terminal. */
  readonly forcesColour?: boolean;
  readonly redraws: boolean;
}

/**
 * Reads the capabilities from `TERM`, the locale, and the variables for colours: `NO_COLOR`
 * (https://no-color.org) wins over `FORCE_COLOR`, which wins over `CLICOLOR=0`.
 */
export function terminalFeatures(env: Env, platform: NodeJS.Platform): TerminalFeatures {
  const isDumb = env['TERM'] === 'dumb';
  const isOff = Boolean(env['NO_COLOR']) || env['FORCE_COLOR'] === '0';
  const forcesColour = !isOff && Boolean(env['FORCE_COLOR']);
  return {
    unicode: !isDumb && (platform === 'win32' ? windowsShowsUnicode(env) : showsUnicode(env)),
    colour: forcesColour || (!isDumb && !isOff && env['CLICOLOR'] !== '0'),
    forcesColour,
    redraws: !isDumb,
  };
}

/** The locale's character set, in the order of precedence of POSIX (XBD section 8.2). */
function showsUnicode(env: Env): boolean {
  // The font of the Linux console has neither braille dots nor block elements.
  if (env['TERM'] === 'linux') return false;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}

/** Windows has no locale variables; the old console lacks most characters. */
function windowsShowsUnicode(env: Env): boolean {
  return (
    Boolean(env['WT_SESSION']) ||
    env['TERM_PROGRAM'] === 'vscode' ||
    env['ConEmuANSI'] === 'ON' ||
    (env['TERM'] !== undefined && showsUnicode(env))
  );
}

export type Glyphs = typeof UNICODE;

/** Characters that draw; {@link ASCII} has a form for terminals that show only ASCII. */
const UNICODE = {
  ellipsis: '…',
  /** A finished and an unfinished cell of a progress bar. */
  bar: { full: '█', empty: '░' },
  /** Marks of a calendar: what the service has of a day. */
  mark: { confirmed: '●', undone: '↶', waiting: '○', refused: '×', none: '·' },
};

const ASCII: Glyphs = {
  ellipsis: '...',
  bar: { full: '#', empty: '-' },
  mark: { confirmed: '*', undone: '<', waiting: 'o', refused: 'x', none: '.' },
};

/** @param unicode `Io.unicode` */
export function glyphsFor(unicode: boolean): Glyphs {
  return unicode ? UNICODE : ASCII;
}

/** Replaces the characters in texts of the program that a terminal with only ASCII lacks. */
export function inAscii(text: string): string {
  return text.replaceAll(UNICODE.ellipsis, ASCII.ellipsis);
}
