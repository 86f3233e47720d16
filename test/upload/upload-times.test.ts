import { expect, it } from 'vitest';
import { UploadTimes } from '../../src/upload/upload-times.ts';

it.each([
  ['the number of recordings', 50, 0],
  ['their bytes', 0, 1 / 1_000],
  ['both', 25, 1 / 2_000],
])(
  'the share of the time after a tenth is right within a third, if the time depends on %s',
  (_what, perItemMs, perByteMs) => {
    // Ten years, in which the recordings grow sixfold. Each size, and each time, varies by half.
    const spread = (at: number, prime: number) => 0.5 + ((at * prime) % 1_000) / 1_000;
    const all = Array.from({ length: 2_000 }, (_, at) => {
      const bytes = (10_000 + 25 * at) * spread(at, 7_919);
      return { bytes, ms: (perItemMs + perByteMs * bytes) * spread(at, 6_113) };
    });
    const sum = (list: typeof all, field: 'bytes' | 'ms') =>
      list.reduce((total, each) => total + each[field], 0);
    const done = all.slice(0, 200);
    const amount = (list: typeof all) => ({ count: list.length, bytes: sum(list, 'bytes') });
    const times = new UploadTimes(amount(all));
    for (const { ms, bytes } of done) times.add(ms, bytes);
    const share = times.share(amount(done));
    const realMs = sum(all.slice(200), 'ms');
    const left = sum(done, 'ms') / share - sum(done, 'ms');
    expect(Math.abs(left / realMs - 1)).toBeLessThan(1 / 3);
  },
);

it('the share is that of the recordings before the first one is sent, and after equal ones', () => {
  const times = new UploadTimes({ count: 8, bytes: 800 });
  expect(times.share({ count: 0, bytes: 0 })).toBe(0);
  for (const ms of [10, 30]) times.add(ms, 100);
  expect(times.share({ count: 2, bytes: 200 })).toBe(0.25);
});
