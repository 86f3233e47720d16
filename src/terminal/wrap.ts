import measure from 'fast-string-truncated-width';

export function widthOf(text: string): number {
  return measure(text).width;
}

/** Cuts a text to a width (columns), with `ellipsis` at its end. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (width <= ellipsis.length) return widthOf(text) <= width ? text : ellipsis.slice(0, width);
  const { index, ellipsed } = measure(text, { limit: width, ellipsis });
  return ellipsed ? text.slice(0, index).trimEnd() + ellipsis : text;
}

/** A word with the space before it. A command in backticks is one word, and so is a number with its unit. */
const WORD =
  /(\s*)((?:`[^`]+`|\d (?:(?:second|minute|hour|day)s? ago|bpm|rpm|km\/h|km|kg|kcal|min|ml|mi|ms|m|h|s|W|yd)(?![^\s,.;)])|\S)+)/g;
/** A line that people copy into a shell: a line break in it would make two commands of it. */
const COPIED = /^ *(?:export SYNC_|ssh -N )/;
/** Beginning of a line that its further lines are indented by: spaces, a bullet, a short label. */
const LEAD = /^\s*(?:[-*]\s+|\S+(?: \S+){0,4}\s{2,}(?=\S))?/;
/** Share of the width that a label may take, so that enough is left for the text beside it. */
const LABEL_SHARE = 1 / 3;

/**
 * Wraps a text between words. Further lines are indented as the first one, or below the text beside
 * its label. A command in backticks stays on one line if it fits; a longer word is never broken, nor a line
 * to copy into a shell.
 *
 * @param columns width of the terminal; 0: the text is returned unchanged
 */
export function wrap(text: string, columns: number): string {
  if (columns === 0) return text;
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns || COPIED.test(line) ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = ' '.repeat(indentOf(line, columns));
  const lines: string[] = [];
  let current = '';
  for (const { space, word } of wordsOf(line, columns - indent.length)) {
    const longer = current + space + word;
    if (current.trim() === '' || widthOf(longer) <= columns) current = longer;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  // The space after a question.
  const trailing = line.slice(line.trimEnd().length);
  return [...lines, current + trailing].join('\n');
}

/** @param width a command that takes more columns is broken into its words */
function wordsOf(line: string, width: number): { space: string; word: string }[] {
  // Without a word behind them, many spaces would take quadratic time.
  return [...line.trimEnd().matchAll(WORD)].flatMap(([whole, space = '', word = '']) =>
    widthOf(word) <= width
      ? { space, word }
      : [...whole.matchAll(/(\s*)(\S+)/g)].map(([, gap = '', part = '']) => ({
          space: gap,
          word: part,
        })),
  );
}

function indentOf(line: string, columns: number): number {
  const [lead = ''] = LEAD.exec(line) ?? [];
  const label = widthOf(lead);
  return label <= columns * LABEL_SHARE ? label : line.length - line.trimStart().length;
}
