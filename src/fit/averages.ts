import type { Means } from './contents.ts';
import { type Averaged, type RecordedSession, averagesOf } from './summary.ts';

/** Largest deviation of a device's average from the mean of its records, as a share. */
const DEVIATION = 0.3;

/**
 * Compares the device's averages with the means of the records. Devices differ in whether they count
 * zeroes, so any average between the two means is credible.
 */
export function compareAverages(sessions: readonly RecordedSession[], means: Means) {
  const compare = (quantity: Averaged) => {
    const own = deviceAverage(sessions, quantity);
    const { withoutZeroes: greatest, withZeroes: least } = means[quantity];
    const usual = quantity === 'power' ? least : greatest;
    if (own === undefined) return { shown: usual, contradicting: undefined };
    if (greatest === undefined || least === undefined) {
      return { shown: own, contradicting: undefined };
    }
    const isCredible = own >= least * (1 - DEVIATION) && own <= greatest * (1 + DEVIATION);
    return { shown: own, contradicting: isCredible ? undefined : usual };
  };
  return {
    /** The device's averages. Without one, the mean of the records, without zeroes but for power. */
    shown: averagesOf((quantity) => compare(quantity).shown),
    /** Means of the records that differ from the device's average. */
    contradicting: averagesOf((quantity) => compare(quantity).contradicting),
  };
}

/** Averages the sessions by time, without 0: devices write 0 if they have no sensor. */
function deviceAverage(
  sessions: readonly RecordedSession[],
  quantity: Averaged,
): number | undefined {
  let sum = 0;
  let secs = 0;
  for (const { averages, timerSecs = 0 } of sessions) {
    const value = averages[quantity] ?? 0;
    if (value === 0) continue;
    sum += value * timerSecs;
    secs += timerSecs;
  }
  return secs === 0 ? undefined : sum / secs;
}
