/**
 * Runs `task` over all items, at most `jobs` at once, in their order. `slot` (0 to jobs - 1) names
 * the place that an item is worked on, for what each place owns. All of them have come to rest
 * when this resolves or rejects.
 *
 * @throws what the first failing task threw; items behind it are no longer begun.
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
