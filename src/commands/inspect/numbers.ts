/** Rounds to a whole number for people, without producing "-0". */
export function rounded(value: number): string {
  return (Math.round(value) + 0).toLocaleString('en-US');
}
