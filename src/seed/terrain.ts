import { cosine, sine } from './arithmetic.ts';
import { stream } from './random.ts';

/**
 * Hills along a road: a sum of waves from several hundred metres to some kilometres long. Where the
 * road ends is only known once it has been ridden; a tilt too small to feel then makes it a loop.
 */
export class Terrain {
  readonly #waves: readonly { length: number; grade: number; phase: number }[];
  /** Metres above the sea at the start. */
  readonly #base: number;

  /** @param hilliness 1: about 10 m of climbing to the km */
  constructor(seed: number, route: number, base: number, hilliness: number) {
    const random = stream(seed, 'terrain', route);
    this.#base = base;
    this.#waves = [450, 900, 1700, 3300, 6100].map((length) => ({
      length: length * random.between(0.8, 1.25),
      grade: hilliness * random.between(0.006, 0.019),
      phase: random.unit(),
    }));
  }

  /** Rise over run, so many metres from the start. */
  grade(metres: number): number {
    let grade = 0;
    for (const wave of this.#waves) grade += wave.grade * cosine(metres / wave.length + wave.phase);
    return grade;
  }

  /** Metres above the sea, on a loop of this length. */
  altitude(metres: number, loop: number): number {
    const tilt = loop > 0 ? (this.#height(loop) - this.#height(0)) / loop : 0;
    return this.#base + this.#height(metres) - this.#height(0) - tilt * metres;
  }

  #height(metres: number): number {
    let height = 0;
    for (const wave of this.#waves) {
      height +=
        ((wave.grade * wave.length) / 6.283185307179586) * sine(metres / wave.length + wave.phase);
    }
    return height;
  }
}
