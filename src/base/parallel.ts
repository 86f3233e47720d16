export const DEFAULT_JOBS = 4;

/**
 * Runs `task` over all items in order, at most `jobs` at once. `slot` (0 to jobs - 1) identifies the
 * worker, for resources that each worker owns. No task is running when the promise settles.
 *
 * @throws the error of the first task that failed; no task starts after it.
 */
export async function inParallel<T>(
  items: readonly T[],
  jobs: number,
  task: (item: T, slot: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let broken = false;
  const work = async (slot: number) => {
    while (next < items.length && !broken) {
      const item = items[next++] as T;
      try {
        await task(item, slot);
      } catch (error) {
        broken = true;
        throw error;
      }
    }
  };
  const slots = Array.from({ length: Math.min(jobs, items.length) }, (_, slot) => work(slot));
  const ends = await Promise.allSettled(slots);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
