// Draws the content of a terminal as an SVG file without outside resources.

/** Size of a character cell (px). */
const CELL = { width: 8.4, height: 18 };
const FONT_SIZE = 14;
/** Space around the text, and the height of the frame's head (px). */
const MARGIN = 18;
const HEAD = 34;

/** The first eight colours of a terminal, then the bright ones. */
export const THEMES = {
  light: {
    ground: '#ffffff',
    frame: '#d0d7de',
    text: '#1f2328',
    soft: '#59636e',
    colours: [
      '#24292f',
      '#cf222e',
      '#116329',
      '#7d4e00',
      '#0969da',
      '#8250df',
      '#1b7c83',
      '#59636e',
    ],
  },
  dark: {
    ground: '#0d1117',
    frame: '#30363d',
    text: '#e6edf3',
    soft: '#9198a1',
    colours: [
      '#9198a1',
      '#ff7b72',
      '#3fb950',
      '#d29922',
      '#58a6ff',
      '#bc8cff',
      '#39c5cf',
      '#e6edf3',
    ],
  },
};

/**
 * Draws lines of text with SGR sequences.
 *
 * @param screen `lines`, `columns`, and the `title` and `description` that a screen reader speaks
 */
export function terminalSvg({ lines, columns, title, description }, theme) {
  const width = round(columns * CELL.width + 2 * MARGIN);
  const height = HEAD + lines.length * CELL.height + MARGIN;
  const cells = lines.map(cellsOf);
  const used = new Set(cells.flat().flatMap(({ style }) => style.split(' ')));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escape(title)}</title>
<desc id="d">${escape(description)}</desc>
<style>
text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${theme.text}; white-space: pre; }
path { fill: ${theme.soft}; }
${stylesOf(theme, used)}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${theme.ground}" stroke="${theme.frame}"/>
<g fill="${theme.frame}"><circle cx="20" cy="18" r="5.5"/><circle cx="38" cy="18" r="5.5"/><circle cx="56" cy="18" r="5.5"/></g>
${cells.flatMap(drawLine).join('\n')}
</svg>
`;
}

function stylesOf(theme, used) {
  const styles = {
    bold: 'font-weight: 600;',
    dim: `fill: ${theme.soft};`,
    ...Object.fromEntries(theme.colours.map((colour, n) => [`c${n}`, `fill: ${colour};`])),
  };
  return Object.entries(styles)
    .filter(([name]) => used.has(name))
    .map(([name, style]) => `.${name} { ${style} }\n`)
    .join('');
}

/** The characters of a line, each with the names of its styles. */
function cellsOf(line) {
  const styles = new Map();
  return line.split(/(\p{Cc}\[[\d;]*m)/u).flatMap((part) => {
    if (!part.startsWith('\x1b')) {
      const style = [...styles.values()].join(' ');
      return Array.from(part, (character) => ({ character, style }));
    }
    for (const code of part.slice(2, -1).split(';').map(Number)) apply(code, styles);
    return [];
  });
}

function apply(code, styles) {
  const colour = (code % 10).toString();
  if (code === 0) styles.clear();
  else if (code === 1) styles.set('weight', 'bold');
  else if (code === 2) styles.set('weight', 'dim');
  else if (code === 22) styles.delete('weight');
  else if (code === 39) styles.delete('colour');
  else if (code === 49) return;
  else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
    styles.set('colour', `c${colour}`);
  } else throw new Error(`SGR ${code} has no colour in this picture.`);
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
  return /[\u2800-\u28ff\u2580-\u2590]/.test(character);
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
  const code = character.codePointAt(0);
  // U+2581 to U+2588 fill the cell from below in eighths, U+2589 to U+258F from the left.
  if (code >= 0x2581 && code <= 0x2588) {
    const height = ((code - 0x2580) * CELL.height) / 8;
    return [x, y + CELL.height - height, CELL.width, height + OVERLAP];
  }
  if (code >= 0x2589 && code <= 0x258f) {
    return [x, y, ((0x2590 - code) * CELL.width) / 8, CELL.height + OVERLAP];
  }
  throw new Error(`U+${code.toString(16)} has no shape in this picture.`);
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
