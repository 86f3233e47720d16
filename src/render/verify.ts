import type { VerifyReport } from '../commands/verify.ts';
import type { Verified } from '../upload/verify.ts';
import { duration, oneLine, plural } from '../terminal/words.ts';

/** A recording for programs. */
export function verifyItemReport({ upload, outcome, workoutId }: Verified) {
  const { path, sha256, startedAt, confirmedAt } = upload;
  return {
    type: 'verify',
    path,
    sha256,
    outcome,
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
    uploadedAt: new Date(confirmedAt).toISOString(),
    ...(workoutId === undefined ? {} : { workoutId }),
  };
}

/** A recording for people; nothing of one that is a workout. */
export function verifyItemText({ upload, outcome }: Verified, now: number): string | undefined {
  const path = oneLine(upload.path);
  const ago = duration(now - upload.confirmedAt);
  switch (outcome) {
    case 'present':
      return undefined;
    case 'pending':
      return `${path}: not a workout yet. The service received it ${ago} ago; try again an hour after that.`;
    case 'missing':
      return missingText(path, `${ago} ago`);
  }
}

/** @param received when the service received it */
export function missingText(path: string, received: string): string {
  return (
    `${path}: missing. The service received it ${received} and has no workout of it: it could not ` +
    'process the recording, or the workout was deleted. `sync upload --force` sends the file again.'
  );
}

/** @param since the first day of the recordings that were looked at, if not all were */
export function verifySummaryText(
  { total, present, missing, pending }: VerifyReport['summary'],
  since: string | undefined,
) {
  if (total === 0) {
    const which = since === undefined ? '' : ` that was recorded since ${since}`;
    return `No recording to verify: none${which} was uploaded from here.`;
  }
  const parts = [
    [present, present === 1 ? 'is a workout' : 'are workouts'],
    [pending, 'not a workout yet'],
    [missing, 'missing'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return `${plural(total, 'recording')}: ${told.join(', ')}.`;
}
