import { SyncError } from '../../src/base/errors.ts';

/** Returns the failure that a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<SyncError> {
  const error = await promise.then(
    (value) => new Error(`it did not fail: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof SyncError) return error;
  throw error;
}

/** Returns the failure that a task throws. */
export function caught(task: () => unknown): SyncError {
  try {
    task();
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
