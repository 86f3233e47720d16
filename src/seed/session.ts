import type { Athlete } from './athlete.ts';
import { ftpOn, speedForm, warmth, weightOn } from './athlete.ts';
import { sine } from './arithmetic.ts';
import type { LapEnd } from './effort.ts';
import { stream } from './random.ts';
import type {
  Intensity,
  LapTrigger,
  LapTruth,
  Position,
  Records,
  SessionTruth,
  SportName,
  SubSportName,
} from './recording.ts';
import { ride, type Conditions, type Motion } from './ride.ts';
import { Loop, Terrain, type Home } from './route.ts';
import { run, runPower } from './run.ts';
import { swim } from './swim.ts';
import { stressOf, totalsOf, type TotalsBasis } from './totals.ts';
import type { LandLeg, Leg, SwimLeg } from './workout.ts';

interface SessionOptions {
  readonly athlete: Athlete;
  /** Days before the race. */
  readonly index: number;
  /** Name of the session within the day, for its random numbers. */
  readonly name: string;
  readonly home: Home;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  /** Minutes after local midnight. */
  readonly startMinute: number;
}

/** Number of routes that the athlete uses for each sport. */
const ROUTES = { cycling: 6, running: 4, transition: 1 };

export function performSession(leg: Leg, options: SessionOptions): SessionTruth {
  return leg.sport === 'swimming' ? performSwim(leg, options) : performOnLand(leg, options);
}

function performOnLand(leg: LandLeg, options: SessionOptions): SessionTruth {
  const { athlete, index, home, start } = options;
  const random = stream(athlete.seed, 'session', index, options.name);
  const weight = weightOn(athlete, index);
  const cycling = leg.sport === 'cycling';
  const road = leg.place === 'road';
  const routeNumber = random.integer(1, ROUTES[leg.sport]) + (cycling ? 0 : 100);
  const terrain = new Terrain(athlete.seed, routeNumber, home.altitude, cycling ? 1 : 0.6);
  const runThreshold = athlete.runThreshold * speedForm(index);
  const heat = temperatureAt(index, options.startMinute) + random.between(-3, 3);
  const conditions: Conditions = {
    athlete,
    weight,
    threshold: cycling ? ftpOn(athlete, index) : runPower(weight, runThreshold),
    heat,
    terrain,
    random,
  };
  const motion = cycling ? ride(leg, conditions) : run(leg, conditions, runThreshold);
  const { records, pauses, origin } = onTheMap(motion, {
    start,
    loop: road ? { home, terrain, seed: athlete.seed, route: routeNumber } : null,
    heat: road ? heat : random.between(18, 20.5),
    warming: road ? 1.2 : 3.5,
  });
  return finish({
    sport: leg.sport,
    subSport: subSportOf(leg),
    records,
    pauses,
    lengths: [],
    lapEnds: lapEndsOf(leg, records),
    basis: { sport: leg.sport, start, origin, weight },
    threshold: leg.sport === 'transition' ? null : conditions.threshold,
  });
}

function performSwim(leg: SwimLeg, options: SessionOptions): SessionTruth {
  const { athlete, index, start } = options;
  const random = stream(athlete.seed, 'session', index, options.name);
  const { seconds, lengths, lapEnds } = swim(
    leg,
    athlete,
    athlete.swimThreshold * speedForm(index),
    start,
    random,
  );
  const distance = Int32Array.from(seconds, (second) => second.distance);
  const records: Records = {
    timestamp: Uint32Array.from(seconds, (_, second) => start + second + 1),
    latitude: null,
    longitude: null,
    altitude: null,
    heartRate: Int32Array.from(seconds, (second) => second.heartRate),
    cadence: Int32Array.from(seconds, (second) => second.cadence),
    distance,
    speed: distance.map((to, second) => (to - (distance[second - 1] ?? 0)) * 10),
    power: null,
    temperature: new Int32Array(seconds.length).fill(27),
  };
  return finish({
    sport: 'swimming',
    subSport: 'lap_swimming',
    records,
    pauses: [],
    lengths,
    lapEnds,
    basis: { sport: 'swimming', start, origin: null, weight: weightOn(athlete, index) },
    threshold: null,
  });
}

interface Unfinished {
  readonly sport: SportName;
  readonly subSport: SubSportName;
  readonly records: Records;
  readonly pauses: SessionTruth['pauses'];
  readonly lengths: SessionTruth['lengths'];
  readonly lapEnds: readonly LapEnd[];
  readonly basis: TotalsBasis;
  readonly threshold: number | null;
}

