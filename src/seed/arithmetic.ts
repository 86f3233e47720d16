/**
 * Functions whose results are the same on every engine. ECMAScript fixes `+ - * /` and
 * `Math.floor` to the last bit (IEEE 754), but leaves `sin`, `cos`, `exp` and `pow` to the engine,
 * and engines have changed them. So this folder uses none of those. `Math.sqrt` is used: the standard
 * leaves it open as well, but IEEE 754 demands the correctly rounded root, and every processor that
 * Node runs on has it as one instruction.
 */

const TURN = 6.283185307179586;

/** The sine of an angle in turns (1 = a full circle), off by less than 1e-11. */
export function sine(turns: number): number {
  const within = turns - Math.floor(turns);
  const quadrant = Math.floor(within * 4 + 0.5);
  const rest = (within - quadrant / 4) * TURN;
  switch (quadrant % 4) {
    case 0:
      return sineSeries(rest);
    case 1:
      return cosineSeries(rest);
    case 2:
      return -sineSeries(rest);
    default:
      return -cosineSeries(rest);
  }
}

/** The cosine of an angle in turns, off by less than 1e-11. */
export function cosine(turns: number): number {
  return sine(turns + 0.25);
}

/** Taylor's series in radians, for |x| up to an eighth of a turn. */
function sineSeries(x: number): number {
  const s = x * x;
  return (
    x *
    (1 -
      (s / 6) * (1 - (s / 20) * (1 - (s / 42) * (1 - (s / 72) * (1 - (s / 110) * (1 - s / 156))))))
  );
}

function cosineSeries(x: number): number {
  const s = x * x;
  return (
    1 -
    (s / 2) *
      (1 -
        (s / 12) *
          (1 - (s / 30) * (1 - (s / 56) * (1 - (s / 90) * (1 - (s / 132) * (1 - s / 182))))))
  );
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Rounded to so many decimals: the nearest double to the decimal number, with no trailing noise. */
export function rounded(value: number, decimals: 0 | 1 | 2): number {
  const scale = decimals === 0 ? 1 : decimals === 1 ? 10 : 100;
  return Math.round(value * scale) / scale + 0;
}

/** A curve through points with rising `x`, straight between them and level beyond the ends. */
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
