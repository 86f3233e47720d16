export const DEFAULT_JOBS = 4;
export const MAX_JOBS = 32;

/**
 * Runs `task` over all items in order, at most `jobs` at once. `slot` (0 to jobs - 1) identifies the
 * worker, for resources that each worker owns. No task is running when the promise settles.
 *
 * @throws the first error of a task or of the items; after it, no worker asks for another item.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  jobs: number,
  task: (item: T, slot: number) => Promise<void>,
): Promise<void> {
  // A generator answers one request after another, however many workers ask at once.
  const left = eachOf(items);
  let broken = false;
  const work = async (slot: number) => {
    try {
      while (!broken) {
        const next = await left.next();
        if (next.done === true) return;
        await task(next.value, slot);
      }
    } catch (error) {
      broken = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: jobs }, (_, slot) => work(slot)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function* eachOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  yield* items;
}
