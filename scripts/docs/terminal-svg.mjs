// Draws the content of a terminal as an SVG file without outside resources.

/** Size of a character cell (px). */
const CELL = { width: 8.4, height: 18 };
const FONT_SIZE = 14;
/** Space around the text, and the height of the frame's head (px). */
const MARGIN = 18;
const HEAD = 34;

export const THEMES = {
  light: { ground: '#ffffff', frame: '#d0d7de', text: '#1f2328', soft: '#59636e' },
  dark: { ground: '#0d1117', frame: '#30363d', text: '#e6edf3', soft: '#9198a1' },
};

/** The styles of text by their SGR sequences, as tmux writes them. The pictures have no colours. */
const STYLES = { '\x1b[0m': '', '\x1b[1m': 'bold', '\x1b[2m': 'dim' };
const DEFAULT_COLOURS = ['\x1b[39m', '\x1b[49m'];

/**
 * Draws lines of text with SGR sequences.
 *
 * @param screen `lines`, `columns`, and the `title` and `description` that a screen reader speaks
 */
export function terminalSvg({ lines, columns, title, description }, theme) {
  const width = round(columns * CELL.width + 2 * MARGIN);
  const height = HEAD + lines.length * CELL.height + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escape(title)}</title>
<desc id="d">${escape(description)}</desc>
<style>
text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${theme.text}; white-space: pre; }
path { fill: ${theme.soft}; }
.bold { font-weight: 600; }
.dim { fill: ${theme.soft}; }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${theme.ground}" stroke="${theme.frame}"/>
<g fill="${theme.frame}"><circle cx="20" cy="18" r="5.5"/><circle cx="38" cy="18" r="5.5"/><circle cx="56" cy="18" r="5.5"/></g>
${lines.map(cellsOf).flatMap(drawLine).join('\n')}
</svg>
`;
}

/** The characters of a line, each with the name of its style. */
function cellsOf(line) {
  let style = '';
  return line.split(/(\p{Cc}\[[\d;]*m)/u).flatMap((part) => {
    if (!part.startsWith('\x1b')) return Array.from(part, (character) => ({ character, style }));
    if (DEFAULT_COLOURS.includes(part)) return [];
    if (!(part in STYLES)) throw new Error(`${JSON.stringify(part)} has no style in this picture.`);
    style = STYLES[part];
    return [];
  });
}

/** Text goes in runs of one style. Charts and maps are drawn, since fonts differ most in these. */
function drawLine(cells, row) {
  const y = HEAD + row * CELL.height;
  const runs = [];
  for (const [column, { character, style }] of cells.entries()) {
    const graphic = isGraphic(character);
    const last = runs.at(-1);
    if (last?.style === style && last.graphic === graphic) last.text += character;
    else runs.push({ column, style, graphic, text: character });
  }
  return runs.flatMap((run) => (run.graphic ? drawGraphics(run, y) : drawText(run, y)));
}

/** Each word group has its length in cells, so that any font keeps the columns. */
function drawText({ column, style, text }, y) {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map((found) => {
    const [words] = found;
    const x = round(MARGIN + (column + found.index) * CELL.width);
    const length = round(words.length * CELL.width);
    return `<text${named(style)} x="${x}" y="${y + 13}" textLength="${length}">${escape(words)}</text>`;
  });
}

function drawGraphics({ column, style, text }, y) {
  const shapes = Array.from(text, (character, at) => {
    const x = MARGIN + (column + at) * CELL.width;
    return character >= '⠀' && character <= '⣿'
      ? braille(character, x, y)
      : rectangle(...block(character, x, y));
  }).join('');
  return shapes === '' ? [] : [`<path${named(style)} d="${shapes}"/>`];
}

function isGraphic(character) {
  return /[\u2800-\u28ff\u2581-\u2588]/.test(character);
}

/** The dots of a braille character, in the order of its bits: column, row. */
const DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
];
const DOT_SIZE = 2.4;

function braille(character, x, y) {
  const bits = character.codePointAt(0) - 0x2800;
  return DOTS.filter((_, bit) => (bits & (1 << bit)) !== 0)
    .map(([column, row]) => [
      x + (column + 0.5) * (CELL.width / 2) - DOT_SIZE / 2,
      y + (row + 0.5) * (CELL.height / 4) - DOT_SIZE / 2,
      DOT_SIZE,
      DOT_SIZE,
    ])
    .map((sides) => rectangle(...sides))
    .join('');
}

/** Blocks of two rows overlap by this, so that no line shows between them at any zoom (px). */
const OVERLAP = 0.5;

/** The sides of a block element: x, y, width, height. */
function block(character, x, y) {
  // U+2581 to U+2588 fill the cell from below in eighths.
  const eighths = character.codePointAt(0) - 0x2580;
  const height = (eighths * CELL.height) / 8;
  return [x, y + CELL.height - height, CELL.width, height + OVERLAP];
}

function rectangle(x, y, width, height) {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h-${round(width)}z`;
}

function named(style) {
  return style === '' ? '' : ` class="${style}"`;
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
