import measure from 'fast-string-truncated-width';

/** Returns the number of columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** Cuts a text to a width (columns), with `ellipsis` at its end. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (width <= ellipsis.length) return widthOf(text) <= width ? text : ellipsis.slice(0, width);
  const { index, ellipsed } = measure(text, { limit: width, ellipsis });
  return ellipsed ? text.slice(0, index).trimEnd() + ellipsis : text;
}
