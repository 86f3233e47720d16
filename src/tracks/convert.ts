import { type FitLap, encodeActivity } from '../fit/write-activity.ts';
import { type FitPause, sum } from '../fit/write-totals.ts';
import { loadCrypto } from '../system/this-process.ts';
import { cadenceUnit } from '../fit/sports.ts';
import { metresBetween } from './distance.ts';
import type { Point } from './read.ts';
import type { Stretch } from './split.ts';

/** The version of what this folder makes of a file. */
const CONVERTER = 1;

/** A GPX or TCX activity as the FIT recording that is sent. */
export type Conversion = Readonly<ReturnType<typeof convert>>;

/** The time without values of a channel (s), of gaps that are too long to be filled. */
export interface Gap {
  readonly channel: keyof typeof CHANNEL_WORDS;
  readonly secs: number;
}

export const CHANNEL_WORDS = {
  latitude: 'position',
  altitude: 'altitude',
  heartRate: 'heart rate',
  cadence: 'cadence',
  power: 'power',
  temperature: 'temperature',
} as const;

/** `development` of the FIT profile, for files of no known maker. */
const DEVELOPMENT = 255;

/**
 * Converts an activity, and changes its points. The same points give the same bytes.
 *
 * @param isPhone A phone wrote it along the way, for a program that shows steps and ways: Google Fit, Apple Health.
 */
export function convert(stretch: Stretch, isPhone: boolean) {
  const { points, sport, subSport, name } = stretch;
  const digest = digestOf(points);
  const notes = dropStrays(points);
  mendDistances(stretch);
  const pauses = pausesOf(stretch);
  setDistances(points, pauses);
  notes.push(...halveSteps(stretch), ...dropSpeeds(points));
  if (points.some(({ speed }) => speed === undefined)) setSpeeds(points, pauses);
  const gaps = fillGaps(points);
  const laps = lapsOf(stretch);
  const fit = encodeActivity({
    fileId: { manufacturer: DEVELOPMENT, product: CONVERTER, productName: 'athlete-sync' },
    ...{ sport, subSport, laps, pauses, records: points },
    distance: sum(stretch.laps.flatMap(({ distance = 0 }) => distance)) || undefined,
    calories: kcal(sum(stretch.laps.flatMap(({ calories = 0 }) => calories))),
  });
  return {
    fit,
    /** SHA-256 of its points, which identifies the activity in every version of the converter. */
    digest,
    converter: CONVERTER,
    /** Of the track. It is sent as the name of the upload, and is not in the FIT file. */
    name,
    gaps,
    /** What was left out of the file, as sentences. */
    notes,
    isPhone,
  };
}

/** Steps between the values that a digest tells apart: finer ones differ between programs that copy a file. */
const STEPS = {
  latitude: 1e-6,
  longitude: 1e-6,
  altitude: 0.1,
  distance: 1,
  heartRate: 1,
  cadence: 1,
  power: 1,
  temperature: 1,
} as const;

function digestOf(points: readonly Point[]): string {
  const steps = Object.entries(STEPS) as [keyof typeof STEPS, number][];
  const hash = loadCrypto().createHash('sha256');
  for (const point of points) {
    let line = String(point.time);
    for (const [channel, step] of steps) {
      const value = point[channel];
      line += value === undefined ? ',' : `,${Math.round(value / step) + 0}`;
    }
    hash.update(`${line}\n`);
  }
  return hash.digest('hex');
}

/** Longer at another place is no stray: within the activity, and at its ends, where one neighbour decides (s). */
const STRAY_SECS = { within: 60, atEnd: 10 };

/**
 * Leaves out stray positions: less than a minute that could only be reached and left at an impossible speed. A flight is
 * kept: what comes before it is not near what comes after.
 *
 * @returns a note that says how many were left out
 */
