import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RecordingFile } from '../../src/inputs/find-files.ts';
import { ReadAhead } from '../../src/upload/read-ahead.ts';

const SIZE = 1_000;

/** Files named 0, 1, 2 and so on, read by a ReadAhead, and tasks that end when the test says so. */
function open(count: number, jobs: number, fails: (name: string) => boolean = () => false) {
  const files = Array.from({ length: count }, (_, index): RecordingFile => {
    const stamp = { size: SIZE, mtimeMs: 0, ctimeMs: 0 };
    return { path: String(index), absolute: `/r/${index}`, stamp, named: false };
  });
  const read: string[] = [];
  const buffers = new Set<Buffer>();
  const sent: string[] = [];
  const state = { begun: 0, mayRead: true };
  const ahead = new ReadAhead(
    jobs,
    ({ path }, source) => {
      read.push(path);
      if (fails(path)) throw new Error(`cannot read ${path}`);
      const buffer = source(SIZE);
      buffers.add(buffer);
      buffer.fill(path);
      return {
        item: {
          path: buffer.toString('utf8', 0, path.length),
          outcome: 'skipped',
          reason: 'already-uploaded',
        },
      };
    },
    () => (state.mayRead ? files[state.begun] : undefined),
  );
  const begin = () => {
    const file = files[state.begun++] as RecordingFile;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const done = ahead.use(file, async (examined) => {
      await answered;
      // Whatever was read meanwhile, the recording in flight still has its bytes.
      if ('item' in examined) sent.push(examined.item.path);
    });
    return { answer, done };
  };
  return { read, buffers, sent, state, begin };
}

describe('ReadAhead', () => {
  it('reads one file ahead of those in flight, after the tick in which they are begun', async () => {
    const { read, begin } = open(9, 2);
    begin();
    begin();
    expect(read).toEqual(['0', '1']);
    await nextTurn();
    expect(read).toEqual(['0', '1', '2']);
    await nextTurn();
    expect(read).toEqual(['0', '1', '2']);
  });

  it('reads each file once, in order, and uses one buffer more than requests in flight', async () => {
    const { read, buffers, sent, begin } = open(50, 3);
    const inFlight = [begin(), begin(), begin()];
    for (let left = 47; left > 0; left--) {
      await nextTurn();
      const first = inFlight.shift();
      first?.answer();
      await first?.done;
      inFlight.push(begin());
    }
    for (const { answer } of inFlight) answer();
    await Promise.all(inFlight.map(({ done }) => done));
    const all = Array.from({ length: 50 }, (_, index) => String(index));
    expect(read).toEqual(all);
    expect(sent).toEqual(all);
    expect(buffers.size).toBe(4);
  });

  it('reads nothing ahead while that is not allowed', async () => {
    const { read, state, begin } = open(9, 1);
    state.mayRead = false;
    begin();
    await nextTurn();
    await nextTurn();
    expect(read).toEqual(['0']);
  });

  it('reads a file again at its turn if that failed ahead, and throws the error then', async () => {
    const { read, begin } = open(9, 1, (name) => name === '1');
    const first = begin();
    await nextTurn();
    expect(read).toEqual(['0', '1']);
    first.answer();
    await first.done;
    await expect(begin().done).rejects.toThrow('cannot read 1');
    expect(read).toEqual(['0', '1', '1']);
  });
});
