import type { Random } from './random.ts';

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

/** @param offset of the zone from UTC in January (h) */
export function placeIn(offset: number): Place {
  const distance = (place: { offset: number }) => Math.abs(place.offset - offset);
  return PLACES.reduce((best, place) => (distance(place) < distance(best) ? place : best));
}

const METRES_PER_DEGREE = 111_195;

/**
 * Returns a closed road of this length (m) that winds through the country around a place. After its length it
 * repeats itself.
 */
export function loopFrom(home: Place, length: number, random: Random) {
  // The loop has equal parts, each turned against the previous one, so it ends where it began.
  const parts = random.pick([2, 3]);
  const bends = [1, 2, 3].map((each) => ({
    turns: each * parts,
    size: random.between(0.1, 0.3) / (each * parts),
    phase: random.unit(),
  }));
  const hills = [700, 1700, 4100].map((about) => ({
    turns: Math.max(1, Math.round(length / about)),
    grade: random.between(0.006, 0.02),
    phase: random.unit(),
  }));
  const north = random.unit();
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  let { latitude, longitude } = home;
  return {
    /** Returns the grade (rise over run) after a distance from the start (m). */
    grade: (metres: number) =>
      sum(
        hills.map(({ turns, grade, phase }) => grade * cosine((turns * metres) / length + phase)),
      ),
    /** Returns the place after a distance, of which the last step (m) is new since the previous call. */
    follow(metres: number, step: number): Place {
      const round = metres / length;
      const bend = sum(bends.map(({ turns, size, phase }) => size * sine(turns * round + phase)));
      const heading = north + round + bend;
      latitude += (cosine(heading) * step) / METRES_PER_DEGREE;
      // Degrees of longitude shrink away from the equator.
      longitude += (sine(heading) * step) / METRES_PER_DEGREE / cosine(latitude / 360);
      const climbed = hills.map(({ turns, grade, phase }) => {
        const wave = length / turns / (2 * Math.PI);
        return grade * wave * (sine(turns * round + phase) - sine(phase));
      });
      return { latitude, longitude, altitude: home.altitude + sum(climbed) };
    },
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
