/**
 * What a device's FIT file says about the athlete's days: resting heart rate, VO2max, HRV and weight. What
 * counts is the message, never the type of the file: an activity may hold a VO2max.
 *
 * Deliberately not read:
 * - resting heart rate of `user_profile` (8): a setting,
 * - 7-day resting heart rate (211, field 0): a mean, not a day's value,
 * - VO2max of the undocumented messages 79 and 140,
 * - RR intervals (78): an HRV calculated from them would be an estimate,
 * - sleep of `sleep_level` (275): real files have two levels of five, and spans of 15 hours,
 * - sums of `monitoring` (55): steps and energy could not be compared with known totals.
 */
import { credibleOffset } from './local-time.ts';
import { MESSAGE, type Message, type Visitor, dateOf, readMessages } from './messages.ts';
import { CYCLING, RUNNING } from './sports.ts';

export interface FitSample {
  readonly field: 'restingHr' | 'vo2max' | 'hrv' | 'weight';
  /** In the platform's unit: bpm, ml/kg/min, ms or kg. */
  readonly value: number;
  /**
   * Its time (s since 1970, UTC). A resting heart rate has that of the second before its time stamp: a
   * message that is stamped 00:00:00 closes the day before.
   */
  readonly at: number;
  /** Local time minus UTC (s). Absent if the file does not state it: the athlete's zone decides. */
  readonly offset?: number;
  readonly sport?: 'running' | 'cycling';
  /** The user of a scale, from 0. */
  readonly user?: number;
}

/** Where the value of a field is. 0 is no value in any of them. */
interface Rule {
  readonly field: FitSample['field'];
  readonly message: number;
  readonly value: number;
  /** Units of the file in one of the platform. */
  readonly scale: number;
  /** Values that the profile reserves, besides the invalid one of their type. */
  readonly reserved?: readonly number[];
  /** Number of the field with the time, which counts before the time stamp. */
  readonly time?: number;
  /** Seconds from the measurement to its time stamp. */
  readonly late?: number;
  readonly about?: (message: Message) => Pick<FitSample, 'sport' | 'user'>;
}

const RULES: readonly Rule[] = [
  { field: 'restingHr', message: MESSAGE.monitoringHrData, value: 1, scale: 1, late: 1 },
  { field: 'vo2max', message: MESSAGE.maxMetData, value: 2, scale: 10, time: 0, about: sportOf },
  // Last night's mean; field 0 is that of a week.
  { field: 'hrv', message: MESSAGE.hrvStatusSummary, value: 1, scale: 128 },
  // 0xfffe: the scale is still measuring.
  {
    field: 'weight',
    message: MESSAGE.weightScale,
    value: 0,
    scale: 100,
    reserved: [0xfffe],
    about: userOf,
  },
];

/** Returns the wellness of a FIT file in the order of the file; of a damaged one, up to the damage. */
export function readFitWellness(bytes: Uint8Array): readonly FitSample[] {
  const samples: FitSample[] = [];
  let offset: number | undefined;
  const visitors: Record<number, Visitor> = {
    // Each segment of a chained file begins with one.
    [MESSAGE.fileId]: () => {
      offset = undefined;
    },
    [MESSAGE.monitoringInfo]: (message) => {
      offset = offsetOf(message) ?? offset;
    },
  };
  for (const rule of RULES) {
    visitors[rule.message] = (message) => {
      const sample = sampleOf(message, rule);
      if (sample !== undefined) samples.push(offset === undefined ? sample : { ...sample, offset });
    };
  }
  readMessages(bytes, visitors);
  return samples;
}

function sampleOf(message: Message, rule: Rule): FitSample | undefined {
  const value = message.number(rule.value);
  if (value === undefined || value <= 0 || rule.reserved?.includes(value) === true)
    return undefined;
  const stated = rule.time === undefined ? undefined : message.date(rule.time);
  const time = stated ?? dateOf(message.timestamp);
  if (time === undefined) return undefined;
  return {
    field: rule.field,
    value: value / rule.scale,
    at: time.getTime() / 1000 - (rule.late ?? 0),
    ...rule.about?.(message),
  };
}

/** Returns local time minus UTC by `monitoring_info` (s), if the two are an offset apart. */
function offsetOf(message: Message): number | undefined {
  const local = message.number(0);
  const { timestamp } = message;
  return local === undefined || timestamp === undefined
    ? undefined
    : credibleOffset(local - timestamp);
}

function sportOf(message: Message): Pick<FitSample, 'sport'> {
  const sport = message.number(5);
  if (sport === RUNNING) return { sport: 'running' };
  return sport === CYCLING ? { sport: 'cycling' } : {};
}

/** The bits of a `message_index` with the number; the others are flags. */
const INDEX_MASK = 0x0fff;

function userOf(message: Message): Pick<FitSample, 'user'> {
  const user = message.number(12);
  return user === undefined ? {} : { user: user & INDEX_MASK };
}
