import type { Random } from './random.ts';
import type { Segment, SegmentKind, SwimSet } from './workout.ts';

/** The content of one leg: a workout without its time and place. */
export interface WorkoutTemplate {
  readonly title: string;
  readonly segments: readonly Segment[];
}

function steady(minutes: number, share: number, kind: SegmentKind, to = share): Segment {
  return { seconds: Math.round(minutes * 60), from: share, to, kind, sameLap: false };
}

function joined(seconds: number, share: number, kind: SegmentKind): Segment {
  return { seconds, from: share, to: share, kind, sameLap: true };
}

function structured(
  title: string,
  main: readonly Segment[],
  warmup = 14,
  cooldown = 9,
): WorkoutTemplate {
  return {
    title,
    segments: [
      steady(warmup, 0.46, 'warmup', 0.74),
      ...main,
      steady(cooldown, 0.58, 'cooldown', 0.42),
    ],
  };
}

function repeats(count: number, work: readonly Segment[], rest: Segment): Segment[] {
  return Array.from({ length: count }, (_, repeat) =>
    repeat === count - 1 ? [...work] : [...work, rest],
  ).flat();
}

/** Rides. `step` is the week within its block, 1 to 3: workouts get harder over a block. */
export const rides = {
  sweetSpot(step: number): WorkoutTemplate {
    const minutes = 10 + 2 * step;
    return structured(
      `Sweet spot 3 x ${minutes} min`,
      repeats(3, [steady(minutes, 0.9, 'interval')], steady(5, 0.55, 'rest')),
    );
  },

  tempo(step: number): WorkoutTemplate {
    const minutes = 18 + 3 * step;
    return structured(
      `Tempo 2 x ${minutes} min`,
      repeats(2, [steady(minutes, 0.81, 'interval')], steady(6, 0.55, 'rest')),
    );
  },

  threshold(step: number): WorkoutTemplate {
    const minutes = 8 + step;
    return structured(
      `Threshold 3 x ${minutes} min`,
      repeats(3, [steady(minutes, 0.99, 'interval', 0.98)], steady(5, 0.5, 'rest')),
    );
  },

  vo2max(step: number): WorkoutTemplate {
    const count = 3 + step;
    return structured(
      `VO2 max ${count} x 4 min`,
      repeats(count, [steady(4, 1.12, 'interval', 1.1)], steady(4, 0.45, 'rest')),
      16,
    );
  },

  overUnder(step: number): WorkoutTemplate {
    const under = steady(2, 0.92, 'interval');
    const set = [
      under,
      joined(60, 1.07, 'interval'),
      joined(120, 0.92, 'interval'),
      joined(60, 1.07, 'interval'),
      joined(120, 0.92, 'interval'),
      joined(60, 1.07, 'interval'),
    ];
    const count = 2 + step;
    return structured(`Over-unders ${count} x 9 min`, repeats(count, set, steady(5, 0.5, 'rest')));
  },

  shortShort(step: number): WorkoutTemplate {
    const efforts = 8 + 2 * step;
    const set = [
      { ...joined(30, 1.24, 'interval'), sameLap: false },
      ...Array.from({ length: efforts - 1 }, () => [
        joined(15, 0.5, 'interval'),
        joined(30, 1.22, 'interval'),
      ]).flat(),
    ];
    return structured(`30/15 3 x ${efforts}`, repeats(3, set, steady(6, 0.48, 'rest')), 16);
  },

  openers(): WorkoutTemplate {
    return structured('Openers', [
      steady(12, 0.64, 'active'),
      ...repeats(4, [steady(1, 1.12, 'interval')], steady(3, 0.5, 'rest')),
      steady(6, 0.6, 'active'),
    ]);
  },

  recovery(minutes: number): WorkoutTemplate {
    return { title: 'Recovery spin', segments: [steady(minutes, 0.5, 'active', 0.48)] };
  },

  endurance(minutes: number): WorkoutTemplate {
    return {
      title: 'Endurance ride',
      segments: [
        steady(12, 0.5, 'warmup', 0.64),
        steady(minutes - 20, 0.68, 'active', 0.66),
        steady(8, 0.55, 'cooldown', 0.45),
      ],
    };
  },

  /** A long ride with tempo blocks. */
  long(minutes: number, tempoBlocks: number): WorkoutTemplate {
    const between = (minutes - 25 - tempoBlocks * 20) / (tempoBlocks + 1);
    const main = Array.from({ length: tempoBlocks }, () => [
      steady(between, 0.66, 'active'),
      steady(20, 0.82, 'interval'),
    ]).flat();
    return {
      title: tempoBlocks === 0 ? 'Long ride' : `Long ride with ${tempoBlocks} x 20 min tempo`,
      segments: [
        steady(15, 0.5, 'warmup', 0.65),
        ...main,
        steady(between, 0.65, 'active', 0.62),
        steady(10, 0.54, 'cooldown', 0.45),
      ],
    };
  },

  /** A hilly race with changing efforts and a final sprint. */
  race(minutes: number, random: Random): WorkoutTemplate {
    const segments: Segment[] = [steady(6, 0.75, 'active', 0.95)];
    let left = minutes * 60;
    while (left > 0) {
      const hard = random.chance(0.45);
      const seconds = Math.min(left, hard ? random.integer(40, 260) : random.integer(90, 420));
      const share = hard ? random.between(0.97, 1.2) : random.between(0.62, 0.88);
      segments.push(joined(seconds, share, hard ? 'interval' : 'active'));
      left -= seconds;
    }
    segments.push(joined(200, 1.05, 'interval'), joined(16, 2.3, 'interval'));
    segments.push(steady(7, 0.5, 'cooldown', 0.4));
    return { title: 'Race', segments };
  },
};

