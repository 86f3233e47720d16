/** What a session asks for, before a body and a landscape have had their say. */
export interface Workout {
  /** The activity's name, in the words a coach would use. */
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
  /** Laps of this many metres; null: a lap for each segment. */
  readonly autoLap: number | null;
  /** A race: no red lights, no coffee. */
  readonly closedRoad: boolean;
}

export type SegmentKind = 'warmup' | 'active' | 'interval' | 'rest' | 'cooldown';

export interface Segment {
  readonly seconds: number;
  /** Share of the threshold (power on the bike, speed on foot) at the beginning and at the end. */
  readonly from: number;
  readonly to: number;
  readonly kind: SegmentKind;
  /** Part of the lap that the segment before began: the short efforts within one set. */
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

/** The session's planned training stress: 100 is one hour at threshold. */
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
  // Outdoors power is less even than planned: NP is about 3 % above it.
  const unevenness = leg.place === 'road' ? 1.03 * 1.03 : 1.01;
  return (Math.sqrt(fourth / seconds) * unevenness * seconds) / 36;
}

/** By pace (the cube of speed is what water asks), as swims have no power. */
function swimStress(leg: SwimLeg): number {
  let stress = 0;
  for (const set of leg.sets) {
    // The stress of a whole length does not depend on the swimmer: 1.25 m/s stands for all.
    stress += (set.repeats * set.metres * set.pace * set.pace) / 1.25 / 36;
  }
  return stress;
}