function dropStrays(points: readonly Point[]): string[] {
  const reached: Point[][] = [];
  for (const point of points) {
    if (point.latitude === undefined) continue;
    const run = reached.at(-1);
    if (run !== undefined && isReachable(run.at(-1), point)) run.push(point);
    else reached.push([point]);
  }
  const runs = reached.flatMap((run, at) => apartAtPauses(run, reached[at - 1], reached[at + 1]));
  const strays: Point[] = [];
  let before: readonly Point[] | undefined;
  for (let at = 0; at < runs.length; at++) {
    // Each run has a second or more.
    const found = straysBetween(before, runs.slice(at, at + STRAY_SECS.within + 1));
    strays.push(...found.flat());
    at += found.length;
    before = runs[at];
  }
  for (const point of strays) point.latitude = point.longitude = undefined;
  const { length } = strays;
  return length === 0 ? [] : [`Stray positions left out: ${length}.`];
}

/**
 * Divides a run at a pause that is seconds from its start or its end, if the runs on both sides continue each other
 * without those seconds: over a pause, any place is reachable.
 */
function apartAtPauses(
  run: readonly Point[],
  before: readonly Point[] | undefined,
  after: readonly Point[] | undefined,
): Point[][] {
  const isPause = (point: Point, at: number) =>
    point.time - (run[at - 1]?.time ?? point.time) > STRAY_SECS.atEnd;
  const isShort = (part: readonly Point[], neighbour: readonly Point[] = []) =>
    part.length < neighbour.length &&
    (part.at(-1)?.time ?? 0) - (part[0]?.time ?? 0) < STRAY_SECS.atEnd;
  const first = run.findIndex(isPause);
  const hasHead = isShort(run.slice(0, first), before) && isReachable(before?.at(-1), run[first]);
  const last = run.findLastIndex(isPause);
  const hasTail = isShort(run.slice(last), after) && isReachable(run[last - 1], after?.[0]);
  const cuts = [...new Set([hasHead ? first : 0, hasTail ? last : 0])].filter((at) => at > 0);
  return [0, ...cuts].map((from, index) => run.slice(from, cuts[index]));
}

/** Returns the first of some runs that are stray: fewer points than before them and after, at any places. */
function straysBetween(before: readonly Point[] | undefined, runs: readonly Point[][]): Point[][] {
  const most = before?.length ?? Infinity;
  for (let count = 1; count <= runs.length; count++) {
    const strays = runs.slice(0, count);
    const places = strays.flat();
    const after = runs[count];
    const isAtEnd = before === undefined || after === undefined;
    const secs = (places.at(-1)?.time ?? 0) - (places[0]?.time ?? 0);
    const isShort = secs < (isAtEnd ? STRAY_SECS.atEnd : STRAY_SECS.within);
    if (!isShort || places.length >= most || (before ?? after) === undefined) return [];
    const isBetween = places.length < (after?.length ?? Infinity);
    if (isBetween && isReachable(before?.at(-1), after?.[0])) return strays;
  }
  return [];
}

function isReachable(from: Point | undefined, to: Point | undefined): boolean {
  if (from === undefined || to === undefined) return true;
  return metresBetween(from, to) < MOST_SPEED * (to.time - from.time);
}

/** A longer gap between two segments is a pause (s). */
const SEGMENT_GAP_SECS = 2;
/** Within a segment, a gap is a pause if it is longer (s, and in usual gaps), and the athlete moved less (m/s). */
const STANDING_GAP_SECS = 30;
const STANDING_GAPS = 10;
const STANDING = 0.5;

/** Finds the times in which the timer stood still. There is none if the laps of TCX cover the whole time. */
function pausesOf({ points, laps }: Stretch): FitPause[] {
  const elapsed = (points.at(-1)?.time ?? 0) - (points[0]?.time ?? 0);
  const timed = sum(laps.map(({ secs = 0 }) => secs));
  if (timed > elapsed * (1 - AGREEMENT)) return [];
  const gaps = points.slice(1).map(({ time }, index) => time - (points[index]?.time ?? 0));
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0;
  const standing = Math.max(STANDING_GAP_SECS, STANDING_GAPS * usual);
  return points.slice(1).flatMap((point, index) => {
    const before = points[index] ?? point;
    const secs = point.time - before.time;
    const isSegment = point.segment !== before.segment && secs > SEGMENT_GAP_SECS;
    const isStanding = secs > standing && wayTo(before, point) / secs < STANDING;
    return isSegment || isStanding ? [{ from: before.time, to: point.time }] : [];
  });
}

