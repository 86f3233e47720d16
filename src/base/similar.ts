/**
 * Returns the candidate that a mistyped word most likely means; undefined if none is close. Upper and
 * lower case count as equal.
 */
export function mostSimilar(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let fewest = editsAllowed(wanted.length) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(wanted, candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Words of one or two letters have no typing errors: every other short word would be similar. */
function editsAllowed(length: number): number {
  return length < 3 ? 0 : length < 5 ? 1 : 2;
}

/**
 * Returns the number of inserted, deleted, replaced and swapped letters between two words (the optimal
 * string alignment distance).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
