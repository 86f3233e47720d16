import { expect, it } from 'vitest';
import { EventQueue } from '../../src/watch/events.ts';
import { manualClock } from './manual-clock.ts';

it('returns events in the order in which they were posted, and a signal once', async () => {
  const queue = new EventQueue(manualClock());
  queue.post({ type: 'sender-work' });
  queue.post({ type: 'rescanned', files: 1, complete: true });
  queue.post({ type: 'sender-work' });
  queue.post({ type: 'rescanned', files: 2, complete: true });
  expect([await queue.next(), await queue.next(), await queue.next()]).toEqual([
    { type: 'sender-work' },
    { type: 'rescanned', files: 1, complete: true },
    { type: 'rescanned', files: 2, complete: true },
  ]);
  expect(queue.drain()).toEqual([]);
});

it('returns a due timer before queued events, and only for its last setting', async () => {
  const clock = manualClock();
  const queue = new EventQueue(clock);
  queue.setTimer('check-due', 1_000);
  queue.setTimer('check-due', 5_000);
  queue.setTimer('verify-due', 100);
  queue.setTimer('verify-due', Infinity);
  const next = queue.next();
  let isDue = false;
  void next.then(() => (isDue = true));
  await clock.advance(4_900);
  expect(isDue).toBe(false);
  await clock.advance(100);
  expect(await next).toEqual({ type: 'check-due' });
  queue.setTimer('rescan-due', 0);
  queue.post({ type: 'files-changed' });
  expect(await queue.next()).toEqual({ type: 'rescan-due' });
  expect(await queue.next()).toEqual({ type: 'files-changed' });
});

it('wakes up for an event that is posted while it waits for a timer', async () => {
  const queue = new EventQueue(manualClock());
  queue.setTimer('check-due', 60_000);
  const next = queue.next();
  queue.post({ type: 'stop-requested' });
  expect(await next).toEqual({ type: 'stop-requested' });
});