/** Returns how far a point is from the one before it (m): what the file states, or the positions show. */
function wayTo(before: Point, point: Point): number {
  const { distance } = point;
  return distance === undefined || before.distance === undefined
    ? metresBetween(before, point)
    : distance - before.distance;
}

/** A stated distance that falls by less stands still: a sensor corrected itself (m). */
const CORRECTION = 50;

/**
 * Makes the stated distances grow over the whole activity: some programs begin again with each lap. Distances that
 * fall elsewhere are left out.
 */
function mendDistances({ points, laps }: Stretch): void {
  let before: number | undefined;
  let ofLap = 0;
  let last = 0;
  for (const point of points) {
    const { distance, time } = point;
    if (distance === undefined) continue;
    const begins = laps.some(({ from }) => Math.floor(from) >= (before ?? time) && from <= time);
    if (begins && distance < (last - ofLap) / 2) ofLap = last;
    if (ofLap + distance < last - CORRECTION) {
      for (const each of points) each.distance = undefined;
      return;
    }
    last = Math.max(last, ofLap + distance);
    point.distance = last;
    before = time;
  }
}

/** How far a stated distance may be from that of the positions, and the time of the laps from that of the points. */
const AGREEMENT = 0.02;
/** Positions within this of one place show no way: those of a trainer, a treadmill, a pool (m). */
const ONE_PLACE = 100;

/** Sets the distance since the start: the file's own unless the positions contradict it; else that of the positions. */
function setDistances(points: readonly Point[], pauses: readonly FitPause[]): void {
  const first = points.find(({ latitude }) => latitude !== undefined);
  let before = first;
  let metres = 0;
  let nextPause = 0;
  const along = points.map((point) => {
    if (before === undefined || point.latitude === undefined) return undefined;
    // The first positions after a pause may be lost.
    const isPaused = (pauses[nextPause]?.to ?? Infinity) <= point.time;
    while ((pauses[nextPause]?.to ?? Infinity) <= point.time) nextPause++;
    if (!isPaused) metres += metresBetween(before, point);
    before = point;
    return metres;
  });
  const stated = points.filter(({ distance }) => distance !== undefined);
  const start = stated[0]?.distance ?? 0;
  const isOnePlace = points.every((point) => metresBetween(first ?? point, point) < ONE_PLACE);
  const usesStated = stated.length > 1 && (isOnePlace || isNearWay(points, along));
  for (const [index, point] of points.entries()) {
    const own = point.distance === undefined ? undefined : point.distance - start;
    point.distance = usesStated ? own : along[index];
  }
}

/**
 * Checks the stated distances where the positions show the way, not where they are lost for longer.
 *
 * @param along how far the athlete was at each point with a position (m)
 */
function isNearWay(points: readonly Point[], along: readonly (number | undefined)[]): boolean {
  let [stated, metres] = [0, 0];
  let from: { time: number; distance: number; way: number } | undefined;
  let isLost = false;
  for (const [index, { time, distance }] of points.entries()) {
    const way = along[index];
    isLost ||= way === undefined;
    if (way === undefined || distance === undefined) continue;
    if (from !== undefined && !(isLost && time - from.time > FILLED_SECS)) {
      stated += distance - from.distance;
      metres += way - from.way;
    }
    from = { time, distance, way };
    isLost = false;
  }
  return Math.abs(stated - metres) <= AGREEMENT * metres;
}

/** Highest plausible mean cadence of a run (strides a minute). Above it, the file counts steps. */
const MOST_STRIDES = 110;

/** Halves a cadence in steps: FIT files count strides of two steps. @returns notes */
function halveSteps({ points, ...numbers }: Stretch): string[] {
  const steps = points.filter(({ cadence = 0 }) => cadence > 0);
  const mean = sum(steps.map(({ cadence = 0 }) => cadence)) / steps.length;
  if (cadenceUnit(numbers) !== 'spm' || !(mean > MOST_STRIDES)) return [];
  for (const point of steps) point.cadence = (point.cadence ?? 0) / 2;
  return ['Its cadence is in steps, and recordings count strides of two steps: halved.'];
}

/** Speeds in knots, mph or km/h exceed those computed from the distances by such factors. */
const OTHER_UNITS = { least: 1.7, most: 4 };

