import { type Random, stream } from './random.ts';

/** A closed road through the country around a place. */
export interface Route {
  /** Returns the grade (rise over run) at a distance from the start (m). */
  grade(metres: number): number;
  /** Returns positions and altitudes on a loop of this length (m). */
  loop(length: number): (metres: number) => Place;
}

/** Degrees, and metres above sea level. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
}

/** Public places where people train instead of real homes, by the zone's offset from UTC (h). */
const PLACES: readonly (Place & { readonly offset: number })[] = [
  { offset: -8, latitude: 37.7694, longitude: -122.4862, altitude: 75 }, // Golden Gate Park
  { offset: -5, latitude: 40.7734, longitude: -73.971, altitude: 30 }, // Central Park
  { offset: -3, latitude: -23.5874, longitude: -46.6576, altitude: 745 }, // Ibirapuera
  { offset: 0, latitude: 51.4426, longitude: -0.2747, altitude: 35 }, // Richmond Park
  { offset: 1, latitude: 47.3548, longitude: 8.5519, altitude: 410 }, // Zurichhorn
  { offset: 3, latitude: -1.3013, longitude: 36.8066, altitude: 1690 }, // Nairobi, Uhuru
  { offset: 5.5, latitude: 12.9763, longitude: 77.5929, altitude: 915 }, // Cubbon Park
  { offset: 9, latitude: 35.6825, longitude: 139.7521, altitude: 22 }, // Imperial Palace
  { offset: 12, latitude: -36.8602, longitude: 174.7774, altitude: 45 }, // Auckland Domain
];

/** @param offset of the zone from UTC without daylight saving (h) */
export function placeIn(offset: number): Place {
  const distance = (place: { offset: number }) => Math.abs(place.offset - offset);
  return PLACES.reduce((best, place) => (distance(place) < distance(best) ? place : best));
}

const METRES_PER_DEGREE = 111_195;
/** Corners of a loop. */
const CORNERS = 360;

/** @param number which of the athlete's routes: it decides hills, shape and direction */
export function routeFrom(home: Place, seed: number, number: number): Route {
  const random = stream(seed, 'route', number);
  const hills = [500, 900, 1700, 3300, 6100].map((length) => ({
    length: length * random.between(0.8, 1.25),
    grade: random.between(0.006, 0.018),
    phase: random.unit(),
  }));
  const ring = ringOf(random);
  const height = (metres: number) =>
    hills.reduce((sum, { length, grade, phase }) => {
      return sum + ((grade * length) / (2 * Math.PI)) * sine(metres / length + phase);
    }, 0);
  return {
    grade: (metres) => height(metres + 0.5) - height(metres - 0.5),
    loop(length) {
      const position = positionsOn(ring, home, length);
      // A slight tilt makes start and end equally high.
      const tilt = (height(length) - height(0)) / length;
      return (metres) => ({
        ...position(metres),
        altitude: home.altitude + height(metres) - height(0) - tilt * metres,
      });
    },
  };
}

interface Corner {
  readonly x: number;
  readonly y: number;
  /** Length of the ring up to here. */
  readonly along: number;
}

/** Returns the corners of a closed wavy ring that begins and ends at (0, 0). */
function ringOf(random: Random): readonly Corner[] {
  const heading = random.unit();
  const waves = [2, 3, 4, 5, 7].map((turns) => ({
    turns,
    size: random.between(0.05, 0.5) / turns,
    phase: random.unit(),
  }));
  const corners: Corner[] = [];
  const cornerAt = (turn: number) => {
    const radius = waves.reduce((sum, { turns, size, phase }) => {
      return sum + size * sine(turns * turn + phase);
    }, 1);
    return { x: radius * sine(turn + heading), y: radius * cosine(turn + heading) };
  };
  const first = cornerAt(0);
  for (let corner = 0; corner <= CORNERS; corner++) {
    const { x, y } = cornerAt(corner / CORNERS);
    const before = corners.at(-1) ?? { x: 0, y: 0, along: 0 };
    const [east, north] = [x - first.x - before.x, y - first.y - before.y];
    const along = before.along + Math.sqrt(east * east + north * north);
    corners.push({ x: x - first.x, y: y - first.y, along });
  }
  return corners;
}

/** Returns the position on a ring of this length (m) after a distance. Calls must be in rising order. */
function positionsOn(ring: readonly Corner[], home: Place, length: number) {
  const scale = length / (ring.at(-1)?.along ?? 1);
  let corner = 1;
  return (metres: number) => {
    const along = metres / scale;
    while (corner < CORNERS && (ring[corner]?.along ?? 0) < along) corner++;
    const [from, to] = [ring[corner - 1], ring[corner]];
    if (from === undefined || to === undefined) throw new RangeError('A ring has corners.');
    const share = Math.min(1, (along - from.along) / (to.along - from.along));
    const north = ((from.y + (to.y - from.y) * share) * scale) / METRES_PER_DEGREE;
    const east = ((from.x + (to.x - from.x) * share) * scale) / METRES_PER_DEGREE;
    // Degrees of longitude shrink away from the equator.
    const width = cosine((home.latitude + north / 2) / 360);
    return { latitude: home.latitude + north, longitude: home.longitude + east / width };
  };
}

/**
 * Returns the sine of an angle in turns (1 = a full circle). Rounded, so that engines that differ in the last
 * bit make the same files.
 */
export function sine(turns: number): number {
  return Math.round(Math.sin((turns - Math.floor(turns)) * 2 * Math.PI) * 1e9) / 1e9;
}

function cosine(turns: number): number {
  return sine(turns + 0.25);
}
