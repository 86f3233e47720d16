/**
 * Functions with identical results on every engine. ECMAScript defines `+ - * /` and `Math.floor`
 * exactly (IEEE 754), but leaves `sin`, `cos`, `exp` and `pow` to the engine, and engines have
 * changed them. This folder uses none of those. It does use `Math.sqrt`: ECMAScript leaves it open
 * too, but every processor that Node runs on computes the correctly rounded root of IEEE 754.
 */

const TURN = 6.283185307179586;

/** Returns the sine of an angle in turns (1 = a full circle), with an error below 1e-11. */
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

/** Returns the cosine of an angle in turns, with an error below 1e-11. */
export function cosine(turns: number): number {
  return sine(turns + 0.25);
}

/** Taylor series in radians, for |x| up to an eighth of a turn. */
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