/** Removes speeds that are not in m/s. @returns notes */
function dropSpeeds(points: readonly Point[]): string[] {
  let [stated, metres] = [0, 0];
  for (const [index, { time, speed, distance = NaN }] of points.entries()) {
    const before = points[index - 1];
    const secs = time - (before?.time ?? NaN);
    const way = distance - (before?.distance ?? NaN);
    if (speed === undefined || Number.isNaN(way) || secs > FILLED_SECS) continue;
    stated += speed * secs;
    metres += way;
  }
  const times = stated / metres;
  if (!(times > OTHER_UNITS.least && times < OTHER_UNITS.most)) return [];
  for (const point of points) point.speed = undefined;
  const shown = times.toFixed(1);
  return [`Its speeds are ${shown} times those of its distances, and are left out.`];
}

/** A speed is that over this time, in which the rounding of positions does not show (s). */
const SPEED_SECS = 5;

/** Sets the speeds that follow from the distances. */
function setSpeeds(records: readonly Point[], pauses: readonly FitPause[]): void {
  const starts = new Set(pauses.map(({ to }) => to));
  let back = 0;
  for (const [index, record] of records.entries()) {
    if (starts.has(record.time)) back = index;
    while (back < index - 1 && record.time - (records[back + 1]?.time ?? 0) >= SPEED_SECS) back++;
    const before = records[back];
    const metres = (record.distance ?? NaN) - (before?.distance ?? NaN);
    // The first record is compared with itself.
    const speed = metres / Math.max(1, record.time - (before?.time ?? 0));
    record.speed = speed >= 0 && speed < MOST_SPEED ? speed : undefined;
  }
}

/** More than the field of a FIT file holds (m/s). */
const MOST_SPEED = 65;

/** A shorter time without a value has the last one (s): the platform reads each channel without its times. */
const FILLED_SECS = 10;

/** Repeats values over short gaps, and returns the longer ones of the channels that have values. */
function fillGaps(records: readonly Point[]): Gap[] {
  const channels = [...Object.keys(CHANNEL_WORDS), 'distance', 'speed'] as (keyof Point)[];
  return channels.flatMap((channel) => {
    const secs = fillGapsOf(records, channel);
    return secs > 0 && channel in CHANNEL_WORDS ? [{ channel, secs } as Gap] : [];
  });
}

/** @returns the length of the gaps that stay (s) */
function fillGapsOf(records: readonly Point[], channel: keyof Point): number {
  let left = 0;
  let have = -1;
  const fill = (next: number) => {
    const value = records[have < 0 ? next : have];
    const from = records[Math.max(have, 0)]?.time ?? 0;
    const to = records[Math.min(next, records.length - 1)]?.time ?? 0;
    if (next - have < 2 || value?.[channel] === undefined) return;
    if (to - from > FILLED_SECS) left += to - from;
    else {
      for (const record of records.slice(have + 1, next)) {
        record[channel] = value[channel];
        if (channel === 'latitude') record.longitude = value.longitude;
      }
    }
  };
  for (const [index, record] of records.entries()) {
    if (record[channel] === undefined) continue;
    fill(index);
    have = index;
  }
  if (have >= 0) fill(records.length);
  return left;
}

/** Returns the laps of a TCX activity; each ends where the next one begins. */
function lapsOf({ laps, points }: Stretch): FitLap[] {
  const start = points[0]?.time ?? 0;
  const end = points.at(-1)?.time ?? 0;
  const borders = laps.map(({ from }) => Math.min(Math.max(Math.floor(from), start), end));
  return laps.flatMap(({ calories, distance, isRest = false }, index) => {
    const from = index === 0 ? start : (borders[index] ?? end);
    const to = borders[index + 1] ?? end;
    if (to <= from) return [];
    const stated = { distance: distance || undefined, calories: kcal(calories) };
    return [{ from, to, intensity: isRest ? 'rest' : 'active', ...stated } as const];
  });
}

/** Returns energy as FIT can hold it (kcal); undefined for none. */
function kcal(value = 0): number | undefined {
  return value >= 0.5 && value < 65_535 ? Math.round(value) : undefined;
}
