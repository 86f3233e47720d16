/** A planned workout, independent of body and landscape. It becomes one recording. */
export interface Workout {
  /** The activity's name. */
  readonly title: string;
  /** The word in the file's name. */
  readonly label: 'ride' | 'run' | 'swim' | 'brick';
  /** Minutes after local midnight, to the second. */
  readonly startMinute: number;
  readonly legs: readonly Leg[];
}

export type Leg = LandLeg | SwimLeg;

export interface LandLeg {
  readonly sport: 'cycling' | 'running' | 'transition';
  readonly place: 'road' | 'trainer';
  readonly segments: readonly Segment[];
  /** Length of automatic laps (m); null for a lap per segment. */
  readonly autoLap: number | null;
  /** Whether there are no stops, as in a race. */
  readonly closedRoad: boolean;
}

export type SegmentKind = 'warmup' | 'active' | 'interval' | 'rest' | 'cooldown';

export interface Segment {
  readonly seconds: number;
  /** Share of the threshold (power on the bike, speed on foot) at the start and at the end. */
  readonly from: number;
  readonly to: number;
  readonly kind: SegmentKind;
  /** Whether it continues the previous segment's lap, like the short efforts of one set. */
  readonly sameLap: boolean;
}

export interface SwimLeg {
  readonly sport: 'swimming';
  readonly place: 'pool';
  readonly sets: readonly SwimSet[];
}

export interface SwimSet {
  readonly repeats: number;
  /** A multiple of the pool's 25 m. */
  readonly metres: number;
  /** Share of the critical swim speed. */
  readonly pace: number;
  /** Seconds at the wall after each repeat. */
  readonly rest: number;
  readonly kind: SegmentKind;
}

/** Returns the planned training stress: 100 for one hour at threshold. */
export function plannedStress(workout: Workout): number {
  let stress = 0;
  for (const leg of workout.legs)
    stress += leg.sport === 'swimming' ? swimStress(leg) : landStress(leg);
  return stress;
}

function landStress(leg: LandLeg): number {
  let seconds = 0;
  let fourth = 0;
  for (const segment of leg.segments) {
    const middle = (segment.from + segment.to) / 2;
    seconds += segment.seconds;
    fourth += segment.seconds * middle * middle * middle * middle;
  }
  // Outdoors power varies, so normalized power is about 3 % above the plan.
  const unevenness = leg.place === 'road' ? 1.03 * 1.03 : 1.01;
  return (Math.sqrt(fourth / seconds) * unevenness * seconds) / 36;
}

/** Estimates stress from pace, since swims have no power; power grows with the cube of the speed. */
function swimStress(leg: SwimLeg): number {
  let stress = 0;
  for (const set of leg.sets) {
    // Assumes a critical swim speed of 1.25 m/s for every athlete.
    stress += (set.repeats * set.metres * set.pace * set.pace) / 1.25 / 36;
  }
  return stress;
}
