function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns the exponent of a cost that grew from `few` to `many` while its cause grew by `factor`. */
export function exponent(few, many, factor) {
  return Math.log(many / few) / Math.log(factor);
}

/**
 * Judges what a row measured.
 *
 * @param figure name, unit, the values of each round: `ours`, and `rival` if there is one
 * @param target a limit and its unit; `x`: of the ratio to the rival, otherwise of our median
 * @returns medians, minima, their ratios (median of the rounds' ratios, ratio of the minima), and `met`:
 * whether the median or the minimum keeps the target, since other work on the machine only adds to a figure.
 * It is undefined without a target or without its rival
 */
export function judge({ ours, rival, ...figure }, target) {
  const judged = { ...figure, ours: summary(ours), target };
  if (rival !== undefined) {
    judged.rival = summary(rival);
    judged.ratio = {
      median: median(ours.map((value, round) => value / rival[round])),
      minimum: judged.ours.minimum / judged.rival.minimum,
    };
  }
  const value = target?.[1] === 'x' ? judged.ratio : judged.ours;
  if (target !== undefined && value !== undefined) {
    judged.met = Math.min(value.median, value.minimum) <= target[0];
  }
  return judged;
}

function summary(values) {
  return { median: median(values), minimum: Math.min(...values) };
}
