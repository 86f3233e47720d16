import { styleText } from 'node:util';
import { printableLines } from '../base/printable.ts';

/** Colours a text red. The caller has decided that the stream shows colours (`Io.colour`). */
export function red(text: string): string {
  return styleText('red', text, { validateStream: false });
}

/** Matches the control sequences of {@link red}. */
// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const OWN_COLOUR = /(\u001b\[(?:31|39)m)/;

/** Returns lines of output without any control sequence but those of {@link red}. */
export function withoutControls(lines: string): string {
  if (!lines.includes('\u001b')) return printableLines(lines);
  return lines
    .split(OWN_COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join('');
}
