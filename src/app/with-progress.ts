import { SyncError, isAbort } from '../base/errors.ts';
import type { Output } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';
import type { ProgressState } from '../terminal/progress-text.ts';

/**
 * Runs a task with a progress line. A command that Ctrl-C ends reports how far it came, because the
 * same command continues from there.
 *
 * @throws SyncError `INTERRUPTED`, with the number of finished items
 */
export async function withProgress<T>(
  output: Output,
  task: (progress: Pick<Progress, 'update'>) => Promise<T>,
): Promise<T> {
  const progress = output.progress();
  let last: ProgressState | undefined;
  try {
    return await task({
      update(state) {
        last = state;
        progress.update(state);
      },
    });
  } catch (error) {
    if (!isAbort(error) || last?.done === undefined) throw error;
    throw new SyncError('INTERRUPTED', interrupted(last), { cause: error });
  } finally {
    progress.stop();
  }
}

function interrupted({ done = 0, total }: ProgressState): string {
  const of = total === undefined ? '' : ` of ${total}`;
  return `${done}${of} done; run the same command to continue.`;
}
