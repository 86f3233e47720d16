import { cosine, sine } from './arithmetic.ts';
import { stream } from './random.ts';
import type { Position } from './recording.ts';

/** The earth's mean radius (IUGG), m: what the haversine formula is used with. */
const EARTH_RADIUS = 6_371_008.8;

const METRES_PER_DEGREE = (EARTH_RADIUS * 3.141592653589793) / 180;
const SEMICIRCLES_PER_DEGREE = 2_147_483_648 / 180;
const CORNERS = 480;

export interface Home {
  readonly latitude: number;
  readonly longitude: number;
  /** Metres above the sea. */
  readonly altitude: number;
}

/**
 * Public places known for training: a synthetic athlete lives at nobody's front door. By the zone's
 * standard offset, so that the clock and the map agree.
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

/** A closed road of a given length that starts and ends at home. */
export class Loop {
  readonly #length: number;
  readonly #corners: readonly { latitude: number; longitude: number; metres: number }[];
  #corner = 1;

  /**
   * @param route the same route number keeps its shape and direction at any length
   * @param length m
   */
  constructor(seed: number, route: number, home: Home, length: number) {
    const shape = shapeOf(seed, route);
    this.#length = length;
    // Degrees of longitude shrink away from the equator, so length depends on the place: scale, measure,
    // and scale again, until the error is gone.
    let scale = length;
    let corners = place(shape, home, scale);
    for (let round = 0; round < 4; round++) {
      scale *= length / (corners.at(-1)?.metres ?? length);
      corners = place(shape, home, scale);
    }
    this.#corners = corners;
  }

  /** Where one is after so many metres. Ask in rising order. */
  at(metres: number): Position {
    const along = Math.min(metres, this.#length);
    while (
      this.#corner < this.#corners.length - 1 &&
      (this.#corners[this.#corner]?.metres ?? 0) < along
    ) {
      this.#corner++;
    }
    const from = this.#corners[this.#corner - 1];
    const to = this.#corners[this.#corner];
    if (from === undefined || to === undefined) throw new RangeError('A loop has corners.');
    const span = to.metres - from.metres;
    const share = span > 0 ? Math.min(1, (along - from.metres) / span) : 0;
    return {
      latitude: semicircles(from.latitude + (to.latitude - from.latitude) * share),
      longitude: semicircles(from.longitude + (to.longitude - from.longitude) * share),
    };
  }
}

function semicircles(degrees: number): number {
  return Math.round(degrees * SEMICIRCLES_PER_DEGREE);
}

/** Corners of a wavy ring around the origin of a plane, closed, beginning and ending at (0, 0). */
function shapeOf(seed: number, route: number): { x: number; y: number }[] {
  const random = stream(seed, 'route', route);
  const heading = random.unit();
  const way = random.chance(0.5) ? 1 : -1;
  const waves = [2, 3, 4, 5, 7].map((turns) => ({
    turns,
    size: random.between(0.05, 0.5) / turns,
    phase: random.unit(),
  }));
  const points: { x: number; y: number }[] = [];
  for (let corner = 0; corner <= CORNERS; corner++) {
    const turn = (way * (corner % CORNERS)) / CORNERS;
    let radius = 1;
    for (const wave of waves) radius += wave.size * cosine(wave.turns * turn + wave.phase);
    points.push({ x: radius * sine(turn + heading), y: radius * cosine(turn + heading) });
  }
  const [first] = points;
  if (first === undefined) return points;
  return points.map(({ x, y }) => ({ x: x - first.x, y: y - first.y }));
}

function place(
  shape: readonly { x: number; y: number }[],
  home: Home,
  scale: number,
): { latitude: number; longitude: number; metres: number }[] {
  let before: { latitude: number; longitude: number; metres: number } | undefined;
  return shape.map(({ x, y }) => {
    const latitude = home.latitude + (y * scale) / METRES_PER_DEGREE;
    const longitude =
      home.longitude + (x * scale) / (METRES_PER_DEGREE * cosine(home.latitude / 360));
    let metres = 0;
    if (before !== undefined) {
      const north = (latitude - before.latitude) * METRES_PER_DEGREE;
      const width = cosine((latitude + before.latitude) / 2 / 360);
      const east = (longitude - before.longitude) * METRES_PER_DEGREE * width;
      metres = before.metres + Math.sqrt(north * north + east * east);
    }
    before = { latitude, longitude, metres };
    return before;
  });
}
