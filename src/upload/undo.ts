import type { ServiceClient } from '../api/client.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { ConfirmedUpload } from '../ledger/upload-rows.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WireObject } from '../api/wire.ts';
import {
  PROCESSING_MS,
  SOURCE,
  knownWorkouts,
  listWorkouts,
  listsOwnWorkouts,
} from './own-workouts.ts';

export interface Removable {
  readonly upload: ConfirmedUpload;
  readonly workoutId: string;
  readonly title: string;
  /** An interrupted removal removed it. */
  readonly isGone: boolean;
}

/**
 * Why no workout of a recording was removed. `pending`: the platform may still process the recording.
 * `missing`: it has no workout that is known to be the recording's. `shared`: that is also the workout of
 * `other`. `not-offered`: the platform removes no workouts for applications.
 */
export interface KeptWorkout {
  readonly upload: ConfirmedUpload;
  readonly obstacle: 'pending' | 'missing' | 'shared' | 'not-offered';
  readonly other?: ConfirmedUpload;
}

type Ledger = Pick<UploadLedger, 'confirmed' | 'beginUndo' | 'cancelUndo' | 'platform'>;

/**
 * Removes the workouts of recordings: only workouts that are known by id or label, and that are no workout
 * of another recording in the ledger. Sends no request if there is no recording. Finishes an interrupted
 * removal. The ledger says `undoing` before a request leaves; `report` ends that.
 *
 * @param confirm decides about what was found to be removed
 * @param report gets each recording, a removed one at once
 * @throws any error of the client
 */
export async function takeBack(
  context: Pick<Context, 'clock' | 'signal'>,
  uploads: readonly ConfirmedUpload[],
  ledger: Ledger,
  connect: () => Promise<ServiceClient>,
  confirm: (found: readonly Removable[]) => Promise<boolean>,
  report: (item: Removable | KeptWorkout) => void,
): Promise<void> {
  if (uploads.length === 0) return;
  const client = await connect();
  const found: Removable[] = [];
  for (const item of await findWorkouts(context, uploads, ledger, client)) {
    if ('obstacle' in item || item.isGone) report(item);
    else found.push(item);
  }
  if (found.length === 0 || !(await confirm(found))) return;
  let isOffered = true;
  for (const item of found) {
    isOffered &&= await isRemoved(item, ledger, client, context.signal);
    report(isOffered ? item : { upload: item.upload, obstacle: 'not-offered' });
  }
}

/** Finds the outcome of an open undo, and ends it in the ledger. */
export async function settleUndo(
  upload: ConfirmedUpload,
  ledger: Pick<UploadLedger, 'cancelUndo' | 'endUndo'>,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<void> {
  const { workouts, isCut } = await listWorkouts([upload], client, signal);
  if (isCut || hasWorkout(upload, workouts)) ledger.cancelUndo(upload.sha256);
  else ledger.endUndo(upload.sha256);
}

function hasWorkout({ workoutId }: ConfirmedUpload, workouts: readonly WireObject[]): boolean {
  return workouts.some(({ id }) => id === workoutId);
}

async function findWorkouts(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  uploads: readonly ConfirmedUpload[],
  ledger: Ledger,
  client: ServiceClient,
): Promise<(Removable | KeptWorkout)[]> {
  const chosen = new Set(uploads.map(({ sha256 }) => sha256));
  const others = ledger.confirmed().filter(({ sha256 }) => !chosen.has(sha256));
  const { workouts, isCut } = await listWorkouts(uploads, client, signal);
  const known = knownWorkouts([...uploads, ...others], workouts);
  // Otherwise no later list shows it either.
  const namesSources = workouts.length === 0 || workouts.some((workout) => 'source' in workout);
  const listsOwn = known.size > 0 || (namesSources && listsOwnWorkouts(ledger.platform));
  return uploads.map((upload) => {
    const isGone = !isCut && !hasWorkout(upload, workouts);
    if (upload.isUndoing && upload.workoutId !== undefined && isGone) {
      return { upload, workoutId: upload.workoutId, title: '', isGone: true };
    }
    const workout = known.get(upload);
    const { id, source, title } = workout ?? {};
    if (typeof id !== 'string' || source !== SOURCE) {
      const isFresh = Math.abs(clock.now() - upload.confirmedAt) < PROCESSING_MS;
      const isPending = workout === undefined && isFresh && listsOwn;
      return { upload, obstacle: isPending ? 'pending' : 'missing' };
    }
    const other = others.find((each) => known.get(each) === workout);
    if (other !== undefined) return { upload, obstacle: 'shared', other };
    return { upload, workoutId: id, title: typeof title === 'string' ? title : '', isGone: false };
  });
}

/** Removes a workout. @returns false if the platform does not offer that */
async function isRemoved(
  { upload, workoutId }: Removable,
  ledger: Ledger,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<boolean> {
  ledger.beginUndo(upload.sha256, workoutId);
  try {
    if (await client.removeWorkout(workoutId, signal)) return true;
    // A repeated request finds no such workout any more.
    const { workouts, isCut } = await listWorkouts([upload], client, signal);
    if (!isCut && !hasWorkout({ ...upload, workoutId }, workouts)) return true;
  } catch (error) {
    if (isRefused(error)) ledger.cancelUndo(upload.sha256);
    throw error;
  }
  ledger.cancelUndo(upload.sha256);
  return false;
}

/** Returns whether a failed request changed nothing: it was not sent, or its only try was refused. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof SyncError)) return false;
  const { delivery, status, attempts } = error.details;
  if (delivery !== undefined) return delivery === 'not-sent';
  return attempts === 1 && typeof status === 'number' && status >= 400 && status < 500;
}
