import { cosine, sine } from './arithmetic.ts';
import { stream } from './random.ts';

/** The earth's mean radius (IUGG), as in the haversine formula (m). */
const EARTH_RADIUS = 6_371_008.8;

const METRES_PER_DEGREE = (EARTH_RADIUS * 3.141592653589793) / 180;
const SEMICIRCLES_PER_DEGREE = 2_147_483_648 / 180;
const CORNERS = 480;

/** Semicircles. */
export interface RoutePosition {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Home {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres above sea level. */
  readonly altitude: number;
}

/**
 * Public training places instead of real homes, by the zone's standard offset, so that local time
 * and position agree.
 */
const HOMES: readonly (Home & { readonly offsetHours: number })[] = [
  { offsetHours: -10, latitude: 21.2655, longitude: -157.8217, altitude: 8 }, // Kapiolani Park
  { offsetHours: -8, latitude: 37.7694, longitude: -122.4862, altitude: 75 }, // Golden Gate Park
  { offsetHours: -7, latitude: 40.0176, longitude: -105.2797, altitude: 1630 }, // Boulder Creek
  { offsetHours: -6, latitude: 41.8826, longitude: -87.6226, altitude: 181 }, // Millennium Park
  { offsetHours: -5, latitude: 40.7734, longitude: -73.971, altitude: 30 }, // Central Park
  { offsetHours: -3, latitude: -23.5874, longitude: -46.6576, altitude: 745 }, // Ibirapuera
  { offsetHours: 0, latitude: 51.4426, longitude: -0.2747, altitude: 35 }, // Richmond Park
  { offsetHours: 1, latitude: 47.3548, longitude: 8.5519, altitude: 410 }, // Zurichhorn
  { offsetHours: 2, latitude: 60.187, longitude: 24.9269, altitude: 12 }, // Helsinki, Olympic Stadium
  { offsetHours: 3, latitude: -1.3013, longitude: 36.8066, altitude: 1690 }, // Nairobi, Uhuru
  { offsetHours: 4, latitude: 25.0657, longitude: 55.2435, altitude: 9 }, // Dubai, Zabeel
  { offsetHours: 5.5, latitude: 12.9763, longitude: 77.5929, altitude: 915 }, // Cubbon Park
  { offsetHours: 8, latitude: 1.3048, longitude: 103.8318, altitude: 18 }, // Singapore
  { offsetHours: 9, latitude: 35.6825, longitude: 139.7521, altitude: 22 }, // Imperial Palace
  { offsetHours: 10, latitude: -33.8915, longitude: 151.2336, altitude: 38 }, // Centennial Park
  { offsetHours: 12, latitude: -36.8602, longitude: 174.7774, altitude: 45 }, // Auckland Domain
];

export function homeIn(standardOffsetHours: number): Home {
  const distance = (home: { offsetHours: number }) =>
    Math.abs(home.offsetHours - standardOffsetHours);
  return HOMES.reduce((best, home) => (distance(home) < distance(best) ? home : best));
}

interface Corner {
  readonly x: number;
  readonly y: number;
  /** Length of the ring up to here. */
  readonly along: number;
}

export class Loop {
  readonly #corners: readonly Corner[];
  readonly #home: Home;
  /** Metres per unit of the corners. */
  readonly #scale: number;
  #corner = 1;

  /**
   * @param route number that determines shape and direction, for any length
   * @param length m
   */
  constructor(seed: number, route: number, home: Home, length: number) {
    this.#corners = ringOf(seed, route);
    this.#home = home;
    this.#scale = length / (this.#corners.at(-1)?.along ?? 1);
  }

  /** Returns the position after a distance (m). Calls must be in rising order. */
  at(metres: number): RoutePosition {
    const along = metres / this.#scale;
    const last = this.#corners.length - 1;
    while (this.#corner < last && (this.#corners[this.#corner]?.along ?? 0) < along) this.#corner++;
    const from = this.#corners[this.#corner - 1];
    const to = this.#corners[this.#corner];
    if (from === undefined || to === undefined) throw new RangeError('A loop has corners.');
    const share = Math.min(1, (along - from.along) / (to.along - from.along));
    const { latitude, longitude } = this.#home;
    const north = (from.y + (to.y - from.y) * share) * this.#scale;
    const east = (from.x + (to.x - from.x) * share) * this.#scale;
    // Degrees of longitude shrink away from the equator.
    const width = METRES_PER_DEGREE * cosine((latitude + north / METRES_PER_DEGREE / 2) / 360);
    return {
      latitude: semicircles(latitude + north / METRES_PER_DEGREE),
      longitude: semicircles(longitude + east / width),
    };
  }
}

function semicircles(degrees: number): number {
  return Math.round(degrees * SEMICIRCLES_PER_DEGREE);
}

/** Returns the corners of a closed wavy ring that starts and ends at (0, 0). */
function ringOf(seed: number, route: number): Corner[] {
  const random = stream(seed, 'route', route);
  const heading = random.unit();
  const way = random.chance(0.5) ? 1 : -1;
  const waves = [2, 3, 4, 5, 7].map((turns) => ({
    turns,
    size: random.between(0.05, 0.5) / turns,
    phase: random.unit(),
  }));
  const points = Array.from({ length: CORNERS + 1 }, (_, corner) => {
    const turn = (way * (corner % CORNERS)) / CORNERS;
    let radius = 1;
    for (const wave of waves) radius += wave.size * cosine(wave.turns * turn + wave.phase);
    return { x: radius * sine(turn + heading), y: radius * cosine(turn + heading) };
  });
  const [first = { x: 0, y: 0 }] = points;
  let before = first;
  let along = 0;
  return points.map((point) => {
    const [east, north] = [point.x - before.x, point.y - before.y];
    along += Math.sqrt(east * east + north * north);
    before = point;
    return { x: point.x - first.x, y: point.y - first.y, along };
  });
}

/**
 * Hills along a road: a sum of waves of several hundred metres to some kilometres. The road's length
 * is only known after the ride; a slight tilt then makes start and end equally high.
 */
export class Terrain {
  readonly #waves: readonly { length: number; grade: number; phase: number }[];
  /** Metres above sea level at the start. */
  readonly #base: number;

  /** @param hilliness 1 for about 10 m of climbing per km */
  constructor(seed: number, route: number, base: number, hilliness: number) {
    const random = stream(seed, 'terrain', route);
    this.#base = base;
    this.#waves = [450, 900, 1700, 3300, 6100].map((length) => ({
      length: length * random.between(0.8, 1.25),
      grade: hilliness * random.between(0.006, 0.019),
      phase: random.unit(),
    }));
  }

  /** Returns the grade (rise over run) at a distance from the start (m). */
  grade(metres: number): number {
    let grade = 0;
    for (const wave of this.#waves) grade += wave.grade * cosine(metres / wave.length + wave.phase);
    return grade;
  }

  /** Returns the altitude (m above sea level) on a loop of this length (m). */
  altitude(metres: number, loop: number): number {
    const tilt = loop > 0 ? (this.#height(loop) - this.#height(0)) / loop : 0;
    return this.#base + this.#height(metres) - this.#height(0) - tilt * metres;
  }

  #height(metres: number): number {
    let height = 0;
    for (const wave of this.#waves) {
      height +=
        ((wave.grade * wave.length) / (2 * Math.PI)) * sine(metres / wave.length + wave.phase);
    }
    return height;
  }
}
