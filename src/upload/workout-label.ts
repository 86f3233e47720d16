/** Returns a file name as in `externalId`. */
export function fileLabel(sentAs: string): string {
  return sentAs.replace(/\W/g, '_');
}

/**
 * Returns the `externalId` of the workout that deployed services make of an upload.
 *
 * @param startedAt ms since 1970
 */
export function workoutLabel(startedAt: number | undefined, sentAs: string): string {
  return `fit_${startedAt}_${fileLabel(sentAs)}`;
}
