interface Place {
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
}

/** Mean radius of the earth (m), and degrees in radians. */
const EARTH = 6_371_008.8;
const DEGREE = Math.PI / 180;

/** Returns the distance between two places on a sphere (haversine); 0 if one has no position. */
export function metresBetween(a: Place, b: Place): number {
  const { latitude: south, longitude: west } = a;
  const { latitude: north, longitude: east } = b;
  if (south === undefined || west === undefined || north === undefined || east === undefined) {
    return 0;
  }
  const height = Math.sin(((north - south) * DEGREE) / 2) ** 2;
  const width = Math.sin(((east - west) * DEGREE) / 2) ** 2;
  const scale = Math.cos(south * DEGREE) * Math.cos(north * DEGREE);
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(height + scale * width)));
}
