/**
 * Functions whose results are rounded to whole units of a FIT file before anything else uses them: engines
 * that differ in the last bit of a sine make the same files.
 */

/** Returns the sine of an angle in turns (1 = a full circle). */
export function sine(turns: number): number {
  return Math.sin((turns - Math.floor(turns)) * 2 * Math.PI);
}

/** Returns the cosine of an angle in turns. */
export function cosine(turns: number): number {
  return sine(turns + 0.25);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Rounds to a number of decimals: the double nearest to the decimal number. */
export function rounded(value: number, decimals: 0 | 1 | 2): number {
  const scale = decimals === 0 ? 1 : decimals === 1 ? 10 : 100;
  return Math.round(value * scale) / scale + 0;
}

/** Interpolates linearly between points with rising `x`; constant beyond the ends. */
export function interpolate(
  points: readonly (readonly [x: number, y: number])[],
  x: number,
): number {
  let [fromX, fromY] = points[0] ?? [0, 0];
  if (x <= fromX) return fromY;
  for (const [toX, toY] of points) {
    if (x <= toX) return fromY + ((toY - fromY) * (x - fromX)) / (toX - fromX);
    [fromX, fromY] = [toX, toY];
  }
  return fromY;
}
