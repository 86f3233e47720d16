import { pair } from '../pair.mjs';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { exponent } from '../statistics.mjs';
import { uploadOf } from './upload.mjs';

const FACTOR = 8;

/**
 * How the cost of uploads grows from `count` recordings to eight times as many. The cost is the least CPU
 * time of some rounds, less that of one recording, which is mostly start-up.
 */
export function growth(count) {
  return async ({ rounds }) => {
    const sink = await startSink();
    const cost = async (recordings) => {
      const ours = await uploadOf(await makeFolder(recordings, 20_000), sink.url);
      const [cpu] = await pair(ours, undefined, rounds);
      return Math.min(...cpu.ours);
    };
    const start = await cost(1);
    const few = (await cost(count)) - start;
    const many = (await cost(count * FACTOR)) - start;
    sink.close();
    return [{ name: 'exponent of CPU', unit: '', ours: [exponent(few, many, FACTOR)] }];
  };
}
