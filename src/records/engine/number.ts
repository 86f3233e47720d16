/**
 * Reads the numbers of tables. `72,5` is a decimal comma, `1,234` in a table with commas between its
 * cells is a thousand, `1.234,5` and `1,234.5` are both, and `95 %` is 95.
 */

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * @param commaIsDecimal the table separates its cells by something else than a comma
 * @returns undefined if the text is no number
 */
export function parseNumber(text: string, commaIsDecimal: boolean): number | undefined {
  if (PLAIN.test(text)) return Number(text);
  const bare = text.replace(/[\s\u00a0\u202f]/g, '').replace(/%$/, '');
  const plain = withPoint(bare, commaIsDecimal);
  return PLAIN.test(plain) ? Number(plain) : undefined;
}

/** Writes a number with a decimal point, and without separators of thousands. */
function withPoint(text: string, commaIsDecimal: boolean): string {
  if (!text.includes(',')) return text;
  const comma = text.lastIndexOf(',');
  const point = text.lastIndexOf('.');
  if (point > comma) return /^[+-]?\d{1,3}(,\d{3})+\./.test(text) ? text.replaceAll(',', '') : text;
  if (point !== -1)
    return /^[+-]?\d{1,3}(\.\d{3})+,/.test(text)
      ? text.replaceAll('.', '').replace(',', '.')
      : text;
  const thousands = /^[+-]?\d{1,3}(,\d{3})+$/.test(text);
  return thousands && !commaIsDecimal ? text.replaceAll(',', '') : text.replace(',', '.');
}
