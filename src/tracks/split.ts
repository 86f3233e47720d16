import type { Lap, Point, Track, TrackFile } from './read.ts';
import { type SportNumbers, sportOfWord } from './sports.ts';
import { metresBetween } from './distance.ts';

/** Points of one activity, a second or more apart. */
export interface Stretch extends SportNumbers {
  readonly name: string | undefined;
  /** In the order of their times; at least two. `time` in whole seconds. */
  readonly points: readonly Point[];
  readonly laps: readonly Lap[];
}

/** A stretch, or why it is no activity, as a sentence. */
export type SplitResult = Stretch | { readonly obstacle: string };

/** A longer break begins another recording (s). */
const LONGEST_BREAK_SECS = 4 * 3600;
/** FIT files begin in 1990 (s since 1970). */
const FIRST_TIME = 631_152_000;
/** Tolerance for clocks that are ahead (s). */
const AHEAD_SECS = 86_400;

/**
 * Splits the tracks of a file into activities: at a break of more than four hours, at another sport, and at another
 * `Activity` of TCX. Tracks of GPX that continue each other are one.
 *
 * @param now ms since 1970
 */
export function splitTracks(file: TrackFile, now: number): SplitResult[] {
  const { tracks } = file;
  const timed = tracks.reduce((count, { points }) => count + points.length, 0);
  if (timed <= file.untimed) return [{ obstacle: emptyText(file) }];
  const stretches = joined(file, tracks.flatMap(unbroken));
  const whole = stretches.filter(({ points }) => points.length > 1);
  if (whole.length === 0)
    return [{ obstacle: 'All its points are of one second: it is no activity.' }];
  const parts = whole
    .toSorted((a, b) => startOf(a) - startOf(b))
    .map((stretch) => {
      const obstacle = obstacleOf(stretch, file, now / 1000);
      return obstacle === undefined ? stretch : { obstacle };
    });
  const pointless = tracks.filter(({ points, laps }) => points.length === 0 && laps.length > 0);
  return [...parts, ...pointless.map(() => ({ obstacle: POINTLESS }))];
}

const POINTLESS = 'It holds laps without points, which a recording cannot have.';

function startOf({ points: [first] }: Stretch): number {
  return first?.time ?? 0;
}

function endOf({ points }: Stretch): number {
  return points.at(-1)?.time ?? 0;
}

/** Splits one track at its breaks. */
function unbroken({ points: stated, laps, name, sport }: Track): Stretch[] {
  const points = secondBySecond(stated);
  const starts = [...points.keys()].filter((at) => {
    const before = points[at - 1]?.time ?? -Infinity;
    return (points[at]?.time ?? 0) - before > LONGEST_BREAK_SECS;
  });
  return starts.map((start, index) => {
    const part = points.slice(start, starts[index + 1]);
    const from = starts[index - 1] === undefined ? -Infinity : (part[0]?.time ?? 0);
    const next = points[starts[index + 1] ?? points.length]?.time ?? Infinity;
    return {
      ...sportOfWord(sport),
      name,
      points: part,
      laps: laps
        .filter((lap) => lap.from >= from && lap.from < next)
        .sort((a, b) => a.from - b.from),
    };
  });
}

/** Returns one point for each second. The first one of a second gets the values that it lacks from the others. */
function secondBySecond(stated: readonly Point[]): Point[] {
  const points: Point[] = [];
  for (const point of stated.toSorted((a, b) => a.time - b.time)) {
    point.time = Math.floor(point.time);
    const first = points.at(-1);
    if (first?.time !== point.time) points.push(point);
    else {
      for (const [channel, value] of Object.entries(point) as [keyof Point, number][]) {
        first[channel] ??= value;
      }
    }
  }
  return points;
}

/** Joins tracks of GPX with the same sport: programs begin another track after a pause. */
function joined({ kind }: TrackFile, stretches: readonly Stretch[]): Stretch[] {
  if (kind === 'tcx') return [...stretches];
  const all: Stretch[] = [];
  for (const next of stretches.toSorted((a, b) => startOf(a) - startOf(b))) {
    const last = all.at(-1);
    const pause = last === undefined ? NaN : startOf(next) - endOf(last);
    const continues = pause > 0 && pause <= LONGEST_BREAK_SECS;
    const isSame = last?.sport === next.sport && last.subSport === next.subSport;
    if (last === undefined || !continues || !isSame) all.push(next);
    else {
      const { name = next.name, points } = last;
      all.splice(-1, 1, { ...last, name, points: [...points, ...next.points] });
    }
  }
  return all;
}

function emptyText({ tracks, untimed, unreadTimes, others }: TrackFile): string {
  if (unreadTimes.count > 0)
    return `Most of its times cannot be read. The first is ${unreadTimes.first}.`;
  if (untimed > 0)
    return 'Most of its points have no time: it is a route, not a recorded activity.';
  if (tracks.some(({ laps }) => laps.length > 0)) return POINTLESS;
  const [other = ''] = others;
  const held = { rte: 'a route', wpt: 'waypoints', course: 'a course', workout: 'a workout plan' };
  const what = Object.hasOwn(held, other) ? held[other as keyof typeof held] : 'no track';
  return `It holds ${what}, not a recorded activity.`;
}

function obstacleOf(stretch: Stretch, { creator }: TrackFile, now: number): string | undefined {
  if (startOf(stretch) < FIRST_TIME) return 'Its times are before 1990: no device recorded them.';
  if (endOf(stretch) > now + AHEAD_SECS) return 'Its times are in the future: it is a plan.';
  if (hasSensor(stretch)) return undefined;
  if (PLANNERS.test(creator)) {
    return `It comes from a planner (${creator}): its times are planned, not recorded.`;
  }
  return isConstant(stretch)
    ? 'Its speed never changes, and it has no sensor: its times are calculated, not recorded.'
    : undefined;
}

/** Programs that plan routes and record nothing. */
const PLANNERS =
  /b-?router|graphhopper|openrouteservice|plotaroute|cycle\.travel|mapometer|routeconverter|onthegomap|trackprofiler|kurviger|calimoto/i;

function hasSensor({ points }: Stretch): boolean {
  return points.some(
    ({ heartRate, cadence, power, temperature }) =>
      (heartRate ?? cadence ?? power ?? temperature) !== undefined,
  );
}

/** Fewer points, or a shorter way (m), say nothing about the speed. */
const FEWEST_POINTS = 10;
const SHORTEST_METRES = 1000;
/** How far a time may be from that of a constant speed: programs round to seconds (s, and a share of the time). */
const ROUNDING_SECS = 2;
const ROUNDING = 0.001;

/** Returns whether every time follows from the distance at one speed, as no recorded activity does. */
function isConstant({ points }: Stretch): boolean {
  const places = points.filter(({ latitude }) => latitude !== undefined);
  let metres = 0;
  const way = places.map((place, index) => {
    const before = places[index - 1];
    metres += before === undefined ? 0 : metresBetween(before, place);
    return { time: place.time, metres };
  });
  const start = way[0]?.time ?? 0;
  const secs = (way.at(-1)?.time ?? 0) - start;
  if (way.length < FEWEST_POINTS || metres < SHORTEST_METRES) return false;
  return way.every(
    (at) =>
      Math.abs(at.time - start - (at.metres / metres) * secs) <= ROUNDING_SECS + ROUNDING * secs,
  );
}