function finish(session: Unfinished): SessionTruth {
  const { records, lengths, lapEnds, basis, threshold } = session;
  const activeFrom = (first: number, next: number) =>
    lengths.slice(first, next).filter((length) => length.active).length;
  let from = 0;
  const laps = lapEnds.map((lapEnd, lap): LapTruth => {
    const nextLength = lapEnds[lap + 1]?.firstLength ?? lengths.length;
    const active = activeFrom(lapEnd.firstLength, nextLength);
    const totals = totalsOf(records, from, lapEnd.end, active, basis);
    from = lapEnd.end;
    const trigger = lap === lapEnds.length - 1 ? 'session_end' : lapEnd.trigger;
    return { intensity: lapEnd.intensity, trigger, firstLength: lapEnd.firstLength, totals };
  });
  const count = records.timestamp.length;
  const totals = totalsOf(records, 0, count, activeFrom(0, lengths.length), basis);
  const power = totals.normalizedPower;
  const measured = threshold !== null && power !== null;
  return {
    sport: session.sport,
    subSport: session.subSport,
    records,
    laps,
    lengths,
    pauses: session.pauses,
    totals,
    thresholdPower: threshold,
    trainingStress: measured ? stressOf(totals.timer, power, threshold) : null,
    intensityFactor: measured ? Math.round((power * 1000) / threshold) : null,
  };
}

interface Setting {
  readonly start: number;
  readonly loop: { home: Home; terrain: Terrain; seed: number; route: number } | null;
  /** Degrees Celsius at the start, and the rise per hour. */
  readonly heat: number;
  readonly warming: number;
}

/** Adds time, position, altitude and temperature to each second. */
function onTheMap(motion: Motion, setting: Setting) {
  const { heartRate, cadence, power, step: speed } = motion;
  const count = speed.length;
  let millimetres = 0;
  for (const step of speed) millimetres += step;
  const length = millimetres / 1000;
  const place = setting.loop;
  const loop = place === null ? null : new Loop(place.seed, place.route, place.home, length);
  const origin: Position | null = loop === null ? null : loop.at(0);
  const onRoad = () => (place === null ? null : new Int32Array(count));
  const records: Records = {
    timestamp: new Uint32Array(count),
    latitude: onRoad(),
    longitude: onRoad(),
    altitude: onRoad(),
    heartRate,
    cadence,
    distance: new Int32Array(count),
    speed,
    power,
    temperature: new Int32Array(count),
  };

  const pauses: { from: number; to: number }[] = [];
  const { timestamp, latitude, longitude, altitude, distance, temperature } = records;
  let clock = setting.start;
  let along = 0;
  speed.forEach((step, second) => {
    const rest = motion.breaks.find((each) => each.after === second);
    if (rest !== undefined) {
      pauses.push({ from: clock, to: clock + rest.seconds });
      clock += rest.seconds;
    }
    clock++;
    along += step;
    timestamp[second] = clock;
    distance[second] = Math.round(along / 10);
    const hours = Math.min(2, (clock - setting.start) / 3600);
    if (temperature !== null)
      temperature[second] = Math.round(setting.heat + setting.warming * hours);
    if (loop === null || place === null) return;
    const position = loop.at(along / 1000);
    if (latitude !== null) latitude[second] = position.latitude;
    if (longitude !== null) longitude[second] = position.longitude;
    if (altitude === null) return;
    altitude[second] = Math.round(place.terrain.altitude(along / 1000, length) * 5);
  });
  return { records, pauses, origin };
}

function lapEndsOf(leg: LandLeg, { distance }: Records): LapEnd[] {
  return leg.autoLap === null ? lapsBySegment(leg) : lapsByDistance(distance, leg.autoLap * 100);
}

function lapsBySegment(leg: LandLeg): LapEnd[] {
  const ends: { end: number; intensity: Intensity; trigger: LapTrigger; firstLength: number }[] =
    [];
  let end = 0;
  for (const segment of leg.segments) {
    end += segment.seconds;
    const current = ends.at(-1);
    if (segment.sameLap && current !== undefined) current.end = end;
    else ends.push({ end, intensity: segment.kind, trigger: 'manual', firstLength: 0 });
  }
  return ends;
}

/**
 * @param distance cm at each record
 * @param every cm
 */
function lapsByDistance(distance: Int32Array, every: number): LapEnd[] {
  const ends: LapEnd[] = [];
  let next = every;
  distance.forEach((reached, record) => {
    // The last lap ends with the session and must not be empty.
    if (reached < next || record === distance.length - 1) return;
    ends.push({ end: record + 1, intensity: 'active', trigger: 'distance', firstLength: 0 });
    next += every;
  });
  const end = distance.length;
  return [...ends, { end, intensity: 'active', trigger: 'session_end', firstLength: 0 }];
}

function subSportOf(leg: LandLeg): SubSportName {
  if (leg.sport === 'transition') return 'bike_to_run_transition';
  if (leg.sport === 'running') return 'generic';
  return leg.place === 'road' ? 'road' : 'indoor_cycling';
}

/** Returns the temperature (degrees Celsius): lowest at 03:00, highest at 15:00. */
function temperatureAt(index: number, minute: number): number {
  return warmth(index) + 4 * sine((minute - 540) / 1440);
}
