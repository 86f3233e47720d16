/** Characters that draw, with a form for terminals that show only ASCII. */
export interface Glyphs {
  readonly ellipsis: string;
  /** A finished and an unfinished cell of a progress bar. */
  readonly bar: { readonly full: string; readonly empty: string };
  /** Frames of a spinner, all one column wide. */
  readonly spinner: readonly string[];
  /** Marks of a calendar: what the service has of a day. */
  readonly mark: Readonly<Record<'confirmed' | 'waiting' | 'refused' | 'none', string>>;
}

const UNICODE: Glyphs = {
  ellipsis: '…',
  bar: { full: '█', empty: '░' },
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  mark: { confirmed: '●', waiting: '○', refused: '×', none: '·' },
};

const ASCII: Glyphs = {
  ellipsis: '...',
  bar: { full: '#', empty: '-' },
  spinner: ['|', '/', '-', '\\'],
  mark: { confirmed: '*', waiting: 'o', refused: 'x', none: '.' },
};

/** @param unicode `Io.unicode` */
export function glyphsFor(unicode: boolean): Glyphs {
  return unicode ? UNICODE : ASCII;
}

/** Replaces the characters in texts of the program that a terminal with only ASCII lacks. */
export function inAscii(text: string): string {
  return text.replaceAll(UNICODE.ellipsis, ASCII.ellipsis);
}
