import type { Env } from '../base/env.ts';

/** Capabilities of the terminal, as the environment states them. */
export interface TerminalFeatures {
  /** Shows characters beyond ASCII. */
  readonly unicode: boolean;
  /** Shows colours, and the user did not turn them off (`NO_COLOR`, https://no-color.org). */
  readonly colour: boolean;
  /** Can redraw a line. */
  readonly redraws: boolean;
}

/** Reads the capabilities from `TERM`, `NO_COLOR` and the locale. */
export function terminalFeatures(env: Env, platform: NodeJS.Platform): TerminalFeatures {
  const isDumb = env['TERM'] === 'dumb';
  return {
    unicode: !isDumb && (platform === 'win32' ? windowsShowsUnicode(env) : showsUnicode(env)),
    colour: !isDumb && !env['NO_COLOR'],
    redraws: !isDumb,
  };
}

/** The locale's character set, in the order of precedence of POSIX (XBD section 8.2). */
function showsUnicode(env: Env): boolean {
  // The font of the Linux console has neither braille dots nor block elements.
  if (env['TERM'] === 'linux') return false;
  return isUtf8(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG']);
}

function isUtf8(locale: string | undefined): boolean {
  return /utf-?8/i.test(locale ?? '');
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