export const runs = {
  easy(minutes: number): WorkoutTemplate {
    return {
      title: 'Easy run',
      segments: [steady(6, 0.66, 'warmup', 0.74), steady(minutes - 6, 0.76, 'active', 0.75)],
    };
  },

  long(minutes: number): WorkoutTemplate {
    return {
      title: 'Long run',
      segments: [
        steady(8, 0.66, 'warmup', 0.75),
        steady(minutes - 20, 0.78, 'active', 0.79),
        steady(12, 0.84, 'active', 0.86),
      ],
    };
  },

  tempo(step: number): WorkoutTemplate {
    const minutes = 6 + 2 * step;
    return structured(
      `Tempo run 2 x ${minutes} min`,
      repeats(2, [steady(minutes, 0.95, 'interval')], steady(3, 0.68, 'rest')),
      12,
      8,
    );
  },

  intervals(step: number): WorkoutTemplate {
    const count = 3 + step;
    return structured(
      `Run ${count} x 3 min`,
      repeats(count, [steady(3, 1.06, 'interval')], steady(2, 0.62, 'rest')),
      12,
      8,
    );
  },

  strides(): WorkoutTemplate {
    return structured(
      'Strides',
      repeats(5, [steady(0.4, 1.18, 'interval')], steady(1.5, 0.6, 'rest')),
      15,
      6,
    );
  },

  /** An even race with a fast end. `share` of the threshold speed. */
  race(minutes: number, share: number, random: Random): WorkoutTemplate {
    const segments: Segment[] = [];
    for (let left = minutes * 60; left > 0; left -= 600) {
      segments.push(joined(Math.min(left, 600), share + random.between(-0.02, 0.02), 'active'));
    }
    return { title: 'Race', segments: [...segments, joined(240, share + 0.05, 'active')] };
  },

  /** A run directly after a ride. */
  brick(minutes: number): WorkoutTemplate {
    return { title: 'Brick run', segments: [steady(minutes, 0.88, 'active', 0.86)] };
  },
};

/** The change from bike to run. */
export function transition(random: Random): WorkoutTemplate {
  return { title: 'Transition', segments: [steady(random.integer(100, 190) / 60, 0.42, 'active')] };
}

export const swims = {
  technique(step: number): { title: string; sets: readonly SwimSet[] } {
    return {
      title: 'Swim technique',
      sets: [
        { repeats: 1, metres: 300, pace: 0.86, rest: 30, kind: 'warmup' },
        { repeats: 8, metres: 50, pace: 0.88, rest: 20, kind: 'active' },
        { repeats: 6 + step, metres: 100, pace: 0.95, rest: 20, kind: 'interval' },
        { repeats: 1, metres: 200, pace: 0.82, rest: 0, kind: 'cooldown' },
      ],
    };
  },

  threshold(step: number): { title: string; sets: readonly SwimSet[] } {
    const count = 5 + step;
    return {
      title: `Swim ${count} x 200 m`,
      sets: [
        { repeats: 1, metres: 400, pace: 0.86, rest: 30, kind: 'warmup' },
        { repeats: 4, metres: 50, pace: 1.04, rest: 25, kind: 'active' },
        { repeats: count, metres: 200, pace: 0.98, rest: 20, kind: 'interval' },
        { repeats: 1, metres: 200, pace: 0.82, rest: 0, kind: 'cooldown' },
      ],
    };
  },
};
