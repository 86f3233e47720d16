import type { ServiceClient } from '../api/client.ts';
import type { Context } from '../base/context.ts';
import type { ConfirmedUpload, UploadLedger } from '../ledger/uploads.ts';
import { PROCESSING_MS, SOURCE, knownWorkouts, listWorkouts } from './verify.ts';

export interface Removable {
  readonly upload: ConfirmedUpload;
  readonly workoutId: string;
  readonly title: string;
}

/** A recording to take back, with the workout that is removed for it, or the reason why none is. */
export type Undoable =
  | Removable
  /**
   * `pending`: the platform may still process the recording. `missing`: it has no workout that is known to
   * be the recording's.
   */
  | { readonly upload: ConfirmedUpload; readonly obstacle: 'pending' | 'missing' }
  | {
      readonly upload: ConfirmedUpload;
      readonly obstacle: 'shared';
      readonly other: ConfirmedUpload;
    };

/**
 * Finds the workouts of recordings to take back: only workouts that are known by id or label, and that are no
 * workout of another recording in the ledger. Sends no request if there is no recording.
 *
 * @throws any error of the client
 */
export async function findUndoable(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  uploads: readonly ConfirmedUpload[],
  ledger: Pick<UploadLedger, 'confirmed'>,
  client: () => Promise<ServiceClient>,
): Promise<Undoable[]> {
  if (uploads.length === 0) return [];
  const chosen = new Set(uploads.map(({ sha256 }) => sha256));
  const others = ledger.confirmed().filter(({ sha256 }) => !chosen.has(sha256));
  const workouts = await listWorkouts(uploads, await client(), signal);
  const known = knownWorkouts([...uploads, ...others], workouts);
  return uploads.map((upload) => {
    const workout = known.get(upload);
    const { id, source, title } = workout ?? {};
    if (typeof id !== 'string' || source !== SOURCE) {
      const isFresh = Math.abs(clock.now() - upload.confirmedAt) < PROCESSING_MS;
      return { upload, obstacle: workout === undefined && isFresh ? 'pending' : 'missing' };
    }
    const other = others.find((each) => known.get(each) === workout);
    if (other !== undefined) return { upload, obstacle: 'shared', other };
    return { upload, workoutId: id, title: typeof title === 'string' ? title : '' };
  });
}

/**
 * Removes a workout.
 *
 * @returns false if the platform does not offer that
 * @throws any error of the client
 */
export async function removeWorkout(
  { upload, workoutId }: Removable,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<boolean> {
  if (await client.removeWorkout(workoutId, signal)) return true;
  // A repeated request finds no such workout any more.
  return !(await listWorkouts([upload], client, signal)).some(({ id }) => id === workoutId);
}
